/* The thread pool with what runs beside other work, and the tensors' storage: from several threads,
   nested, stopped half way. Also run under the thread sanitizer (make tsan). */
#include "check.h"
#include "rt/beside.h"
#include "rt/pool.h"
#include "rt/store.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = 60, COLUMNS = 500, ITEMS = 300 };

static void work_for(int rounds) {
    for (volatile int k = 0; k < rounds;)
        k = k + 1;
}

/* Rows of columns: env is the counts, args[0] the row in the inner body. */
static void columns(const int64_t *args, rt_launch *l, int64_t first, int64_t end, char *scratch,
                    const int64_t *env) {
    int *counts = (int *)(intptr_t)env[0];
    (void)args, (void)l;
    memset(scratch, (int)first, 32);
    for (int64_t j = first; j < end; j++) {
        counts[env[1] * COLUMNS + j]++;
        work_for(100);
    }
}

static void rows(const int64_t *args, rt_launch *l, int64_t first, int64_t end, char *scratch,
                 const int64_t *env) {
    for (int64_t i = first; i < end; i++) {
        int64_t inner[2] = {env[0], i};
        memset(scratch, 7, 32);
        pyasc_parallel(columns, args, l, COLUMNS, inner);
        if (scratch[0] != 7 || scratch[31] != 7)
            atomic_store(&l->stop, 77); /* the inner one had our scratch */
    }
}

static bool all_once(const int *counts, int n) {
    bool ok = true;
    for (int i = 0; i < n; i++)
        ok = ok && counts[i] == 1;
    return ok;
}

static bool nested(void) {
    int *counts = calloc(ROWS * COLUMNS, sizeof *counts);
    rt_launch l = {.scratch = 64, .thread = pthread_self()};
    int64_t env[1] = {(int64_t)(intptr_t)counts};
    pyasc_parallel(rows, NULL, &l, ROWS, env);
    bool ok = all_once(counts, ROWS * COLUMNS) && !atomic_load(&l.stop);
    free(counts);
    return ok;
}

static void one_task(const int64_t *args, rt_launch *l, int64_t first, int64_t end, char *scratch,
                     const int64_t *env) {
    int *counts = (int *)(intptr_t)env[0];
    (void)first, (void)end, (void)scratch;
    counts[env[1]]++;
    work_for(200);
    if (env[1] < ITEMS) { /* each of the first starts another */
        int64_t more[2] = {env[0], env[1] + ITEMS};
        pyasc_task(one_task, args, l, 2, more);
    }
}

static bool tasks(void) {
    int *counts = calloc(2 * ITEMS, sizeof *counts);
    rt_launch l = {.scratch = 64, .thread = pthread_self()};
    for (int64_t i = 0; i < ITEMS; i++) {
        int64_t env[2] = {(int64_t)(intptr_t)counts, i};
        pyasc_task(one_task, NULL, &l, 2, env);
    }
    pyasc_sync(&l);
    bool ok = all_once(counts, 2 * ITEMS);
    rt_tasks_free(l.tasks);
    free(counts);
    return ok;
}

/* Stages: each item passes them in order, one item at a time in each. */
static void stage(const int64_t *args, rt_launch *l, int64_t first, int64_t end, char *scratch,
                  const int64_t *env) {
    int *state = (int *)(intptr_t)env[0], *last = (int *)(intptr_t)env[1];
    (void)args, (void)l, (void)end, (void)scratch;
    if (state[first] != env[2] || last[env[2]] != first - 1)
        state[first] = -1000;
    state[first]++;
    last[env[2]] = (int)first;
    work_for(300);
}

static bool pipeline(int64_t n, int stages) {
    int *state = calloc((size_t)n + 1, sizeof *state), last[8];
    int64_t envs[8][3];
    const int64_t *each[8];
    rt_body bodies[8];
    rt_launch l = {.scratch = 64, .thread = pthread_self()};
    for (int s = 0; s < stages; s++) {
        last[s] = -1;
        envs[s][0] = (int64_t)(intptr_t)state;
        envs[s][1] = (int64_t)(intptr_t)last;
        envs[s][2] = s;
        each[s] = envs[s];
        bodies[s] = stage;
    }
    pyasc_pipeline(bodies, stages, NULL, &l, n, each);
    bool ok = true;
    for (int64_t i = 0; i < n; i++)
        ok = ok && state[i] == stages;
    free(state);
    return ok;
}

static int asked;
static int third_time(void *ctx) {
    (void)ctx;
    return ++asked >= 3;
}

static void endless(const int64_t *args, rt_launch *l, int64_t first, int64_t end, char *scratch,
                    const int64_t *env) {
    (void)args, (void)first, (void)end, (void)scratch, (void)env;
    int64_t credit = 1;
    while ((credit = pyasc_poll(l, credit)))
        work_for((int)credit);
}

static void stopping(void) {
    rt_launch l = {.scratch = 64, .thread = pthread_self(), .poll = third_time};
    int64_t env[1] = {0};
    asked = 0;
    pyasc_parallel(endless, NULL, &l, 100, env);
    CHECK(atomic_load(&l.stop) == RT_STOPPED && asked >= 3);
}

static void *all_of_them(void *arg) {
    bool ok = true;
    for (int i = 0; i < 5; i++)
        ok = ok && nested() && tasks() && pipeline(50, 3);
    *(bool *)arg = ok;
    return NULL;
}

static void *storing(void *arg) {
    bool ok = true;
    for (unsigned i = 0; i < 3000; i++) {
        size_t size = (i * 7919) % 50000 + 1;
        unsigned char *p = rt_store_alloc(size), *q = rt_store_alloc(64);
        ok = ok && p && q && (uintptr_t)p % 64 == 0 && (uintptr_t)q % 64 == 0;
        if (p && q) {
            memset(p, (int)i, size);
            memset(q, 1, 64);
            ok = ok && p[0] == (unsigned char)i && p[size - 1] == (unsigned char)i;
        }
        rt_store_free(p, size);
        rt_store_free(q, 64);
    }
    *(bool *)arg = ok;
    return NULL;
}

static void from_threads(void *(*f)(void *), int n) {
    pthread_t t[8];
    bool ok[8] = {0};
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], NULL, f, &ok[i]);
    for (int i = 0; i < n; i++) {
        pthread_join(t[i], NULL);
        CHECK(ok[i]);
    }
}

static void test_store(void) {
    rt_store_stats s;
    void *p = rt_store_alloc(100000);
    rt_store_free(p, 100000);
    CHECK(rt_store_alloc(100000) == p); /* the one that was just freed */
    rt_store_stats_get(&s);
    CHECK(s.live == 1 && s.reused == 1 && s.in_use >= 100000);
    rt_store_free(p, 100000);
    from_threads(storing, 4);
    rt_store_trim();
    rt_store_stats_get(&s);
    CHECK(s.live == 0 && s.in_use == 0 && s.cached == 0 && s.peak >= 100000);
    CHECK(rt_store_alloc((size_t)1 << 60) == NULL);
    void *none = rt_store_alloc(0);
    CHECK(none != NULL);
    rt_store_free(none, 0);
}

int main(void) {
    rt_pool_limit(4);
    CHECK(nested());
    CHECK(tasks());
    for (int n = 0; n < 5; n++)
        for (int s = 1; s < 6; s++)
            CHECK(pipeline(n, s));
    CHECK(pipeline(400, 3));
    stopping();
    from_threads(all_of_them, 4);
    test_store();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
