/* Growable text on the heap. str_free releases it; text is always NUL-terminated after the first
 * append. */
#ifndef BASE_STR_H
#define BASE_STR_H
#include <stdarg.h>
#include <stddef.h>

typedef struct {
    char *p;
    size_t n, cap;
} str;

void str_add(str *s, const char *text);
void str_addn(str *s, const char *text, size_t n);
void str_addf(str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void str_free(str *s);
#endif
