/* See pool.h. One lock guards the list of open ranges; the pieces of a range are taken with an
   atomic counter. The pool is the process's: threads are too dear to have one per kernel. */
#include "rt/pool.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_THREADS = 256, MAX_DEPTH = 16 };
typedef struct job {
    rt_work work;
    void *ctx;
    int64_t n, chunk;
    const rt_range *how;
    int64_t begin;            /* where the pieces begin */
    atomic_llong taken, back; /* pieces given out, and those from the back */
    atomic_int running;       /* helpers in it */
    int wanted;               /* how many more it wants */
    rt_tasks *group;          /* a task: the job is the group's memory */
    int cpu;                  /* on which the owner runs, if it is no helper; -1 */
    struct job *prev, *after;
} job;

struct rt_tasks {
    rt_range how;
    int64_t left; /* not ended yet; under the pool's lock */
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    job *first, *last;
    int started, idle;
    int limit;
    atomic_int spinning;  /* threads that look for work without sleeping */
    atomic_uint appended; /* jobs so far: what they look at */
} pool = {PTHREAD_MUTEX_INITIALIZER,
          PTHREAD_COND_INITIALIZER,
          PTHREAD_COND_INITIALIZER,
          NULL,
          NULL,
          0,
          0,
          0,
          0,
          0};
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t scratch_key;
/* Scratch by depth of nesting: an outer range's is in use while an inner one runs. */
static _Thread_local struct {
    char *p;
    size_t size;
} own[MAX_DEPTH];
static _Thread_local int depth;

static void free_scratch(void *unused) {
    (void)unused;
    for (int i = 0; i < MAX_DEPTH; i++) {
        free(own[i].p);
        own[i].p = NULL;
        own[i].size = 0;
    }
}

static void after_fork(void) {
    pthread_mutex_init(&pool.lock, NULL);
    pthread_cond_init(&pool.work, NULL);
    pthread_cond_init(&pool.done, NULL);
    pool.started = pool.idle = 0;
    atomic_store(&pool.spinning, 0);
    pool.first = pool.last = NULL;
}

static void init(void) {
    pthread_key_create(&scratch_key, free_scratch);
    pthread_atfork(NULL, NULL, after_fork);
}

static char *scratch_of(size_t size) {
    if (depth >= MAX_DEPTH)
        return NULL;
    if (own[depth].size >= size)
        return own[depth].p;
    char *p = aligned_alloc(64, (size + 4095) & ~(size_t)4095);
    if (!p)
        return NULL;
    free(own[depth].p);
    own[depth].p = p;
    own[depth].size = size;
    pthread_setspecific(scratch_key, &pool);
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

/* To the kernel's tick, some milliseconds: for what is due every tens of them, at a fifth of the
   price. */
static double about_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int rt_stopped(rt_launch *l) {
    static _Thread_local double last;
    if (!l)
        return 0;
    if (l->poll && pthread_equal(l->thread, pthread_self())) {
        double t = about_now();
        if (t - last > 0.03) {
            last = t;
            if (l->poll(l->poll_ctx))
                atomic_store_explicit(&l->stop, 1, memory_order_relaxed);
        }
    }
    return atomic_load_explicit(&l->stop, memory_order_relaxed);
}

/* The list; under the lock. */
static void append(job *j) {
    j->prev = pool.last;
    j->after = NULL;
    if (pool.last)
        pool.last->after = j;
    else
        pool.first = j;
    pool.last = j;
    atomic_fetch_add(&pool.appended, 1);
}
static void unlink_job(job *j) {
    if (j->prev)
        j->prev->after = j->after;
    else
        pool.first = j->after;
    if (j->after)
        j->after->prev = j->prev;
    else
        pool.last = j->prev;
    j->prev = j->after = NULL;
}

/* The owner takes pieces from the front and helpers from the back, so that each goes through
   memory in order as far as can be. */
static void pieces(job *j, char *scratch, bool owner) {
    int64_t all = (j->n - j->begin + j->chunk - 1) / j->chunk;
    for (int64_t mine = 0;; mine++) {
        if (atomic_fetch_add(&j->taken, 1) >= all || rt_stopped(j->how->launch))
            return;
        int64_t k = owner ? mine : all - 1 - atomic_fetch_add(&j->back, 1);
        int64_t first = j->begin + k * j->chunk;
        int64_t end = first + j->chunk < j->n ? first + j->chunk : j->n;
        j->work(j->ctx, first, end, scratch);
    }
}

/* Runs a task that is off the list, without the lock; takes it again. */
static void run_task(job *j) {
    char *scratch = scratch_of(j->how->scratch + 64);
    pthread_mutex_unlock(&pool.lock);
    depth++;
    if (!scratch && j->how->launch)
        atomic_store(&j->how->launch->stop, RT_NO_MEMORY);
    else if (!rt_stopped(j->how->launch))
        j->work(j->ctx, 0, 1, scratch);
    depth--;
    pthread_mutex_lock(&pool.lock);
    j->group->left--;
    free(j);
    pthread_cond_broadcast(&pool.done);
}

static bool open_work(const job *j) {
    return j->group ||
           (j->wanted > 0 && atomic_load(&((job *)j)->taken) * j->chunk < j->n - j->begin);
}

static _Thread_local bool is_helper;

/* From here on this thread does not run on the owner's processor. The kernel may wake a helper
   there, beside an owner that does not stop to wait, and moves it only milliseconds later. */
static void keep_off(int cpu) {
    static _Thread_local int off = -1;
    static _Thread_local cpu_set_t all;
    if (cpu < 0 || cpu == off || cpu >= CPU_SETSIZE)
        return;
    if (off < 0 && sched_getaffinity(0, sizeof all, &all))
        return;
    cpu_set_t rest = all;
    CPU_CLR(cpu, &rest);
    off = cpu;
    if (CPU_COUNT(&rest))
        sched_setaffinity(0, sizeof rest, &rest);
}

static void help(job *j) {
    if (j->group) {
        unlink_job(j);
        run_task(j);
        return;
    }
    j->wanted--;
    atomic_fetch_add(&j->running, 1);
    pthread_mutex_unlock(&pool.lock);
    keep_off(j->cpu);
    char *scratch = scratch_of(j->how->scratch + 64);
    depth++;
    if (scratch)
        pieces(j, scratch, false);
    depth--;
    pthread_mutex_lock(&pool.lock);
    if (atomic_fetch_sub(&j->running, 1) == 1) /* the last touch of j: its owner may look */
        pthread_cond_broadcast(&pool.done);
}

static void relax(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* The next launch often follows within microseconds, and waking a thread takes as long as many of
   them: look for SPIN seconds before sleeping. Without the lock. */
static const double SPIN = 60e-6;
static void look(unsigned seen) {
    double start = now();
    atomic_fetch_add(&pool.spinning, 1);
    do
        for (int i = 0; i < 50 && atomic_load(&pool.appended) == seen; i++)
            relax();
    while (atomic_load(&pool.appended) == seen && now() - start < SPIN);
    atomic_fetch_sub(&pool.spinning, 1);
}

static void *worker(void *unused) {
    (void)unused;
    is_helper = true;
    bool fresh = false; /* awake, and has not looked for more yet */
    pthread_mutex_lock(&pool.lock);
    for (;;) {
        job *j = pool.first;
        while (j && !open_work(j))
            j = j->after;
        if (j) {
            help(j);
            fresh = true;
        } else if (fresh) {
            unsigned seen = atomic_load(&pool.appended);
            pthread_mutex_unlock(&pool.lock);
            look(seen);
            pthread_mutex_lock(&pool.lock);
            fresh = atomic_load(&pool.appended) != seen;
        } else {
            pool.idle++;
            pthread_cond_wait(&pool.work, &pool.lock);
            pool.idle--;
            fresh = true; /* come too late for this one, perhaps */
        }
    }
    return NULL;
}

/* Under the lock: one more job is open, for up to n helpers. */
static void wake(int n) {
    n -= atomic_load(&pool.spinning);
    while (n > 0 && pool.idle < n && pool.started < rt_pool_threads() - 1) {
        pthread_t t;
        if (pthread_create(&t, NULL, worker, NULL))
            break;
        pthread_detach(t);
        pool.started++;
        n--;
    }
    if (n == 1)
        pthread_cond_signal(&pool.work);
    else if (n > 1)
        pthread_cond_broadcast(&pool.work);
}

/* Waits for `done`, polling the launch. Under the lock. */
static void wait_done(rt_launch *l) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 50000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    if (pthread_cond_timedwait(&pool.done, &pool.lock, &t) != ETIMEDOUT || !l)
        return;
    pthread_mutex_unlock(&pool.lock);
    rt_stopped(l);
    pthread_mutex_lock(&pool.lock);
}

static void share(job *j, int helpers, char *scratch) {
    j->wanted = helpers;
    j->cpu = is_helper ? -1 : sched_getcpu();
    pthread_mutex_lock(&pool.lock);
    append(j);
    wake(helpers);
    pthread_mutex_unlock(&pool.lock);
    pieces(j, scratch, true);
    pthread_mutex_lock(&pool.lock);
    unlink_job(j);
    pthread_mutex_unlock(&pool.lock);
    double start = now();
    while (atomic_load(&j->running) && now() - start < SPIN)
        relax();
    if (!atomic_load(&j->running))
        return;
    pthread_mutex_lock(&pool.lock);
    while (atomic_load(&j->running))
        wait_done(j->how->launch);
    pthread_mutex_unlock(&pool.lock);
}

/* Runs a first part alone to learn what an element costs. Returns the seconds that one takes. Each
   look at the clock costs as much as a small element: with what it cost the last time, one is
   mostly enough. */
static double sample(job *j, double known, char *scratch, int64_t *done) {
    double start = now(), spent = 0, whole = known * (double)j->n;
    int64_t n = known > 0 && whole < 2e-6 ? j->n : 1;
    for (; *done < j->n && spent < 2e-6; n *= 2) {
        int64_t end = n < j->n - *done ? *done + n : j->n;
        j->work(j->ctx, *done, end, scratch);
        *done = end;
        spent = now() - start;
    }
    return spent / (double)*done;
}

/* What an element of work of a kind, over arguments of such shapes, cost when it was last run on
   this thread: 0 at first. */
static double *cost_of(const rt_range *how) {
    enum { N = 64 };
    static _Thread_local struct {
        const void *kind;
        uint64_t shape;
        double cost;
    } known[N];
    const void *kind = how->kind;
    uint64_t shape = how->launch ? how->launch->shape : 0;
    size_t i = ((uintptr_t)kind >> 4 ^ (uintptr_t)kind >> 12 ^ shape >> 58) % N;
    if (known[i].kind != kind || known[i].shape != shape) {
        known[i].kind = kind;
        known[i].shape = shape;
        known[i].cost = 0;
    }
    return &known[i].cost;
}

/* Waking a thread costs about 30 microseconds, telling one that is looking a few. */
static bool worth_sharing(double seconds) {
    return seconds >= (atomic_load(&pool.spinning) ? 8e-6 : 30e-6);
}

/* How many threads how allows: a system call. */
static int threads_for(const rt_range *how) {
    int n = rt_pool_threads();
    return how->max_threads > 0 && how->max_threads < n ? how->max_threads : n;
}

static void measured(job *j, char *scratch) {
    int64_t done = 0;
    double *known = cost_of(j->how), each = *known;
    if (!worth_sharing(each * (double)j->n)) {
        each = sample(j, each, scratch, &done);
        if (j->how->kind) /* once may be a thread that had to wait: what looks long is measured
                             again */
            *known = worth_sharing(each * (double)j->n) ? 0 : each;
    }
    double left = each * (double)(j->n - done);
    int threads = worth_sharing(left) ? threads_for(j->how) : 1;
    if (threads < 2) {
        if (done < j->n)
            j->work(j->ctx, done, j->n, scratch);
        return;
    }
    /* A fourth of a thread's share, so that all end together, but of 1 to 100 microseconds. */
    double part = left / (4 * threads);
    part = (part < 1e-6 ? 1e-6 : part > 100e-6 ? 100e-6 : part) / each;
    j->chunk = part < 1 ? 1 : part < (double)j->n ? (int64_t)part : j->n;
    j->begin = done;
    double start = now();
    share(j, threads - 1, scratch);
    if (j->how->kind)
        *known = (now() - start) * threads / (double)(j->n - done);
}

int rt_pool_for(rt_work work, void *ctx, int64_t n, const rt_range *how) {
    pthread_once(&once, init);
    char *scratch = scratch_of(how->scratch + 64);
    if (!scratch)
        return -1;
    if (n <= 0)
        return 0;
    job j = {.work = work, .ctx = ctx, .n = n, .chunk = how->chunk, .how = how};
    depth++;
    /* 2: more than one, perhaps; measured() asks when it matters */
    int threads = n == 1 || how->max_threads == 1 ? 1 : how->chunk ? threads_for(how) : 2;
    if (threads < 2)
        work(ctx, 0, n, scratch);
    else if (how->chunk)
        share(&j, threads - 1, scratch);
    else
        measured(&j, scratch);
    depth--;
    return 0;
}

typedef struct {
    rt_entry entry;
    const int64_t *args;
    rt_launch *launch;
} blocks;

static void run_blocks(void *ctx, int64_t first, int64_t end, char *scratch) {
    const blocks *b = ctx;
    b->entry(b->args, b->launch, first, end, scratch);
    atomic_fetch_add_explicit(&b->launch->done, end - first, memory_order_relaxed);
}

/* One thread: some pieces all the same, so that a launch can be stopped. */
static int run_alone(blocks *b, int64_t n, const rt_range *how) {
    char *scratch = scratch_of(how->scratch + 64);
    if (!scratch)
        return -1;
    depth++;
    job j = {.work = run_blocks, .ctx = b, .n = n, .chunk = 64, .how = how};
    pieces(&j, scratch, true);
    depth--;
    return 0;
}

int rt_pool_run(rt_entry entry, const int64_t *args, rt_launch *l, int64_t nblocks, size_t scratch,
                int max_threads) {
    pthread_once(&once, init);
    blocks b = {entry, args, l};
    rt_range how = {scratch, max_threads, 0, (const void *)(intptr_t)entry, l};
    l->scratch = (int64_t)scratch;
    l->thread = pthread_self();
    if (nblocks > 1 && max_threads == 1)
        return run_alone(&b, nblocks, &how);
    return rt_pool_for(run_blocks, &b, nblocks, &how);
}

rt_tasks *rt_tasks_new(size_t scratch, rt_launch *l) {
    pthread_once(&once, init);
    rt_tasks *g = calloc(1, sizeof *g);
    if (g)
        g->how = (rt_range){.scratch = scratch, .launch = l};
    return g;
}

int rt_tasks_add(rt_tasks *g, rt_work work, const void *ctx, size_t bytes) {
    job *j = calloc(1, sizeof *j + bytes);
    if (!j)
        return -1;
    memcpy(j + 1, ctx, bytes);
    j->work = work;
    j->ctx = j + 1;
    j->how = &g->how;
    j->group = g;
    j->cpu = -1;
    pthread_mutex_lock(&pool.lock);
    g->left++;
    if (rt_pool_threads() > 1) {
        append(j);
        wake(1);
    } else
        run_task(j);
    pthread_mutex_unlock(&pool.lock);
    return 0;
}

void rt_tasks_sync(rt_tasks *g) {
    pthread_mutex_lock(&pool.lock);
    while (g->left) {
        job *j = pool.first;
        while (j && j->group != g)
            j = j->after;
        if (j) {
            unlink_job(j);
            run_task(j);
        } else
            wait_done(g->how.launch);
    }
    pthread_mutex_unlock(&pool.lock);
}

void rt_tasks_free(rt_tasks *g) { free(g); }
