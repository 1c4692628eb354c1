/* The thread pool: dynamic chunks of blocks. Threads start at first need; fork-safe (a child makes
   its own). Several Python threads may run at once; nested runs are serial. The caller starts at
   once and wakes workers only when what is left is worth it (measured on the first chunks). */
#ifndef RT_POOL_H
#define RT_POOL_H
#include "rt/kernel.h"
int rt_pool_threads(
    void); /* PYASC_NUM_THREADS as given to rt_pool_limit, else the CPUs this process may use */
void rt_pool_limit(int n); /* 0: default */
/* Runs entry over blocks [0, nblocks); each thread gets its own 64-byte aligned scratch of
   `scratch` bytes (not zeroed). 0, or -1 when memory ran out (nothing ran). */
int rt_pool_run(rt_entry entry, const int64_t *args, const rt_launch *l, int64_t nblocks,
                size_t scratch, int max_threads);
#endif
