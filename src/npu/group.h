/* Cores that run at once and wait for each other: one thread each. */
#ifndef NPU_GROUP_H
#define NPU_GROUP_H
#include "npu/npu.h"
#include "rt/kernel.h"
#include <pthread.h>

enum { NPU_GROUP_MOST = 128, NPU_EVENTS = 8, NPU_FLAGS = 16 };
typedef struct npu_group {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    rt_launch *l;
    int64_t alive;    /* cores that have not ended */
    int64_t progress; /* counts whatever may let a core go on */
    int64_t stuck;    /* cores that found since then that they must wait */
    int64_t arrived, round, turn;
    int64_t ib[NPU_GROUP_MOST][NPU_EVENTS];
    int64_t sets[NPU_FLAGS][1 + NPU_GROUP_MOST / 2]; /* of all cores; then of each pair */
    bool broken;                                     /* all wait: for ever */
    int64_t core, line;                              /* one of them, and where */
} npu_group;

void npu_group_open(npu_group *g, int64_t n, rt_launch *l);
void npu_group_close(npu_group *g);
void npu_group_join(npu_group *g); /* this thread's core */
void npu_group_leave(npu_group *g);
#endif
