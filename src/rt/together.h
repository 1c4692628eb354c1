/* Cores of a kernel that wait for each other: all at once, a thread for each. */
#ifndef RT_TOGETHER_H
#define RT_TOGETHER_H
#include "rt/kernel.h"
#include <stddef.h>

enum { RT_TOGETHER_MOST = 128 };
typedef struct {
    int64_t core, line; /* of one that would wait for ever */
} rt_stuck;
/* 0; 1: no memory or threads; 2: all cores waited, *stuck says where. */
int rt_together(rt_entry entry, const int64_t *args, rt_launch *l, int64_t n, size_t scratch,
                rt_stuck *stuck);
#endif
