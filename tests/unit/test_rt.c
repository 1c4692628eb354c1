/* The thread pool, the disk cache, and the loader's refusals. */
#include "check.h"
#include "rt/cache.h"
#include "rt/loader.h"
#include "rt/pool.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void count(const int64_t *args, const rt_launch *l, int64_t first, int64_t end,
                  char *scratch) {
    atomic_char *seen = (atomic_char *)(intptr_t)args[0];
    (void)l;
    memset(scratch, (int)first, (size_t)args[1]);
    for (int64_t b = first; b < end; b++) {
        atomic_fetch_add(&seen[b], 1);
        for (volatile int k = 0; k < args[2];)
            k = k + 1;
    }
}

static bool once_each(int64_t n, int64_t scratch, int64_t work, int threads) {
    char *seen = calloc((size_t)n + 1, 1);
    int64_t args[3] = {(int64_t)(intptr_t)seen, scratch, work};
    rt_launch l = {.n = {0}};
    int r = rt_pool_run(count, args, &l, n, (size_t)scratch, threads);
    bool ok = r == 0 && !seen[n];
    for (int64_t i = 0; i < n; i++)
        ok = ok && seen[i] == 1;
    free(seen);
    return ok;
}

static void *caller(void *arg) {
    bool ok = true;
    for (int i = 0; i < 50; i++)
        ok = ok && once_each(2000, 256, 200, 0);
    *(bool *)arg = ok;
    return NULL;
}

static void test_pool(void) {
    for (int64_t n = 0; n < 40; n++)
        CHECK(once_each(n, n * 100, 10000, 0));
    CHECK(once_each(70001, 64, 50, 0));
    CHECK(once_each(1000, 64, 5000, 1));
    pthread_t t[8];
    bool ok[8];
    for (int i = 0; i < 8; i++)
        pthread_create(&t[i], NULL, caller, &ok[i]);
    for (int i = 0; i < 8; i++) {
        pthread_join(t[i], NULL);
        CHECK(ok[i]);
    }
    pid_t pid = fork();
    if (!pid)
        _exit(once_each(5000, 64, 5000, 0) ? 0 : 1);
    int st = -1;
    waitpid(pid, &st, 0);
    CHECK(st == 0);
}

static void test_cache(void) {
    char dir[] = "/tmp/pyasc-cache-XXXXXX", path[200];
    CHECK(mkdtemp(dir) != NULL);
    rt_meta m = {.simt = 1, .scratch = 77}, got;
    void *object;
    size_t size;
    rt_key a = rt_key_of("abc", 3, "x", 1), b = rt_key_of("abc", 3, "y", 1);
    CHECK(strcmp(a.hex, b.hex) && strlen(a.hex) == 32);
    CHECK(rt_cache_get(dir, &a, &got, &object, &size) != 0);
    CHECK(rt_cache_put(dir, &a, &m, "object", 6, 1 << 20) == 0);
    CHECK(rt_cache_get(dir, &a, &got, &object, &size) == 0 && size == 6 && got.scratch == 77);
    CHECK(!memcmp(object, "object", 6));
    free(object);
    CHECK(rt_cache_get(dir, &b, &got, &object, &size) != 0);
    snprintf(path, sizeof path, "%s/%s.o", dir, a.hex);
    FILE *f = fopen(path, "r+b");
    fseek(f, -1, SEEK_END);
    fputc('X', f);
    fclose(f);
    CHECK(rt_cache_get(dir, &a, &got, &object, &size) != 0); /* damaged: a miss, and gone */
    CHECK(access(path, F_OK) != 0);
    char *big = calloc(1, 10000), foreign[200];
    snprintf(foreign, sizeof foreign, "%s/large", dir);
    f = fopen(foreign, "w");
    for (int i = 0; i < 200; i++)
        fwrite(big, 1, 1000, f);
    fclose(f);
    for (int i = 0; i < 30; i++) {
        rt_key k = rt_key_of(&i, sizeof i, NULL, 0);
        CHECK(rt_cache_put(dir, &k, &m, big, 10000, 100000) == 0);
    }
    int left = 0;
    for (int i = 0; i < 30; i++) {
        rt_key k = rt_key_of(&i, sizeof i, NULL, 0);
        if (!rt_cache_get(dir, &k, &got, &object, &size)) {
            left++;
            free(object);
        }
    }
    CHECK(left > 0 && left < 10);      /* bounded */
    CHECK(access(foreign, F_OK) == 0); /* not ours */
    free(big);
    CHECK(rt_cache_put("/proc/nowhere", &a, &m, "object", 6, 1 << 20) != 0);
    snprintf(path, sizeof path, "rm -r %s", dir);
    CHECK(system(path) == 0);
}

static void test_loader(void) {
    char why[100] = "";
    CHECK(!rt_load("", 0, why, sizeof why) && why[0]);
    CHECK(!rt_load("\177ELF", 4, why, sizeof why));
    char *junk = calloc(1, 4096);
    memcpy(junk, "\177ELF\2\1\1", 7);
    CHECK(!rt_load(junk, 4096, why, sizeof why));
    free(junk);
}

int main(void) {
    test_pool();
    test_cache();
    test_loader();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
