/* What cores wait for. A core that must wait says so; when all that are left have said so since
   something changed last, they would wait for ever, and are let go. */
#include "npu/group.h"
#include <time.h>

#define ROW(name) int64_t npu_##name(npu_core *c, const npu_arg *a, int form, int code)

static _Thread_local npu_group *mine;

void npu_group_open(npu_group *g, int64_t n, rt_launch *l) {
    *g = (npu_group){.alive = n, .l = l};
    pthread_mutex_init(&g->lock, NULL);
    pthread_cond_init(&g->changed, NULL);
}
void npu_group_close(npu_group *g) {
    pthread_mutex_destroy(&g->lock);
    pthread_cond_destroy(&g->changed);
}
void npu_group_join(npu_group *g) { mine = g; }

static void moved(npu_group *g) {
    g->progress++;
    g->stuck = 0;
    pthread_cond_broadcast(&g->changed);
}

void npu_group_leave(npu_group *g) {
    mine = NULL;
    pthread_mutex_lock(&g->lock);
    g->alive--;
    if (g->arrived && g->arrived == g->alive) { /* who has ended needs no waiting for */
        g->arrived = 0;
        g->round++;
    }
    moved(g);
    pthread_mutex_unlock(&g->lock);
}

/* Until something has changed. The thread that launched looks for Ctrl-C meanwhile. */
static void doze(npu_group *g) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 50 * 1000 * 1000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    pthread_cond_timedwait(&g->changed, &g->lock, &t);
    bool asks = g->l->poll && pthread_equal(g->l->thread, pthread_self());
    if (asks && !g->l->stop && g->l->poll(g->l->poll_ctx))
        g->l->stop = RT_STOPPED;
}

typedef bool ready(npu_group *g, void *what);

static void wait_for(npu_group *g, const npu_core *c, ready *is_so, void *what) {
    while (!g->broken && !g->l->stop && !is_so(g, what)) {
        int64_t seen = g->progress;
        if (++g->stuck == g->alive) {
            g->broken = true;
            g->core = c->block;
            g->line = c->line;
            pthread_cond_broadcast(&g->changed);
            return;
        }
        while (g->progress == seen && !g->broken && !g->l->stop)
            doze(g);
    }
}

static bool next_round(npu_group *g, void *what) { return g->round != *(int64_t *)what; }

ROW(sync_all) {
    (void)a;
    (void)form;
    (void)code;
    npu_group *g = mine;
    if (!g)
        return 0;
    pthread_mutex_lock(&g->lock);
    int64_t round = g->round;
    if (++g->arrived == g->alive) {
        g->arrived = 0;
        g->round++;
        moved(g);
    } else
        wait_for(g, c, next_round, &round);
    pthread_mutex_unlock(&g->lock);
    return 0;
}

static bool positive(npu_group *g, void *what) {
    (void)g;
    return *(int64_t *)what > 0;
}

/* ib_set(gm, ub, block, event), ib_wait: counted for each block and event */
ROW(ib_flag) {
    (void)form;
    npu_group *g = mine;
    if (!g)
        return 0;
    int64_t *count = &g->ib[npu_int_of(&a[2], 0) & (NPU_GROUP_MOST - 1)]
                           [npu_int_of(&a[3], 0) & (NPU_EVENTS - 1)];
    pthread_mutex_lock(&g->lock);
    if (code == 0) {
        ++*count;
        moved(g);
    } else {
        wait_for(g, c, positive, count);
        --*count;
    }
    pthread_mutex_unlock(&g->lock);
    return 0;
}

typedef struct {
    const int64_t *sets;
    int64_t least;
} enough;
static bool has_enough(npu_group *g, void *what) {
    const enough *e = what;
    (void)g;
    return *e->sets >= e->least;
}

/* (flag, mode, pipe): mode 0: each of all cores sets it before any goes on; 1: of the vector cores
   of one AI core; 2: between cube and vector cores, of which the model runs one kind: nothing. */
ROW(cross_flag) {
    (void)form;
    npu_group *g = mine;
    int64_t id = npu_int_of(&a[0], 0) & (NPU_FLAGS - 1), mode = npu_int_of(&a[1], 0);
    if (!g || mode > 1)
        return 0;
    int64_t *sets = &g->sets[id][mode == 0 ? 0 : 1 + (c->block / 2 & (NPU_GROUP_MOST / 2 - 1))];
    pthread_mutex_lock(&g->lock);
    if (code == 0) {
        ++*sets;
        moved(g);
    } else {
        int64_t cores = mode == 0 ? c->blocks * (c->mix == 1 ? 2 : 1) : c->mix == 1 ? 2 : 1;
        enough e = {sets, ++c->waits[mode][id] * cores};
        wait_for(g, c, has_enough, &e);
    }
    pthread_mutex_unlock(&g->lock);
    return 0;
}

static bool my_turn(npu_group *g, void *what) { return g->turn == *(int64_t *)what; }

/* notify_next_block, wait_pre_block: core after core, and round again */
ROW(chain) {
    (void)a;
    (void)form;
    npu_group *g = mine;
    if (!g)
        return 0;
    int64_t cores = c->blocks * (c->mix == 1 ? 2 : 1);
    pthread_mutex_lock(&g->lock);
    if (code == 0) {
        g->turn = (c->block + 1) % (cores > 0 ? cores : 1);
        moved(g);
    } else
        wait_for(g, c, my_turn, &c->block);
    pthread_mutex_unlock(&g->lock);
    return 0;
}
