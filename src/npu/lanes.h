/* How a vector instruction runs over its operands: a count of elements, or repeats of up to 256
   bytes under a mask, with strides between blocks of 32 bytes and between repeats. */
#ifndef NPU_LANES_H
#define NPU_LANES_H
#include "npu/npu.h"

enum { NPU_MAX_OPERANDS = 4, NPU_MAX_LANES = 256 };
typedef struct {
    int64_t addr;
    dtype dt;
    int64_t blk, rep; /* strides in blocks */
} npu_operand;

/* Strides are 16 bits wide, which also keeps what is addressed inside of its memory's numbers. */
static inline int64_t npu_stride(int64_t blocks) { return blocks & 0xffff; }

/* n elements: d = f(s[0], s[1], ...); the scalar is x. No operand overlaps d but to be d. */
typedef void npu_loop(void *d, const void *const *s, const npu_arg *x, int64_t n);

typedef struct {
    npu_operand o[NPU_MAX_OPERANDS]; /* o[0]: dst */
    int n;
    bool reads_dst; /* s[n - 1] is what dst was */
    npu_loop *loop;
    const npu_arg *scalar;
} npu_vector;

/* What runs: how often, and which lanes; of the last repeat perhaps only the first ones. */
typedef struct {
    int64_t repeats;
    int lanes, tail;
    bool all; /* lanes of this repeat are on */
    uint8_t on[NPU_MAX_LANES];
} npu_steps;
/* mask: of kind int (how many lanes), or bits; both go into the mask registers. NULL or absent: as
   the registers are. With set_mask_count the mask counts elements, and repeats do not matter. */
void npu_steps_mask(npu_core *c, npu_steps *s, const npu_arg *mask, int lanes, int64_t repeats);
void npu_steps_count(npu_steps *s, int lanes, int64_t count);
/* Before each repeat, in order. */
void npu_steps_next(npu_steps *s, int64_t repeat);
/* The mask that is meant: NULL where is_set_mask=False was given. */
const npu_arg *npu_mask_given(const npu_arg *mask, const npu_arg *is_set_mask);
/* After a count form: it leaves all lanes on, and masks that name lanes. */
void npu_mask_reset(npu_core *c);

/* A repeat's lanes of an operand in one piece: where they are, or copied to tmp. */
const void *npu_lanes_in(npu_core *c, const npu_operand *o, int64_t rep, int lanes, void *tmp);
void npu_lanes_out(npu_core *c, const npu_operand *o, int64_t rep, const npu_steps *s,
                   const uint8_t *from);

/* Elements from the operands' addresses on. */
void npu_count(npu_core *c, const npu_vector *v, int64_t count);
void npu_repeat(npu_core *c, const npu_vector *v, const npu_arg *mask, int64_t repeats);
/* Lanes of a repeat: 256 bytes of the widest operand. */
int npu_lanes_of(const npu_vector *v);

/* Dense operands: tensors a[0..n), n of them, each with a repeat stride of 8 blocks. */
void npu_operands(npu_vector *v, const npu_arg *a, int n);
/* What stands behind the tensors (and a scalar before at): the count form, or mask, repeats and an
   object of strides; then is_set_mask, where the row has it. */
void npu_run_form(npu_core *c, npu_vector *v, const npu_arg *a, int form, int at);
#endif
