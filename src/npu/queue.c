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
    return c->nqueues++;
}

static int64_t take(npu_core *c, int space, int64_t bytes) {
    int64_t at = c->free_at[space];
    c->free_at[space] += (bytes + 31) & ~INT64_C(31);
    return npu_addr(space, at);
}

int64_t npu_init_buffer(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    npu_queue *q = queue_at(c, &a[1]);
    int64_t num = form == 0 ? npu_int_of(&a[2], 0) : 1, len = npu_int_of(&a[form == 0 ? 3 : 2], 0);
    for (int64_t i = 0; q && i < num && q->nbuf < NPU_MAX_BUFFERS; i++) {
        int64_t bytes = (len + 31) & ~INT64_C(31);
        q->buf[q->nbuf++] =
            (npu_buffer){.addr = take(c, npu_space_of(q->pos), len), .bytes = bytes};
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
