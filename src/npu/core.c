/* A core: its memories, the decoding of calls, scalars. Each thread that runs a kernel has one. */
#include "npu/npu.h"
#include "npu/half.h"
#include "npu/matmul.h"
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

/* Bytes of the local memories of arch 2201 (910B); UB's and L1's rooms of other chips are smaller
   or larger by what the kernel is told only. */
static const int64_t sizes[NPU_LOCALS] = {
    [NPU_UB] = 192 << 10,  [NPU_L1] = 512 << 10, [NPU_L0A] = 64 << 10,  [NPU_L0B] = 64 << 10,
    [NPU_L0C] = 128 << 10, [NPU_BIAS] = 1 << 10, [NPU_FIXBUF] = 7 << 10};

static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static void core_free(void *p) {
    npu_core *c = p;
    free(c->local[NPU_UB].at); /* one piece */
    npu_matmul_free(c);
    free(c);
}
static void make_key(void) {
    if (pthread_key_create(&key, core_free))
        abort();
}

static npu_core *core_new(void) {
    npu_core *c = calloc(1, sizeof *c);
    int64_t total = 0;
    for (int s = NPU_UB; s < NPU_LOCALS; s++)
        total += sizes[s];
    uint8_t *p = c ? aligned_alloc(64, (size_t)total) : NULL;
    if (!p) {
        free(c);
        return NULL;
    }
    for (int s = NPU_UB; s < NPU_LOCALS; s++, p += sizes[s - 1])
        c->local[s] = (npu_memory){p, c->used[s] = sizes[s]};
    pthread_setspecific(key, c);
    return c;
}

static npu_core *core_here(void) {
    static _Thread_local npu_core *mine;
    if (mine)
        return mine;
    pthread_once(&once, make_key);
    return mine = core_new();
}

int64_t npu_enter(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    c->mix = form;
    c->block = a[0].v[0];
    c->blocks = form == 1 ? a[1].v[0] / 2 : a[1].v[0];
    c->nqueues = c->nautos = c->nmm = 0;
    c->nargs = (int)a[2].n;
    for (int i = 0; i < c->nargs; i++)
        c->arg[i] = (npu_memory){(uint8_t *)(intptr_t)a[2].sub[i].v[0], a[2].sub[i].v[1]};
    for (int s = 0; s < NPU_LOCALS; s++)
        c->free_at[s] = 0;
    for (int s = NPU_UB; s < NPU_LOCALS; s++) { /* what the last kernel has touched */
        memset(c->local[s].at, 0, (size_t)c->used[s]);
        c->used[s] = 0;
    }
    c->mask[0] = c->mask[1] = UINT64_MAX;
    c->counter = c->short32 = false;
    c->load_repeats = 1;
    c->load_boundary = c->load_stride = c->load_mode = c->load_h = c->load_w = 0;
    c->pre_quant = 0;
    c->deq_scale = 1;
    c->deq_word = 0x3f800000;
    c->deq_at = npu_addr(NPU_UB, 0);
    c->cmp[0] = c->cmp[1] = 0;
    memset(c->events, 0, sizeof c->events);
    memset(c->waits, 0, sizeof c->waits);
    c->mv = (npu_mover){.pointed = DT_f16, .aipp.plane = {NPU_NOWHERE, NPU_NOWHERE}};
    return 0;
}

int64_t npu_get_block(npu_core *c, const npu_arg *a, int form, int code) {
    (void)a;
    (void)form;
    return code ? c->blocks : c->block;
}

int64_t npu_word(npu_core *c, const npu_arg *a, int form, int code) {
    (void)c;
    (void)form;
    (void)code;
    const int64_t *p = (const int64_t *)(intptr_t)a[0].v[0];
    int64_t i = a[1].v[0];
    return i >= 0 && i < a[0].v[1] / 8 ? p[i] : 0;
}

int64_t npu_place(npu_core *c, const npu_arg *a, int form, int code) {
    (void)c;
    (void)form;
    (void)code;
    return npu_addr(npu_space_of(npu_int_of(&a[0], 9)), 0);
}

int64_t npu_len(npu_core *c, const npu_arg *a, int form, int code) {
    (void)a;
    (void)form;
    (void)code;
    return c->len;
}

/* LocalTensorAuto: memory of its own for each place in the kernel that makes one. (site, bytes) */
int64_t npu_auto(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    int64_t site = a[0].v[0], bytes = (a[1].v[0] + 31) & ~INT64_C(31);
    for (int i = 0; i < c->nautos; i++)
        if (c->autos[i].site == site && c->autos[i].bytes >= bytes)
            return c->autos[i].addr;
    int64_t addr = npu_addr(NPU_UB, c->free_at[NPU_UB]);
    c->free_at[NPU_UB] += bytes;
    if (c->nautos < NPU_MAX_AUTOS)
        c->autos[c->nautos++] = (npu_auto_tensor){site, addr, bytes};
    return addr;
}

/* Rows that only the compiler reads. */
int64_t npu_front(npu_core *c, const npu_arg *a, int form, int code) {
    (void)c;
    (void)a;
    (void)form;
    (void)code;
    return 0;
}

static npu_memory memory_of(const npu_core *c, int space) {
    npu_memory none = {0};
    if (space > 0 && space < NPU_LOCALS)
        return c->local[space];
    if (space >= NPU_ARG && space < NPU_ARG + c->nargs)
        return c->arg[space - NPU_ARG];
    return none;
}

uint8_t *npu_at(npu_core *c, int64_t addr, int64_t n, int64_t *there) {
    npu_memory m = memory_of(c, npu_space(addr));
    int64_t at = npu_byte(addr);
    if (!npu_space(addr) && at > 4096) { /* read from a table of pointers */
        *there = n;
        return (uint8_t *)(intptr_t)at;
    }
    if (at < 0 || at >= m.bytes || n <= 0) {
        *there = 0;
        return NULL;
    }
    *there = n < m.bytes - at ? n : m.bytes - at;
    if (npu_space(addr) < NPU_LOCALS && at + *there > c->used[npu_space(addr)])
        c->used[npu_space(addr)] = at + *there;
    return m.at + at;
}

void npu_read(npu_core *c, int64_t addr, void *out, int64_t n) {
    int64_t there;
    const uint8_t *p = npu_at(c, addr, n, &there);
    if (p)
        memcpy(out, p, (size_t)there);
    if (there < n)
        memset((uint8_t *)out + there, 0, (size_t)(n - there));
}

void npu_write(npu_core *c, int64_t addr, const void *in, int64_t n) {
    int64_t there;
    uint8_t *p = npu_at(c, addr, n, &there);
    if (p)
        memmove(p, in, (size_t)there);
}

int64_t npu_field(const npu_arg *list, uint32_t i) {
    return i < list->n ? npu_int_of(&list->sub[i], 0) : 0;
}
double npu_field_float(const npu_arg *list, uint32_t i) {
    return i < list->n ? npu_number(&list->sub[i]) : 0;
}

double npu_load_float(dtype dt, const void *p) {
    uint16_t h;
    float f;
    double d;
    switch (dt) {
    case DT_f16: return memcpy(&h, p, 2), npu_half_to_float(h);
    case DT_bf16: return memcpy(&h, p, 2), npu_bf16_to_float(h);
    case DT_f32: return memcpy(&f, p, 4), f;
    case DT_f64: return memcpy(&d, p, 8), d;
    default: return (double)npu_load_int(dt, p);
    }
}

int64_t npu_load_int(dtype dt, const void *p) {
    uint64_t u = 0;
    int bytes = dtype_table[dt].bytes;
    if (dtype_is_float(dt))
        return (int64_t)npu_load_float(dt, p);
    memcpy(&u, p, (size_t)bytes);
    int up = 64 - 8 * bytes;
    return dtype_table[dt].cls == 'I' ? (int64_t)(u << up) >> up : (int64_t)u;
}

void npu_store(dtype dt, void *p, const npu_arg *x) {
    if (dtype_is_float(dt)) {
        double v = npu_number(x);
        float f = (float)v;
        uint16_t h = dt == DT_f16 ? npu_float_to_half(f) : npu_float_to_bf16(f);
        memcpy(p,
               dt == DT_f64   ? (void *)&v
               : dt == DT_f32 ? (void *)&f
                              : &h,
               dtype_table[dt].bytes);
        return;
    }
    int64_t v = npu_int_of(x, 0);
    memcpy(p, &v, dtype_table[dt].bytes);
}

int64_t npu_get_value(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    uint8_t p[8];
    npu_read(c, a[0].v[0] + npu_int_of(&a[1], 0) * dtype_table[a[0].dt].bytes, p,
             dtype_table[a[0].dt].bytes);
    if (!dtype_is_float(a[0].dt))
        return npu_load_int(a[0].dt, p);
    double d = npu_load_float(a[0].dt, p);
    int64_t bits;
    memcpy(&bits, &d, 8);
    return bits;
}

int64_t npu_set_value(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    uint8_t p[8];
    npu_store(a[0].dt, p, &a[2]);
    npu_write(c, a[0].v[0] + npu_int_of(&a[1], 0) * dtype_table[a[0].dt].bytes, p,
              dtype_table[a[0].dt].bytes);
    return 0;
}

/* Calls. */

typedef struct {
    const int64_t *tag, *value;
    npu_arg pool[256];
    int used;
} decoder;

/* A tensor's shape, where set_shape_info has given it one. */
static bool decode_dims(decoder *d, npu_arg *a) {
    npu_arg *sub = &d->pool[d->used];
    d->used += (int)a->n;
    if (d->used > 256)
        return false;
    a->sub = sub;
    for (uint32_t i = 0; i < a->n; i++)
        sub[i] = (npu_arg){.kind = NPU_int, .v = {*d->value++}};
    return true;
}

static bool decode(decoder *d, npu_arg *a) {
    int64_t t = *d->tag++;
    *a = (npu_arg){
        .kind = (npu_kind)(t & 255), .dt = (dtype)(t >> 8 & 255), .n = (uint32_t)(t >> 16)};
    switch (a->kind) {
    case NPU_int:
    case NPU_address: a->v[0] = *d->value++; return true;
    case NPU_float: memcpy(&a->f, d->value++, 8); return true;
    case NPU_local:
    case NPU_global:
        a->v[0] = *d->value++;
        a->v[1] = *d->value++;
        return decode_dims(d, a);
    case NPU_bits:
    case NPU_buffer:
        a->v[0] = *d->value++;
        a->v[1] = *d->value++;
        return true;
    case NPU_list: {
        npu_arg *sub = &d->pool[d->used];
        d->used += (int)a->n;
        if (d->used > 256)
            return false;
        a->sub = sub;
        for (uint32_t i = 0; i < a->n; i++)
            if (!decode(d, &sub[i]))
                return false;
        return true;
    }
    default: return true;
    }
}

static const struct {
    npu_run *run;
    int code;
} rows[] = {
#define ASC(name, unit, result, run, code, forms, doc) {npu_##run, code},
#include "base/asc.def"
#undef ASC
};

int64_t pyasc_npu(const int64_t *tags, const int64_t *values) {
    npu_core *c = core_here();
    npu_arg a[32];
    decoder d;
    if (!c)
        return 0;
    d.tag = tags + 3;
    d.value = values;
    d.used = 0;
    int n = (int)(tags[1] >> 8);
    for (int i = 0; i < n && i < 31; i++)
        if (!decode(&d, &a[i]))
            return 0;
    a[n < 31 ? n : 31].kind = NPU_absent; /* so that a form may lack the last parameter */
    c->line = tags[2];
    return rows[tags[0]].run(c, a, (int)(tags[1] & 255), rows[tags[0]].code);
}
