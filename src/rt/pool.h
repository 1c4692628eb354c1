/* The thread pool. Work is a range cut into pieces that are handed out as threads come for them;
   several ranges may be open at once, from several callers or one inside another: a caller works on
   its own range and then waits only for pieces that others are running, so nothing waits in a
   circle and there are never more threads than the pool has, beside the callers. Threads start at
   first need; a child of fork makes its own. */
#ifndef RT_POOL_H
#define RT_POOL_H
#include "rt/kernel.h"

int rt_pool_threads(void); /* as given to rt_pool_limit, else the CPUs this process may use */
void rt_pool_limit(int n); /* 0: default */

typedef void (*rt_work)(void *ctx, int64_t first, int64_t end, char *scratch);
typedef struct {
    size_t scratch;    /* bytes, 64-byte aligned, for each thread; not zeroed */
    int max_threads;   /* 0: no limit */
    int64_t chunk;     /* 0: by the measured cost; else pieces of this size, and no measuring */
    const void *kind;  /* NULL, or what tells this work from other work */
    rt_launch *launch; /* NULL, or whose stop ends the range early and whose poll is asked */
} rt_range;
/* Runs work over [0, n). 0, or -1 when memory ran out (nothing ran). */
int rt_pool_for(rt_work work, void *ctx, int64_t n, const rt_range *how);

/* A kernel's blocks. */
int rt_pool_run(rt_entry entry, const int64_t *args, rt_launch *l, int64_t nblocks, size_t scratch,
                int max_threads);

/* Tasks: each runs once, on any thread, at the latest in rt_tasks_sync. */
typedef struct rt_tasks rt_tasks;
rt_tasks *rt_tasks_new(size_t scratch, rt_launch *l); /* l: as in rt_range. NULL: no memory */
int rt_tasks_add(rt_tasks *g, rt_work work, const void *ctx,
                 size_t bytes); /* ctx is copied; -1: no memory */
void rt_tasks_sync(rt_tasks *g);
void rt_tasks_free(rt_tasks *g); /* after a sync */

/* Has the launch been told to stop? Asks launch->poll now and then, on the thread that launched. */
int rt_stopped(rt_launch *l);
#endif
