/* Eight classes per power of two waste at most an eighth. What is kept is bounded by what is in use
   (or KEEP), so that a program that has shrunk does not sit on its peak. */
#include "rt/store.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { ALIGN = 64, HUGE_PAGE = 2 << 20, NCLASSES = 8 * 64 };
static const int64_t KEEP = 256 << 20;

typedef struct block {
    struct block *next;
} block;

static struct {
    pthread_mutex_t lock;
    block *kept[NCLASSES];
    rt_store_stats stats;
} store = {.lock = PTHREAD_MUTEX_INITIALIZER};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void before_fork(void) { pthread_mutex_lock(&store.lock); }
static void after_fork(void) { pthread_mutex_unlock(&store.lock); }
static void init(void) { pthread_atfork(before_fork, after_fork, after_fork); }

/* The class of a size, and the bytes that its blocks have. */
static int class_of(size_t bytes, size_t *size) {
    if (bytes <= 512) {
        *size = bytes ? (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1) : ALIGN;
        return (int)(*size / ALIGN) - 1;
    }
    int power = 63 - __builtin_clzll((unsigned long long)bytes - 1);
    size_t step = (size_t)1 << (power - 3);
    *size = (bytes + step - 1) & ~(step - 1);
    return 8 * (power - 8) + (int)((*size - 1) >> (power - 3) & 7);
}

static void *fresh(size_t size) {
    if (size < 2 * HUGE_PAGE)
        return aligned_alloc(ALIGN, size);
    void *p = aligned_alloc(HUGE_PAGE, (size + HUGE_PAGE - 1) & ~(size_t)(HUGE_PAGE - 1));
    if (p)
        madvise(p, size, MADV_HUGEPAGE); /* page faults cost more than many an operation */
    return p;
}

void *rt_store_alloc(size_t bytes) {
    size_t size;
    pthread_once(&once, init);
    if (bytes > (size_t)1 << 48)
        return NULL;
    int class = class_of(bytes, &size);
    pthread_mutex_lock(&store.lock);
    rt_store_stats *st = &store.stats;
    block *b = store.kept[class];
    if (b) {
        store.kept[class] = b->next;
        st->cached -= (int64_t)size;
        st->reused++;
    } else {
        b = fresh(size);
        if (!b && st->cached) {
            pthread_mutex_unlock(&store.lock);
            rt_store_trim();
            pthread_mutex_lock(&store.lock);
            b = fresh(size);
        }
    }
    if (b) {
        st->allocs++;
        st->live++;
        st->in_use += (int64_t)size;
        if (st->in_use > st->peak)
            st->peak = st->in_use;
    }
    pthread_mutex_unlock(&store.lock);
    return b;
}

void rt_store_free(void *p, size_t bytes) {
    size_t size;
    if (!p)
        return;
    int class = class_of(bytes, &size);
    pthread_mutex_lock(&store.lock);
    rt_store_stats *st = &store.stats;
    st->live--;
    st->in_use -= (int64_t)size;
    int64_t limit = st->in_use > KEEP ? st->in_use : KEEP;
    block *b = p;
    if (st->cached + (int64_t)size <= limit) {
        b->next = store.kept[class];
        store.kept[class] = b;
        st->cached += (int64_t)size;
        b = NULL;
    }
    pthread_mutex_unlock(&store.lock);
    free(b);
}

void rt_store_trim(void) {
    block *all = NULL;
    pthread_mutex_lock(&store.lock);
    for (int i = 0; i < NCLASSES; i++)
        while (store.kept[i]) {
            block *b = store.kept[i];
            store.kept[i] = b->next;
            b->next = all;
            all = b;
        }
    store.stats.cached = 0;
    pthread_mutex_unlock(&store.lock);
    for (block *next; all; all = next) {
        next = all->next;
        free(all);
    }
}

void rt_store_stats_get(rt_store_stats *out) {
    pthread_mutex_lock(&store.lock);
    *out = store.stats;
    pthread_mutex_unlock(&store.lock);
}

void rt_store_peak_reset(void) {
    pthread_mutex_lock(&store.lock);
    store.stats.peak = store.stats.in_use;
    pthread_mutex_unlock(&store.lock);
}
