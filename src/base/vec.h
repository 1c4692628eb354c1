/* Growable arrays in an arena: VEC(int) v = {0}; vec_push(a, &v, 3); v.p[i], v.n. */
#ifndef BASE_VEC_H
#define BASE_VEC_H
#include "base/arena.h"
#include <string.h>

#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *p;                                                                                      \
        uint32_t n, cap;                                                                           \
    }
#define vec_push(a, v, x)                                                                          \
    do {                                                                                           \
        if ((v)->n == (v)->cap) {                                                                  \
            uint32_t cap_ = (v)->cap ? 2 * (v)->cap : 8;                                           \
            void *new_ = arena_alloc((a), sizeof *(v)->p * cap_);                                  \
            if ((v)->n)                                                                            \
                memcpy(new_, (v)->p, sizeof *(v)->p * (v)->n);                                     \
            (v)->p = new_;                                                                         \
            (v)->cap = cap_;                                                                       \
        }                                                                                          \
        (v)->p[(v)->n++] = (x);                                                                    \
    } while (0)
#endif
