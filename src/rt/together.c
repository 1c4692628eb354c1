#include "rt/together.h"
#include "npu/group.h"
#include <stdlib.h>

typedef struct {
    rt_entry entry;
    const int64_t *args;
    rt_launch *l;
    npu_group *group;
    char *scratch;
    int64_t block;
    pthread_t thread;
} core;

static void *run_core(void *p) {
    core *c = p;
    npu_group_join(c->group);
    c->entry(c->args, c->l, c->block, c->block + 1, c->scratch);
    npu_group_leave(c->group);
    return NULL;
}

int rt_together(rt_entry entry, const int64_t *args, rt_launch *l, int64_t n, size_t scratch,
                rt_stuck *stuck) {
    static const size_t line = 64;
    size_t each = (scratch + line - 1) / line * line + line;
    core *cores = calloc((size_t)n, sizeof *cores);
    char *room = aligned_alloc(line, each * (size_t)n);
    npu_group *g = malloc(sizeof *g);
    int64_t made = 1;
    int failed = !cores || !room || !g;
    if (!failed) {
        l->thread = pthread_self();
        npu_group_open(g, n, l);
        for (int64_t i = 0; i < n; i++)
            cores[i] = (core){entry, args, l, g, room + each * (size_t)i, i, 0};
        while (made < n && !pthread_create(&cores[made].thread, NULL, run_core, &cores[made]))
            made++;
        if (made < n) { /* those that are there are let go, and end */
            failed = 1;
            l->stop = RT_NO_MEMORY;
        }
        run_core(&cores[0]);
        for (int64_t i = 1; i < made; i++)
            pthread_join(cores[i].thread, NULL);
        if (!failed && g->broken) {
            failed = 2;
            *stuck = (rt_stuck){g->core, g->line};
        }
        npu_group_close(g);
    }
    free(cores);
    free(room);
    free(g);
    return failed;
}
