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

/* n elements: d = f(s[0], s[1], ...); the scalar is x. No operand overlaps d but to be d. */
typedef void npu_loop(void *d, const void *const *s, const npu_arg *x, int64_t n);

typedef struct {
    npu_operand o[NPU_MAX_OPERANDS]; /* o[0]: dst */
    int n;
    bool reads_dst; /* s[n - 1] is what dst was */
    npu_loop *loop;
    const npu_arg *scalar;
} npu_vector;

/* Elements from the operands' addresses on. */
void npu_count(npu_core *c, const npu_vector *v, int64_t count);
/* mask: of kind int (how many lanes), bits, or absent: all. */
void npu_repeat(npu_core *c, const npu_vector *v, const npu_arg *mask, int64_t repeats);
/* Lanes of a repeat: 256 bytes of the widest operand. */
int npu_lanes_of(const npu_vector *v);
/* The mask's bit of each lane, as a byte; true: all are set. */
bool npu_mask(const npu_core *c, const npu_arg *mask, int lanes, uint8_t *on);
#endif
