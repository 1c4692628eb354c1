/* See raise.h. The race checker keeps, for each element touched, who wrote and who read it since
   the last barrier: one entry per element, in pages found by a hash of the address. A checked
   launch runs on one thread. */
#include "rt/raise.h"
#include <stdlib.h>
#include <string.h>

static bool before(const int64_t *a, const int64_t *b) {
    return a[0] != b[0] ? a[0] < b[0] : a[1] < b[1];
}

static void note(rt_raised *r, int64_t slot, int64_t n, const int64_t *values, int64_t other,
                 int64_t other_item, bool uninit) {
    while (atomic_flag_test_and_set_explicit(&r->lock, memory_order_acquire)) {
    }
    if (!atomic_load(&r->any) || before(values, r->values)) {
        r->slot = slot;
        r->n = n < RT_TRAP_VALUES ? n : RT_TRAP_VALUES;
        memcpy(r->values, values, sizeof *values * (size_t)(RT_TRAP_HEAD + 2 * r->n));
        r->other = other;
        r->other_item = other_item;
        r->uninit = uninit;
        atomic_store(&r->any, true);
    }
    atomic_flag_clear_explicit(&r->lock, memory_order_release);
}

void pyasc_trap(const rt_launch *l, int64_t slot, int64_t n, const int64_t *values) {
    if (l->raised)
        note(l->raised, slot, n, values, -1, 0, false);
}

/* Who was there: the epoch of the last write and read, their items and slots. `many` reads: by more
   than one item. stored: the block that has written it, plus one. */
typedef struct {
    uint32_t write_epoch, read_epoch;
    int32_t writer, reader; /* reader -1: many */
    int32_t write_slot, read_slot;
    int64_t stored;
} entry;

enum { PAGE = 4096, TABLE_LEAST = 256, RECENT = 64 };
typedef struct page {
    uintptr_t key; /* address / PAGE * 8 + log2 of the element's size */
    entry *e;
} page;

struct rt_shadow {
    page *table;
    size_t cap, n;
    page recent[RECENT];
    uintptr_t key; /* of the page found last */
    entry *e;
    uint32_t epoch;
    int64_t block;
};

struct rt_shadow *rt_shadow_new(void) {
    struct rt_shadow *s = calloc(1, sizeof *s);
    if (s && !(s->table = calloc(TABLE_LEAST, sizeof *s->table))) {
        free(s);
        return NULL;
    }
    if (s)
        s->cap = TABLE_LEAST, s->epoch = 1, s->block = -1;
    return s;
}

void rt_shadow_free(struct rt_shadow *s) {
    if (!s)
        return;
    for (size_t i = 0; i < s->cap; i++)
        free(s->table[i].e);
    free(s->table);
    free(s);
}

static size_t hash(uintptr_t key) { return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 20); }

static page *slot_in(page *table, size_t cap, uintptr_t key) {
    size_t i = hash(key) & (cap - 1);
    while (table[i].e && table[i].key != key)
        i = (i + 1) & (cap - 1);
    return &table[i];
}

static bool grow(struct rt_shadow *s) {
    page *t = calloc(2 * s->cap, sizeof *t);
    if (!t)
        return false;
    for (size_t i = 0; i < s->cap; i++)
        if (s->table[i].e)
            *slot_in(t, 2 * s->cap, s->table[i].key) = s->table[i];
    free(s->table);
    s->table = t;
    s->cap *= 2;
    return true;
}

static inline entry *find(struct rt_shadow *s, uintptr_t p, unsigned log) {
    uintptr_t key = (p / PAGE) * 8 + log;
    if (key == s->key)
        return &s->e[(p % PAGE) >> log];
    page *r = &s->recent[key & (RECENT - 1)];
    if (r->key != key || !r->e) {
        page *at = slot_in(s->table, s->cap, key);
        if (!at->e) {
            if (s->n * 2 > s->cap && (!grow(s) || !(at = slot_in(s->table, s->cap, key))))
                return NULL;
            entry *e = calloc((size_t)PAGE >> log, sizeof *e);
            if (!e)
                return NULL;
            *at = (page){key, e};
            s->n++;
        }
        *r = *at;
    }
    s->key = key;
    s->e = r->e;
    return &r->e[(p % PAGE) >> log];
}

void pyasc_epoch(const rt_launch *l) {
    if (l->raised && l->raised->shadow)
        l->raised->shadow->epoch++;
}

static void report(const rt_launch *l, int64_t slot, int64_t mode, int64_t block, int64_t item,
                   const int64_t *index, int64_t other, int64_t other_item, bool uninit) {
    int64_t v[RT_TRAP_HEAD + 2 * RT_TRAP_VALUES] = {block, item}, n = mode >> 16, k = item,
                                 b = block;
    for (int d = 0; d < 3; d++) { /* as the block's shape has it: a cut-off block counts alike */
        int64_t left = l->nblk[d] ? l->nblk[d] : 1;
        v[2 + d] = b % left;
        b /= left;
        int64_t size = l->block[d], rest = l->n[d] - v[2 + d] * l->block[d];
        size = rest < size ? rest : size;
        size = size > 0 ? size : 1;
        v[5 + d] = d < 2 ? k % size : k;
        k /= size;
    }
    n = n < RT_TRAP_VALUES ? n : RT_TRAP_VALUES;
    for (int64_t i = 0; i < n; i++) {
        v[RT_TRAP_HEAD + 2 * i] = index[i];
        v[RT_TRAP_HEAD + 2 * i + 1] = RT_INDEX_TYPE;
    }
    note(l->raised, slot, n, v, other, other_item, uninit);
}

void pyasc_touch(const rt_launch *l, const void *p, int64_t slot, int64_t mode, int64_t block,
                 int64_t item, const int64_t *index) {
    struct rt_shadow *s = l->raised ? l->raised->shadow : NULL;
    unsigned bytes = (unsigned)(mode >> 8 & 255), log = (unsigned)__builtin_ctz(bytes ? bytes : 1);
    entry *e = s ? find(s, (uintptr_t)p, log) : NULL;
    if (!e)
        return;
    if (block != s->block) { /* blocks have no order among them, and no races are looked for */
        s->block = block;
        s->epoch++;
    }
    bool write = mode & RT_TOUCH_WRITE, race = mode & RT_TOUCH_RACE;
    if (race && e->write_epoch == s->epoch && e->writer != (int32_t)item)
        report(l, slot, mode, block, item, index, e->write_slot, e->writer, false);
    else if (race && write && e->read_epoch == s->epoch && e->reader != (int32_t)item)
        report(l, slot, mode, block, item, index, e->read_slot, e->reader, false);
    if (mode & RT_TOUCH_INIT) {
        int64_t owner = (block << 12) + 1; /* memory of a block; of an item it is zeroed for each */
        if (write)
            e->stored = owner;
        else if (e->stored != owner)
            report(l, slot, mode, block, item, index, -1, 0, true);
    }
    if (write)
        e->write_epoch = s->epoch, e->writer = (int32_t)item, e->write_slot = (int32_t)slot;
    else {
        bool many = e->read_epoch == s->epoch && e->reader != (int32_t)item;
        e->reader = many ? -1 : (int32_t)item;
        e->read_epoch = s->epoch;
        e->read_slot = (int32_t)slot;
    }
}

void *pyasc_grow(rt_launch *l, void **p, int64_t *have, int64_t bytes) {
    if (*p && bytes <= *have)
        return *p;
    size_t size = bytes > 0 ? ((size_t)bytes + 63) & ~(size_t)63 : 64;
    void *q = aligned_alloc(64, size);
    if (!q) {
        atomic_store(&l->stop, RT_NO_MEMORY);
        return NULL;
    }
    free(*p);
    *have = (int64_t)size;
    return *p = q;
}

void pyasc_free(void *p) { free(p); }
