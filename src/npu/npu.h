/* The model of an AI core: its memories and registers, and one function per row of base/asc.def.
   Compiled kernels call pyasc_npu for each operation. What a kernel addresses wrongly never leaves
   the model's memories: reads beyond them give zeros, writes are dropped. */
#ifndef NPU_NPU_H
#define NPU_NPU_H
#include "base/dtype.h"
#include <stddef.h>
#include <stdint.h>

/* Addresses are numbers: which memory, and the byte in it. The bias lets an address before the
   first byte stay in its memory, where it is out of range. Below 2**48: an address of the host. */
enum { NPU_GM_HOST, NPU_UB, NPU_L1, NPU_L0A, NPU_L0B, NPU_L0C, NPU_BIAS, NPU_FIXBUF, NPU_ARG = 16 };
enum { NPU_LOCALS = NPU_FIXBUF + 1, NPU_MAX_ARGS = 64 };
#define NPU_BIAS_BYTES (INT64_C(1) << 47)
static inline int64_t npu_addr(int space, int64_t byte) {
    return ((int64_t)space << 48) + NPU_BIAS_BYTES + byte;
}
static inline int npu_space(int64_t a) { return (int)((uint64_t)a >> 48); }
static inline int64_t npu_byte(int64_t a) {
    return (a & ((INT64_C(1) << 48) - 1)) - (npu_space(a) ? NPU_BIAS_BYTES : 0);
}

/* What an operation is called with. The front end writes one tag per parameter, and its numbers. */
typedef enum {
    NPU_absent,
    NPU_int,    /* v[0] */
    NPU_float,  /* f */
    NPU_local,  /* v: address, elements; dt; sub: n dimensions of its ShapeInfo */
    NPU_global, /* the same */
    NPU_address,
    NPU_bits,   /* v: low and high 64 bits of a mask */
    NPU_dtype,  /* dt */
    NPU_list,   /* n arguments follow: the fields of an object too */
    NPU_buffer, /* an array of the kernel's: v: address in the host, bytes; dt */
    NPU_number, /* int or float: only the types know, so the target writes which */
} npu_kind;
/* How many values stand behind a tag; of a buffer the array itself. */
static inline int npu_values(int64_t tag) {
    switch ((npu_kind)(tag & 255)) {
    case NPU_int:
    case NPU_float:
    case NPU_address:
    case NPU_buffer:
    case NPU_number: return 1;
    case NPU_bits: return 2;
    case NPU_local:
    case NPU_global: return 2 + (int)(tag >> 16);
    default: return 0;
    }
}
#define NPU_TAG(kind, dt, n) ((int64_t)(kind) | (int64_t)(dt) << 8 | (int64_t)(n) << 16)

typedef struct npu_arg {
    npu_kind kind;
    dtype dt;
    uint32_t n;
    int64_t v[2];
    double f;
    const struct npu_arg *sub; /* of a list, or a shape's dimensions */
} npu_arg;

typedef struct {
    uint8_t *at;
    int64_t bytes;
} npu_memory;

typedef struct {
    bool taken, queued;
    int64_t addr, bytes;
} npu_buffer;
enum { NPU_MAX_BUFFERS = 64, NPU_MAX_QUEUES = 96 };
typedef struct {
    int pos, depth, nbuf;
    int64_t used; /* of a pool: bytes given out */
    npu_buffer buf[NPU_MAX_BUFFERS];
    int fifo[NPU_MAX_BUFFERS]; /* numbers of buffers, oldest first */
    int nfifo;
} npu_queue;

typedef struct {
    int64_t site, addr, bytes;
} npu_auto_tensor;
enum { NPU_MAX_AUTOS = 64 };

typedef struct {
    int64_t data; /* of a list */
    int64_t dims, index, shape[8], pointer;
} npu_list_desc;
enum { NPU_MAX_LISTS = 64 };

typedef struct npu_core {
    int64_t block, blocks;
    npu_memory local[NPU_LOCALS], arg[NPU_MAX_ARGS];
    int nargs;
    int64_t used[NPU_LOCALS];    /* bytes from the start that were touched */
    int64_t line;                /* of the operation that runs */
    int64_t len;                 /* bytes of the tensor last given */
    int64_t free_at[NPU_LOCALS]; /* TPipe: the next free byte */
    npu_queue queue[NPU_MAX_QUEUES];
    int nqueues;
    npu_auto_tensor autos[NPU_MAX_AUTOS];
    int nautos;
    npu_list_desc list[NPU_MAX_LISTS];
    int64_t nlists;
    uint64_t mask[2];        /* set_vector_mask */
    bool counter;            /* set_mask_count: mask[0] is a count */
    double deq_scale;        /* set_deq_scale: of int32 to float16 */
    uint64_t deq_word;       /* set_deq_scale: of cast_deq, see deq.c */
    int64_t deq_at;          /* set_deq_scale: where 16 such words are */
    uint64_t cmp[2];         /* the CMPMASK register */
    int64_t address[2 + 16]; /* set_hccl_context, then set_sys_workspace at the end */
    uint8_t events[64];      /* of each kind: the numbers that are taken, a bit each */
} npu_core;

/* Code that tells apart what shares a function. */
#include "npu/adv.h"
#include "npu/reduce.h"
#include "npu/vec.h"

typedef int64_t npu_run(npu_core *c, const npu_arg *a, int form, int code);
#define ASC(name, unit, result, run, code, forms, doc) npu_run npu_##run;
#include "base/asc.def"
#undef ASC

/* core.c: of bytes at an address: where they are, and how many are there (at most n); NULL and 0
   when the address is out of range. */
uint8_t *npu_at(npu_core *c, int64_t addr, int64_t n, int64_t *there);
void npu_read(npu_core *c, int64_t addr, void *out, int64_t n); /* zeros beyond the end */
void npu_write(npu_core *c, int64_t addr, const void *in, int64_t n);
int64_t npu_field(const npu_arg *list, uint32_t i); /* of an object: an integer */
double npu_field_float(const npu_arg *list, uint32_t i);
static inline double npu_number(const npu_arg *a) {
    return a->kind == NPU_float ? a->f : (double)a->v[0];
}
static inline int64_t npu_int_of(const npu_arg *a, int64_t otherwise) {
    return a->kind == NPU_int ? a->v[0] : a->kind == NPU_float ? (int64_t)a->f : otherwise;
}
void npu_move(npu_core *c, int64_t to, int64_t from, int64_t bytes); /* move.c */
/* scalars: bytes of dtype dt to a number and back, rounded to nearest even, wrapped */
double npu_load_float(dtype dt, const void *p);
int64_t npu_load_int(dtype dt, const void *p);
void npu_store(dtype dt, void *p, const npu_arg *x);

/* Called by compiled code: tags has row, form and number of parameters, line, then the tags. */
int64_t pyasc_npu(const int64_t *tags, const int64_t *values);
#endif
