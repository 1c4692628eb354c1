/* fuzz-loader OBJECT... SECONDS: mutated objects through the loader, under the sanitizers. Nothing
 * loaded is run. */
#include "rt/loader.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t state = 88172645463325252u;
static uint64_t next(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static unsigned char *read_file(const char *path, size_t *n) {
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    *n = (size_t)ftell(f);
    rewind(f);
    unsigned char *p = malloc(*n + 1);
    if (p && fread(p, 1, *n, f) != *n)
        *n = 0;
    fclose(f);
    return p;
}

/* Mostly in the headers and tables, where it hurts. */
static void mutate(unsigned char *p, size_t n) {
    static const uint64_t values[] = {0,          1,     0xff,       0x7fffffff,
                                      0xffffffff, ~0ull, 1ull << 63, 0x10000};
    for (uint64_t k = 1 + next() % 6; k; k--) {
        size_t at = next() % n, width = 1u << next() % 4;
        if (next() % 3 == 0)
            at = next() % 64;
        if (at + width > n)
            continue;
        uint64_t v = next() % 2 ? values[next() % 8] : next();
        memcpy(p + at, &v, width);
    }
}

int main(int argc, char **argv) {
    unsigned long loaded = 0, refused = 0;
    if (argc < 3)
        return 2;
    time_t end = time(NULL) + atoi(argv[argc - 1]);
    while (time(NULL) < end) {
        size_t n;
        unsigned char *p = read_file(argv[1 + next() % (unsigned)(argc - 2)], &n);
        if (!p || !n)
            return 2;
        for (int i = 0; i < 500; i++) {
            unsigned char *q = malloc(n);
            size_t m = next() % 8 ? n : next() % n;
            char why[200];
            memcpy(q, p, n);
            mutate(q, n);
            rt_code *c = rt_load(q, m, why, sizeof why);
            *(c ? &loaded : &refused) += 1;
            rt_code_free(c);
            free(q);
        }
        free(p);
    }
    printf("%lu objects loaded, %lu refused\n%lu passed, 0 failed\n", loaded, refused,
           loaded + refused);
    return 0;
}
