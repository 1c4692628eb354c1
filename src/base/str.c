/* Growable text. Out of memory aborts, as in the arena: text is only made while compiling. */
#include "base/str.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void reserve(str *s, size_t more) {
    if (s->cap - s->n > more)
        return;
    size_t cap = s->cap ? s->cap : 64;
    while (cap - s->n <= more)
        cap *= 2;
    char *p = realloc(s->p, cap);
    if (!p) {
        fputs("pyasc: out of memory in the compiler\n", stderr);
        abort();
    }
    s->p = p;
    s->cap = cap;
}

void str_addn(str *s, const char *text, size_t n) {
    reserve(s, n);
    memcpy(s->p + s->n, text, n);
    s->n += n;
    s->p[s->n] = 0;
}

void str_add(str *s, const char *text) { str_addn(s, text, strlen(text)); }

void str_addf(str *s, const char *format, ...) {
    va_list ap, again;
    va_start(ap, format);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    if (n > 0) {
        reserve(s, (size_t)n);
        vsnprintf(s->p + s->n, (size_t)n + 1, format, again);
        s->n += (size_t)n;
    }
    va_end(again);
    va_end(ap);
}

void str_free(str *s) {
    free(s->p);
    *s = (str){0};
}
