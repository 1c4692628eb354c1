/* Bump allocator: blocks that double up to 1 MB, zeroed on the way out. */
#include "base/arena.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct block {
    _Alignas(16) struct block *next; /* so that what follows is aligned too */
    size_t size, used;
} block;
struct arena {
    block *blocks;
    size_t total;
};
enum { FIRST = 16 << 10, LARGEST = 1 << 20 };

static void die(void) {
    fputs("pyasc: out of memory in the compiler\n", stderr);
    abort();
}

arena *arena_new(void) {
    arena *a = calloc(1, sizeof *a);
    if (!a)
        die();
    return a;
}

void arena_free(arena *a) {
    if (!a)
        return;
    for (block *b = a->blocks, *next; b; b = next) {
        next = b->next;
        free(b);
    }
    free(a);
}

static block *grow(arena *a, size_t need) {
    size_t size = a->blocks ? 2 * a->blocks->size : FIRST;
    if (size > LARGEST)
        size = LARGEST;
    if (size < need)
        size = need;
    block *b = malloc(sizeof *b + size);
    if (!b)
        die();
    *b = (block){a->blocks, size, 0};
    return a->blocks = b;
}

void *arena_alloc(arena *a, size_t size) {
    if (size > SIZE_MAX / 2)
        die();
    size = (size + 15) & ~(size_t)15;
    block *b = a->blocks;
    if (!b || b->size - b->used < size)
        b = grow(a, size);
    char *p = (char *)(b + 1) + b->used;
    b->used += size;
    a->total += size;
    return memset(p, 0, size);
}

char *arena_strndup(arena *a, const char *s, size_t n) {
    char *p = arena_alloc(a, n + 1);
    memcpy(p, s, n);
    return p;
}

char *arena_strdup(arena *a, const char *s) { return arena_strndup(a, s, strlen(s)); }

char *arena_vprintf(arena *a, const char *format, va_list ap) {
    va_list again;
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    char *p = arena_alloc(a, (size_t)(n < 0 ? 0 : n) + 1);
    if (n > 0)
        vsnprintf(p, (size_t)n + 1, format, again);
    va_end(again);
    return p;
}

char *arena_printf(arena *a, const char *format, ...) {
    va_list ap;
    va_start(ap, format);
    char *p = arena_vprintf(a, format, ap);
    va_end(ap);
    return p;
}

size_t arena_used(const arena *a) { return a->total; }
