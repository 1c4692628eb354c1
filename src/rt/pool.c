/* One job at a time uses the workers; a caller that finds them busy, or is itself a worker, runs
   its blocks alone. The pool is the process's: threads are too dear to have one per kernel. A child
   of fork starts with none. */
#include "rt/pool.h"
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_THREADS = 256 };
typedef struct {
    rt_entry entry;
    const int64_t *args;
    const rt_launch *launch;
    int64_t nblocks, chunk;
    size_t scratch;
    atomic_llong next;
    atomic_int failed;
} job;

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    job *job;
    unsigned long generation;
    int started, running, wanted;
    int limit;
} pool = {PTHREAD_MUTEX_INITIALIZER,
          PTHREAD_COND_INITIALIZER,
          PTHREAD_COND_INITIALIZER,
          NULL,
          0,
          0,
          0,
          0,
          0};
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* who may use the workers */
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t scratch_key;
static _Thread_local int inside;
static _Thread_local struct {
    char *p;
    size_t size;
} own;

static void after_fork(void) {
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.work, NULL);
    pthread_cond_init(&pool.done, NULL);
    pthread_mutex_init(&turn, NULL);
    pool.started = pool.running = pool.wanted = 0;
    pool.job = NULL;
}

static void init(void) {
    pthread_key_create(&scratch_key, free);
    pthread_atfork(NULL, NULL, after_fork);
}

static char *scratch_of(size_t size) {
    if (own.size >= size)
        return own.p;
    char *p = aligned_alloc(64, (size + 4095) & ~(size_t)4095);
    if (!p)
        return NULL;
    free(own.p);
    own.p = p;
    own.size = size;
    pthread_setspecific(scratch_key, p);
    return p;
}

void rt_pool_limit(int n) { pool.limit = n; }

int rt_pool_threads(void) {
    if (pool.limit > 0)
        return pool.limit < MAX_THREADS ? pool.limit : MAX_THREADS;
    cpu_set_t set;
    int n = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
    return n < 1 ? 1 : n < MAX_THREADS ? n : MAX_THREADS;
}

static void chunks(job *j, char *scratch) {
    for (;;) {
        int64_t first = atomic_fetch_add(&j->next, j->chunk);
        if (first >= j->nblocks)
            return;
        int64_t end = first + j->chunk < j->nblocks ? first + j->chunk : j->nblocks;
        j->entry(j->args, j->launch, first, end, scratch);
    }
}

static void *worker(void *arg) {
    unsigned long seen = (unsigned long)(uintptr_t)arg;
    inside = 1;
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        while (pool.generation == seen || !pool.job || !pool.wanted) {
            if (pool.generation != seen && (!pool.job || !pool.wanted))
                seen = pool.generation;
            pthread_cond_wait(&pool.work, &pool.lock);
        }
        seen = pool.generation;
        pool.wanted--;
        pool.running++;
        job *j = pool.job;
        pthread_mutex_unlock(&pool.lock);
        char *scratch = scratch_of(j->scratch + 64);
        if (scratch)
            chunks(j, scratch);
        pthread_mutex_lock(&pool.lock);
        if (--pool.running == 0)
            pthread_cond_signal(&pool.done);
    }
    return NULL;
}

static void wake(job *j, int helpers) {
    pthread_mutex_lock(&pool.lock);
    pool.job = j;
    pool.wanted = helpers;
    unsigned long before = pool.generation++;
    while (pool.started < helpers) {
        pthread_t t;
        if (pthread_create(&t, NULL, worker, (void *)(uintptr_t)before))
            break;
        pthread_detach(t);
        pool.started++;
    }
    pthread_cond_broadcast(&pool.work);
    pthread_mutex_unlock(&pool.lock);
}

static void join(void) {
    pthread_mutex_lock(&pool.lock);
    pool.job = NULL;
    pool.wanted = 0;
    while (pool.running)
        pthread_cond_wait(&pool.done, &pool.lock);
    pthread_mutex_unlock(&pool.lock);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs a first piece alone to learn what a block costs. Returns the seconds that one block takes.
 */
static double sample(job *j, char *scratch, int64_t *done) {
    double start = now(), spent = 0;
    for (int64_t n = 1; *done < j->nblocks && spent < 5e-6; n *= 2) {
        int64_t end = *done + n < j->nblocks ? *done + n : j->nblocks;
        j->entry(j->args, j->launch, *done, end, scratch);
        *done = end;
        spent = now() - start;
    }
    return spent / (double)*done;
}

int rt_pool_run(rt_entry entry, const int64_t *args, const rt_launch *l, int64_t nblocks,
                size_t size, int max_threads) {
    pthread_once(&once, init);
    char *scratch = scratch_of(size + 64);
    if (!scratch)
        return -1;
    if (nblocks <= 0)
        return 0;
    int threads = rt_pool_threads();
    if (max_threads > 0 && max_threads < threads)
        threads = max_threads;
    if (nblocks == 1 || threads < 2 || inside || pthread_mutex_trylock(&turn)) {
        entry(args, l, 0, nblocks, scratch);
        return 0;
    }
    job j = {.entry = entry, .args = args, .launch = l, .nblocks = nblocks, .scratch = size};
    int64_t done = 0;
    inside = 1;
    double each = sample(&j, scratch, &done), left = each * (double)(nblocks - done);
    if (left < 30e-6)
        entry(args, l, done, nblocks, scratch);
    else {
        double want = 100e-6 / each;
        int64_t share = (nblocks - done) / (4 * threads);
        j.chunk = share < 1 ? 1 : want < 1 ? 1 : want < (double)share ? (int64_t)want : share;
        atomic_store(&j.next, done);
        wake(&j, threads - 1);
        chunks(&j, scratch);
        join();
    }
    inside = 0;
    pthread_mutex_unlock(&turn);
    return 0;
}
