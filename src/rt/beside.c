/* Parallel bodies, tasks, pipelines and polls of a running kernel, over the pool. */
#include "rt/beside.h"
#include "rt/pool.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct {
    rt_body body;
    const int64_t *args;
    rt_launch *launch;
    const int64_t *env;
} call;

static void run_call(void *ctx, int64_t first, int64_t end, char *scratch) {
    const call *c = ctx;
    c->body(c->args, c->launch, first, end, scratch, c->env);
}

static rt_range range_of(rt_launch *l, int64_t chunk, const void *kind) {
    return (rt_range){(size_t)l->scratch, l->max_threads, chunk, kind, l};
}

void pyasc_parallel(rt_body body, const int64_t *args, rt_launch *l, int64_t n,
                    const int64_t *env) {
    call c = {body, args, l, env};
    rt_range how = range_of(l, 0, (const void *)(intptr_t)body);
    if (rt_pool_for(run_call, &c, n, &how))
        atomic_store(&l->stop, RT_NO_MEMORY);
}

static void run_task(void *ctx, int64_t first, int64_t end, char *scratch) {
    const call *c = ctx;
    c->body(c->args, c->launch, first, end, scratch, (const int64_t *)(c + 1));
}

void pyasc_task(rt_body body, const int64_t *args, rt_launch *l, int64_t words,
                const int64_t *env) {
    size_t bytes = sizeof(call) + (size_t)words * sizeof *env;
    rt_tasks *g = atomic_load(&l->tasks);
    if (!g) {
        rt_tasks *mine = rt_tasks_new((size_t)l->scratch, l);
        if (mine && !atomic_compare_exchange_strong(&l->tasks, &g, mine))
            rt_tasks_free(mine);
        else
            g = mine;
    }
    call *c = malloc(bytes);
    if (c) {
        *c = (call){body, args, l, NULL};
        memcpy(c + 1, env, (size_t)words * sizeof *env);
    }
    if (!g || !c || rt_tasks_add(g, run_task, c, bytes))
        atomic_store(&l->stop, RT_NO_MEMORY);
    free(c);
}

void pyasc_sync(rt_launch *l) {
    rt_tasks *g = atomic_load(&l->tasks);
    if (g)
        rt_tasks_sync(g);
}

/* A pipeline's state: stage s has begun and ended so many items; one at a time is in a stage. */
typedef struct {
    const rt_body *stages;
    const int64_t *const *envs;
    const int64_t *args;
    rt_launch *launch;
    int64_t n, nstages;
    int64_t *begun, *ended;
    pthread_mutex_t lock;
    pthread_cond_t moved;
} pipe_state;

/* The last stage that can go on, so that items leave the pipeline; -1: none can now. */
static int64_t ready(const pipe_state *p) {
    for (int64_t s = p->nstages - 1; s >= 0; s--) {
        int64_t arrived = s ? p->ended[s - 1] : p->n;
        if (p->begun[s] == p->ended[s] && p->begun[s] < arrived)
            return s;
    }
    return -1;
}

/* Until an item has moved. The launching thread asks for signals meanwhile: another may be in a
   stage for long. */
static void wait_moved(pipe_state *p) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 30000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    if (pthread_cond_timedwait(&p->moved, &p->lock, &t) != ETIMEDOUT)
        return;
    pthread_mutex_unlock(&p->lock);
    rt_stopped(p->launch);
    pthread_mutex_lock(&p->lock);
}

static void run_pipeline(void *ctx, int64_t first, int64_t end, char *scratch) {
    pipe_state *p = ctx;
    (void)first, (void)end;
    pthread_mutex_lock(&p->lock);
    while (p->ended[p->nstages - 1] < p->n && !rt_stopped(p->launch)) {
        int64_t s = ready(p);
        if (s < 0) {
            if (p->begun[p->nstages - 1] == p->n)
                break; /* the last item is in the last stage */
            wait_moved(p);
            continue;
        }
        int64_t item = p->begun[s]++;
        pthread_mutex_unlock(&p->lock);
        p->stages[s](p->args, p->launch, item, item + 1, scratch, p->envs[s]);
        pthread_mutex_lock(&p->lock);
        p->ended[s]++;
        pthread_cond_broadcast(&p->moved);
    }
    pthread_cond_broadcast(&p->moved);
    pthread_mutex_unlock(&p->lock);
}

void pyasc_pipeline(const rt_body *stages, int64_t nstages, const int64_t *args, rt_launch *l,
                    int64_t n, const int64_t *const *envs) {
    int64_t *counts = calloc((size_t)nstages * 2, sizeof *counts);
    pipe_state p = {.stages = stages,
                    .envs = envs,
                    .args = args,
                    .launch = l,
                    .n = n,
                    .nstages = nstages,
                    .begun = counts,
                    .ended = counts + nstages,
                    .lock = PTHREAD_MUTEX_INITIALIZER,
                    .moved = PTHREAD_COND_INITIALIZER};
    int threads = rt_pool_threads();
    rt_range how = range_of(l, 1, NULL);
    if (n > 0 &&
        (!counts || rt_pool_for(run_pipeline, &p, threads < nstages ? threads : nstages, &how)))
        atomic_store(&l->stop, RT_NO_MEMORY);
    pthread_cond_destroy(&p.moved);
    pthread_mutex_destroy(&p.lock);
    free(counts);
}

int64_t pyasc_pause(rt_launch *l) {
    sched_yield();
    return rt_stopped(l);
}

/* Aims at a poll every millisecond or so: more credit while polls come faster, but not so much that
   a loop of long rounds behind one of short ones goes on for ever. */
int64_t pyasc_poll(rt_launch *l, int64_t granted) {
    enum { MOST = 1024 };
    static _Thread_local struct timespec last;
    struct timespec t;
    if (rt_stopped(l))
        return 0;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t); /* its tick, 1 to 4 ms, is near what is aimed at */
    int64_t ns = (t.tv_sec - last.tv_sec) * 1000000000 + t.tv_nsec - last.tv_nsec;
    last = t;
    if (ns > 2000000)
        return granted > 1 ? granted / 2 : 1;
    return granted < MOST ? 2 * granted : MOST;
}
