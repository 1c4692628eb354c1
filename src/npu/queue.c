/* TPipe, TQue and TBuf: who has which bytes of the local memories. */
#include "npu/npu.h"

int64_t npu_pipe(npu_core *c, const npu_arg *a, int form, int code) {
    (void)a;
    (void)form;
    (void)code;
    for (int s = 0; s < NPU_LOCALS; s++)
        c->free_at[s] = 0;
    return 0;
}

static npu_queue *queue_at(npu_core *c, const npu_arg *a) {
    int64_t i = a->v[0];
    return i >= 0 && i < c->nqueues ? &c->queue[i] : NULL;
}

/* code: 0 TQueBind(src, dst, depth, mask), 1 TQue(pos, depth), 2 TBuf(pos) */
int64_t npu_queue_new(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    if (c->nqueues == NPU_MAX_QUEUES)
        return NPU_MAX_QUEUES;
    npu_queue *q = &c->queue[c->nqueues];
    q->pos = (int)npu_int_of(&a[0], 9);
    q->depth = (int)(code == 2 ? 1 : npu_int_of(&a[code == 0 ? 2 : 1], 1));
    q->nbuf = q->nfifo = 0;
    q->used = 0;
    return c->nqueues++;
}

static int64_t take(npu_core *c, int space, int64_t bytes) {
    int64_t at = c->free_at[space];
    c->free_at[space] += (bytes + 31) & ~INT64_C(31);
    return npu_addr(space, at);
}

/* From the pipe's memory (code 0) or, code 1, from a pool's. */
int64_t npu_init_buffer(npu_core *c, const npu_arg *a, int form, int code) {
    npu_queue *pool = code ? queue_at(c, &a[0]) : NULL;
    npu_queue *q = queue_at(c, &a[1]);
    int64_t num = form == 0 ? npu_int_of(&a[2], 0) : 1, len = npu_int_of(&a[form == 0 ? 3 : 2], 0);
    if (q) /* a pipe that begins anew gives its queues new buffers */
        q->nbuf = q->nfifo = 0;
    for (int64_t i = 0; q && i < num && q->nbuf < NPU_MAX_BUFFERS; i++) {
        int64_t bytes = (len + 31) & ~INT64_C(31);
        int64_t addr = pool && pool->nbuf ? pool->buf[0].addr + pool->used
                                          : take(c, npu_space_of(q->pos), len);
        if (pool)
            pool->used += bytes;
        q->buf[q->nbuf++] = (npu_buffer){.addr = addr, .bytes = bytes};
    }
    return 0;
}

static int64_t give(npu_core *c, const npu_buffer *b) {
    c->len = b ? b->bytes : 0;
    return b ? b->addr : npu_addr(NPU_UB, 0);
}

int64_t npu_que_alloc(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    npu_queue *q = queue_at(c, &a[0]);
    for (int i = 0; q && i < q->nbuf; i++)
        if (!q->buf[i].taken) {
            q->buf[i].taken = true;
            return give(c, &q->buf[i]);
        }
    return give(c, q && q->nbuf ? &q->buf[0] : NULL);
}

static int buffer_of(const npu_queue *q, int64_t addr) {
    for (int i = 0; q && i < q->nbuf; i++)
        if (addr >= q->buf[i].addr && addr < q->buf[i].addr + q->buf[i].bytes)
            return i;
    return -1;
}

int64_t npu_que_enque(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    npu_queue *q = queue_at(c, &a[0]);
    int i = buffer_of(q, a[1].v[0]);
    if (i >= 0 && q->nfifo < NPU_MAX_BUFFERS && !q->buf[i].queued) {
        q->fifo[q->nfifo++] = i;
        q->buf[i].queued = true;
    }
    return 0;
}

int64_t npu_que_deque(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    npu_queue *q = queue_at(c, &a[0]);
    if (!q || !q->nfifo)
        return give(c, q && q->nbuf ? &q->buf[0] : NULL);
    int i = q->fifo[0];
    q->nfifo--;
    for (int k = 0; k < q->nfifo; k++)
        q->fifo[k] = q->fifo[k + 1];
    q->buf[i].queued = false;
    return give(c, &q->buf[i]);
}

int64_t npu_que_free(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    npu_queue *q = queue_at(c, &a[0]);
    int i = buffer_of(q, a[1].v[0]);
    if (i >= 0)
        q->buf[i].taken = false;
    return 0;
}

/* 0 tensors, 1 is there one, 2 is there room, 3 is a buffer free */
int64_t npu_que_count(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    const npu_queue *q = queue_at(c, &a[0]);
    bool idle = false;
    for (int i = 0; q && i < q->nbuf; i++)
        idle = idle || !q->buf[i].taken;
    if (!q)
        return 0;
    return code == 0 ? q->nfifo : code == 1 ? q->nfifo > 0 : code == 2 ? q->nfifo < q->depth : idle;
}

/* TBuf.get(dtype, len, shape), get_with_offset(size, offset, dtype) */
int64_t npu_buf_get(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    const npu_queue *q = queue_at(c, &a[0]);
    npu_buffer b = {.addr = npu_addr(NPU_UB, 0)};
    if (q && q->nbuf)
        b = q->buf[0];
    dtype dt = a[code ? 3 : 1].dt;
    if (code) {
        b.bytes = npu_int_of(&a[1], 0) * dtype_table[dt].bytes;
        b.addr += npu_int_of(&a[2], 0);
    } else if (a[2].kind != NPU_absent)
        b.bytes = npu_int_of(&a[2], 0) * dtype_table[dt].bytes;
    return give(c, &b);
}

/* Pools are queues with one buffer: 0 new(pos), 1 init_buf_pool(self, pool, len, share), 2 reset */
int64_t npu_pool(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    if (code == 0)
        return npu_queue_new(c, a, 0, 2);
    npu_queue *self = queue_at(c, &a[0]), *p = code == 1 ? queue_at(c, &a[1]) : NULL,
              *share = code == 1 && a[3].kind == NPU_int ? queue_at(c, &a[3]) : NULL;
    if (code == 2 && self)
        self->used = 0;
    if (!p)
        return 0;
    int64_t len = npu_int_of(&a[2], 0);
    bool within = self && self != p && self->nbuf;
    p->nbuf = 1;
    p->used = 0;
    if (share && share->nbuf)
        p->buf[0] = share->buf[0];
    else if (within) {
        p->buf[0] = (npu_buffer){.addr = self->buf[0].addr + self->used, .bytes = len};
        self->used += (len + 31) & ~INT64_C(31);
    } else
        p->buf[0] = (npu_buffer){.addr = take(c, npu_space_of(p->pos), len), .bytes = len};
    return 0;
}

/* Event numbers, eight of each kind: 0 alloc, 1 fetch, 2 release(id, event) */
int64_t npu_event(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    uint8_t *taken = &c->events[npu_int_of(&a[code == 2 ? 2 : 1], 22) & 63];
    int free = *taken == 255 ? 0 : __builtin_ctz(~(unsigned)*taken);
    if (code == 0)
        *taken |= (uint8_t)(1 << free);
    if (code == 2)
        *taken &= (uint8_t)~(1 << (npu_int_of(&a[1], 0) & 7));
    return code == 2 ? 0 : free;
}

int64_t npu_base_addr(npu_core *c, const npu_arg *a, int form, int code) {
    (void)c;
    (void)a;
    (void)form;
    (void)code;
    return 0;
}
