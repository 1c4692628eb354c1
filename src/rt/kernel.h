/* What a compiled kernel is to the launcher: entry point and facts. The machine code's interface:
     void kernel(const int64_t *args, const rt_launch *l, int64_t first_block, int64_t end_block,
   char *scratch) args: per IR argument in order, a scalar is one slot (integers and bools as int64,
   f32 and f64 and wflt as a double's bits), a tensor is 1 + 2 * rank: address, extents, strides in
   bytes. Kernels that are not simt get blocks [0, 1). */
#ifndef RT_KERNEL_H
#define RT_KERNEL_H
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int64_t n[3];     /* work-items of the domain; dim 0 varies fastest */
    int64_t block[3]; /* nominal work-items of a block */
    int64_t nblk[3];  /* blocks */
    void *ctx;        /* handed to print */
    void (*print)(void *ctx, int64_t slot, int64_t n,
                  const int64_t *values); /* values: as args' scalars */
    int64_t scratch;                      /* bytes of a thread's scratch */
    int max_threads;                      /* for parallel bodies; 0: no limit */
    atomic_int stop;             /* not 0: end as soon as you can; RT_NO_MEMORY: for want of it */
    pthread_t thread;            /* that launched */
    int (*poll)(void *poll_ctx); /* asked on that thread now and then: shall it stop? May be NULL */
    void *poll_ctx;
    atomic_llong done;                /* blocks that have run */
    _Atomic(struct rt_tasks *) tasks; /* started by the kernel, or NULL */
    struct rt_raised *raised;         /* the exception, rt/raise.h; NULL: none can be raised */
    uint64_t shape; /* launches of the same kernel with the same number here cost alike */
} rt_launch;
enum { RT_STOPPED = 1, RT_NO_MEMORY = 2 };

typedef void (*rt_entry)(const int64_t *args, const rt_launch *l, int64_t first, int64_t end,
                         char *scratch);

typedef struct {
    int32_t arg, dim, axis, weight;
} rt_extent;
typedef struct {
    int32_t arg, axis;
    uint32_t site;
    int64_t c[3], k;
} rt_bound;

enum { RT_MAX_EXTENT = 64, RT_MAX_BOUND = 128, RT_MAX_ARG = 64 };
typedef struct {
    int32_t simt, width, serial, whole, flat; /* serial: one thread; whole: one block; flat: block
                                          shape is not observable, the runtime may choose it */
    int32_t loops;                            /* a work-item may be long */
    int32_t brief;                            /* its ops where it cannot: each runs once, and none
                                                 waits; else 0 */
    int32_t together;                         /* its cores wait for each other */
    int32_t pairs;                            /* two blocks run for each one asked for */
    int32_t strip;                            /* work-items along dim 0 that go best together */
    int32_t tiled;                            /* 0, or good for the shape of block that it was
                                                 compiled for alone; 2: which no longer shows */
    int32_t blocks;                      /* there is other code for other sizes of block; 2: the
                                            runtime's own is 16 x 16; else 0 */
    int32_t races;                       /* accesses are told to the race checker */
    int32_t nextent, nbound, ndim, dims; /* dims: bit per dim whose id the kernel asks for */
    int64_t scratch, scratch_item; /* bytes per thread: fixed + per work-item of a block (rounded up
                                      to 64 items) */
    int32_t apart[RT_MAX_ARG];     /* per IR argument: see ana/apart.h */
    uint64_t written;              /* bit per IR argument: a tensor that is stored to */
    rt_extent extent[RT_MAX_EXTENT];
    rt_bound bound[RT_MAX_BOUND];
} rt_meta;
#endif
