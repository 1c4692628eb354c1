/* The way from front IR to loaded code. The disk cache is asked first, under the hash of the IR's
   text, the machine, the options and the version; on a hit neither our passes nor LLVM run. */
#include "drv/compile.h"
#include "ana/apart.h"
#include "drv/host.h"
#include "pass/pass.h"
#include "target/cpu/cpu.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#define VERSION "pyasc 0.1.0 object 35"
static const char *const before[] = {"unset", "webs", "infer", "fold", "promote", "serial",
                                     "fold",  "dce",  "count", "fold", "branch"};
static const char *const tiles[] = {"tiles"};
/* Where they were forwarded. */
static const char *const untiled[] = {"promote", "fold", "dce",  "flatten",
                                      "fold",    "sink", "fold", "dce"};
static const char *const middle[] = {"accum",   "unroll", "fold",   "dce",
                                     "version", "domain", "touches"};
static const char *const after[] = {"sized",  "fold",     "dce",    "split", "amass",
                                    "raises", "contract", "spread", "lanes", "fold",
                                    "dce",    "lift",     "dce",    "plan"};
#define LEN(a) (sizeof(a) / sizeof *(a))

typedef struct {
    ir_func *f;
    const drv_options *o;
    diag *d;
    drv_result *out;
    pass_options passes;
    struct timespec since; /* of o->time: the end of the stage before */
    int step;
} drv;

/* A stage has ended. */
static void took(void *self, const char *stage) {
    drv *c = self;
    struct timespec now;
    if (!c->o->time)
        return;
    clock_gettime(CLOCK_MONOTONIC, &now);
    double ms = (double)(now.tv_sec - c->since.tv_sec) * 1e3 +
                (double)(now.tv_nsec - c->since.tv_nsec) * 1e-6;
    if (stage)
        fprintf(stderr, "pyasc: time %s %.3f ms\n", stage, ms);
    c->since = now;
}

static void write_dump(drv *c, const char *stage, const char *suffix, const char *text, size_t n) {
    char path[4096];
    mkdir(c->o->dump_dir, 0777);
    snprintf(path, sizeof path, "%s/%s", c->o->dump_dir, c->f->name);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s/%02d-%s.%s", c->o->dump_dir, c->f->name, c->step++, stage,
             suffix);
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    fwrite(text, 1, n, file);
    fclose(file);
}

static void dump(drv *c, const char *stage) {
    bool wanted = c->o->stage && !strcmp(c->o->stage, stage);
    str text = {0};
    if (!wanted && !c->o->dump_dir)
        return;
    ir_print(c->f, &text);
    if (c->o->dump_dir)
        write_dump(c, stage, "ir", text.p, text.n);
    if (wanted) {
        free(c->out->text);
        c->out->text = text.p;
    } else
        str_free(&text);
}

static status run(drv *c, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++) {
        TRY(pass_run(c->f, names[i], &c->passes, c->d));
        took(c, names[i]);
        dump(c, names[i]);
    }
    return OK;
}

static int arg_of(const ir_func *f, const ir_value *v) {
    for (uint32_t i = 0; i < f->body->nargs; i++)
        if (f->body->args[i] == v)
            return (int)i;
    return -1;
}

static bool shows_block(const ir_op *op) {
    return op->code == OP_raise || op->code == OP_touch || op->code == OP_lid ||
           op->code == OP_bid || op->code == OP_lsize || op->code == OP_nblocks ||
           op->code == OP_barrier || (op->code == OP_alloc && op->out[0]->type.space == SP_shared);
}

static status check_meta(drv *c, const rt_meta *m) {
    loc none = {0};
    if (m->nextent < RT_MAX_EXTENT && m->nbound < RT_MAX_BOUND && c->f->body->nargs <= RT_MAX_ARG)
        return OK;
    return diag_error(c->d, none, "split the kernel",
                      "the kernel has too many arguments or subscripts by ids");
}

static void add_extent(rt_meta *m, int arg, int dim, int axis, int weight) {
    for (int i = 0; i < m->nextent; i++)
        if (m->extent[i].arg == arg && m->extent[i].dim == dim && m->extent[i].axis == axis &&
            m->extent[i].weight == weight)
            return;
    if (m->nextent < RT_MAX_EXTENT)
        m->extent[m->nextent++] = (rt_extent){arg, dim, axis, weight};
}

static void fill_prints(const ir_op *op, front_print *p) {
    for (uint32_t k = 0; k < p->n; k++)
        if (p->pieces[k].value >= 0)
            p->pieces[k].dt = (dtype)op->in[p->pieces[k].value]->type.dt;
}

static bool waits_for_cores(const char *name) {
    static const char *const names[] = {"sync_all", "ib_wait", "cross_core_wait_flag",
                                        "wait_pre_block"};
    for (size_t i = 0; i < LEN(names); i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static void collect(drv *c, const ir_region *r) {
    rt_meta *m = &c->out->meta;
    for (const ir_op *op = r->first; op; op = op->next) {
        for (int i = 0; i < op->nreg; i++)
            collect(c, op->reg[i]);
        int arg = op->nin ? arg_of(c->f, op->in[0]) : -1;
        if (op->code == OP_extent)
            add_extent(m, arg, (int)op->attr[0].i, (int)(op->attr[1].i / 2),
                       (int)(op->attr[1].i % 2));
        else if (op->code == OP_bound && m->nbound < RT_MAX_BOUND) {
            rt_bound b = {
                .arg = arg, .axis = (int)op->attr[0].i, .site = op->site, .k = op->attr[1].v[3]};
            memcpy(b.c, op->attr[1].v, sizeof b.c);
            m->bound[m->nbound++] = b;
        } else if ((op->code == OP_store || op->code == OP_atomic) && arg >= 0 && arg < 64)
            m->written |= (uint64_t)1 << arg;
        else if (op->code == OP_print && c->o->prints)
            fill_prints(op, &c->o->prints[op->attr[0].i]);
        m->together = m->together || (op->code == OP_npu && waits_for_cores(op->attr[0].s));
        m->pairs = m->pairs || (op->code == OP_npu && !strcmp(op->attr[0].s, "Matmul.__init__"));
        if (op->code == OP_gid && op->attr[0].i + 1 > m->ndim)
            m->ndim = (int)op->attr[0].i + 1;
        if (op->code == OP_gid)
            m->dims |= 1 << op->attr[0].i;
        m->loops = m->loops || op->code == OP_for || op->code == OP_loop;
        if (shows_block(op))
            m->flat = 0;
        if (op->code == OP_touch)
            m->races = m->serial = 1;
    }
}

/* Does every op run at most once, soon, and without a word to other threads? */
static bool brief(const ir_region *r) {
    for (const ir_op *op = r->first; op; op = op->next) {
        switch (op->code) {
        case OP_load:
        case OP_store:
        case OP_if:
        case OP_scope:
        case OP_leave:
        case OP_yield:
        case OP_extent:
        case OP_bound: break;
        default:
            if (ir_ops[op->code].effect != EFF_PURE)
                return false;
        }
        for (int i = 0; i < op->nreg; i++)
            if (!brief(op->reg[i]))
                return false;
    }
    return true;
}

/* With a Matmul, a cube core and two vector cores run a kernel of package asc together; a kernel
   for cube cores alone (form 2) stays one for these. */
static void set_pairs(drv *c) {
    rt_meta *m = &c->out->meta;
    for (ir_op *op = c->f->body->first; op && m->pairs; op = op->next)
        if (op->code == OP_npu && !strcmp(op->attr[0].s, "core.enter")) {
            int64_t *tags = ARENA_ARRAY(c->f->mem, int64_t, (size_t)op->attr[1].i);
            memcpy(tags, op->attr[1].v, (size_t)op->attr[1].i * sizeof *tags);
            m->pairs = !(tags[0] & 255);
            tags[0] |= m->pairs;
            op->attr[1].v = tags;
            return;
        }
}

/* Bytes that plan has given out. */
static void scratch(const ir_region *r, int64_t *total) {
    for (const ir_op *op = r->first; op; op = op->next) {
        if (op->code == OP_alloc) {
            int64_t n = dtype_table[op->out[0]->type.dt].bytes;
            for (int64_t i = 0; i < op->attr[0].i; i++)
                n *= op->attr[0].v[i];
            *total = *total > op->attr[1].i + n ? *total : op->attr[1].i + n;
        }
        for (int i = 0; i < op->nreg; i++)
            scratch(op->reg[i], total);
    }
}

static const cpu_target *target(const char *path, diag *d) {
    loc none = {0};
    void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const cpu_target *(*get)(void) = NULL;
    if (lib)
        *(void **)&get = dlsym(lib, "pyasc_cpu_target");
    if (!get)
        diag_error(d, none, NULL, "the code generator cannot be loaded: %s", dlerror());
    return get ? get() : NULL;
}

static status load(drv *c, const void *object, size_t size) {
    char why[200] = "";
    loc none = {0};
    c->out->code = rt_load(object, size, why, sizeof why);
    void *entry = c->out->code ? rt_code_symbol(c->out->code, c->f->name) : NULL;
    if (!entry) {
        rt_code_free(c->out->code);
        c->out->code = NULL;
        diag_error(c->d, none, NULL, "machine code cannot be loaded: %s", why);
        return BUG;
    }
    *(void **)&c->out->entry = entry;
    return OK;
}

static bool is_stage(const drv *c, const char *name) {
    return c->o->stage && !strcmp(c->o->stage, name);
}

static status emit(drv *c, void **object, size_t *size) {
    const cpu_target *t = target(c->o->llvm_path, c->d);
    if (!t)
        return ERR;
    bool dumps = c->o->dump_dir != NULL;
    cpu_options o = {c->o->alias, c->o->opt_level, took, c};
    char *llvm = NULL, *assembly = NULL;
    status st = t->emit(c->f, &o, c->d, object, size, dumps || is_stage(c, "llvm") ? &llvm : NULL,
                        dumps || is_stage(c, "asm") ? &assembly : NULL);
    if (dumps && llvm)
        write_dump(c, "llvm", "ll", llvm, strlen(llvm));
    if (dumps && assembly)
        write_dump(c, "asm", "s", assembly, strlen(assembly));
    char **keep = is_stage(c, "llvm") ? &llvm : is_stage(c, "asm") ? &assembly : NULL;
    if (keep) {
        c->out->text = *keep;
        *keep = NULL;
    }
    free(llvm);
    free(assembly);
    return st;
}

static rt_key key_of(drv *c) {
    char facts[512], host[128];
    str text = {0};
    host_key(host, sizeof host);
    int n =
        snprintf(facts, sizeof facts, "%s|%s|%s|%d|%d|%d", VERSION, c->o->build ? c->o->build : "",
                 host, c->o->alias, c->o->opt_level, c->o->fastmath);
    const int64_t *b = c->o->size;
    if (ir_has_op(c->f->body, OP_barrier))
        snprintf(facts + n, sizeof facts - (size_t)n, "|%lldx%lldx%lld", (long long)b[0],
                 (long long)b[1], (long long)b[2]);
    ir_print(c->f, &text);
    rt_key key = rt_key_of(text.p, text.n, facts, strlen(facts));
    str_free(&text);
    return key;
}

static bool cached(drv *c, const rt_key *key) {
    void *object;
    size_t size;
    if (rt_cache_get(c->o->cache_dir, key, &c->out->meta, &object, &size) != 0)
        return false;
    diag mute = {.mem = c->d->mem}, *d = c->d;
    c->d = &mute;
    bool ok = load(c, object, size) == OK;
    c->d = d;
    free(object);
    c->out->from_cache = ok;
    return ok;
}

/* From accum on. */
static status rest(drv *c) {
    rt_meta *m = &c->out->meta;
    TRY(run(c, middle, LEN(middle)));
    memset(m, 0, sizeof *m);
    m->flat = m->simt = c->f->simt;
    m->serial = c->f->prints || c->o->alias == ALIAS_any;
    collect(c, c->f->body);
    m->blocks = pass_knows_sizes(c->f, &c->passes);
    m->brief = m->simt && brief(c->f->body) ? ir_count(c->f->body) : 0;
    set_pairs(c);
    TRY(check_meta(c, m));
    for (uint32_t i = 0; i < c->f->body->nargs; i++)
        m->apart[i] = ana_apart(c->f, c->f->body->args[i], m->dims);
    return run(c, after, LEN(after));
}

/* Back to the kernel from before tiles. */
static void as_written(drv *c, ir_func *f, int tiled) {
    memset(f->block, 0, sizeof f->block);
    f->tiled = tiled;
    c->f = f;
}

static status passes(drv *c) {
    rt_meta *m = &c->out->meta;
    TRY(run(c, before, LEN(before)));
    ir_func *written = c->f->block[0] ? ir_copy(c->f) : NULL;
    str *notes = c->passes.notes;
    size_t told = notes ? notes->n : 0;
    TRY(run(c, tiles, LEN(tiles)));
    if (c->f->tiled >= IR_FORWARDED) {
        TRY(run(c, untiled, LEN(untiled)));
    } else {
        if (written)
            as_written(c, written, c->f->tiled);
        for (size_t i = 0; i < LEN(untiled); i++) /* whoever asks sees what there is */
            dump(c, untiled[i]);
    }
    TRY(rest(c));
    if (c->f->tiled == IR_ON_TRIAL && !c->f->whole) {
        as_written(c, written, 0);
        if (notes && notes->p)
            notes->p[notes->n = told] = 0;
        TRY(rest(c));
    }
    scratch(c->f->body, &m->scratch);
    m->width = c->f->width;
    m->strip = c->f->strip;
    m->whole = c->f->whole;
    m->tiled = c->f->tiled > IR_FORWARDED ? IR_FORWARDED : c->f->tiled;
    dump(c, "final");
    return OK;
}

/* The launch's blocks matter to no kernel without shared memory. */
static void set_block(drv *c) {
    bool shared = false;
    for (const ir_op *op = c->f->body->first; op; op = op->next)
        shared = shared || (op->code == OP_alloc && op->out[0]->type.space == SP_shared);
    if (shared && c->o->alias == ALIAS_none)
        memcpy(c->f->block, c->o->block, sizeof c->f->block);
}

typedef struct {
    unsigned line;
    int number;
    const char *text;
} note;

static int by_line(const void *a, const void *b) {
    const note *x = a, *y = b;
    return x->line != y->line ? (x->line < y->line ? -1 : 1) : x->number - y->number;
}

/* The passes' notes by line, each once. */
static void explain(drv *c, str *notes) {
    int n = 0, lines = 0;
    str text = {0};
    for (const char *p = notes->p; p && *p; p++)
        lines += *p == '\n';
    note *all = ARENA_ARRAY(c->f->mem, note, lines + 1);
    for (char *p = notes->p, *end; n < lines; p = end + 1, n++) {
        end = strchr(p, '\n');
        *end = 0;
        all[n] = (note){(unsigned)strtoul(p + 5, NULL, 10), n, p};
    }
    qsort(all, (size_t)n, sizeof *all, by_line);
    for (int i = 0; i < n; i++)
        if (!i || strcmp(all[i].text, all[i - 1].text))
            str_addf(&text, "%s\n", all[i].text);
    if (!n)
        str_add(&text, "no loop that is looked at: LLVM sees to them\n");
    c->out->text = text.p;
}

status drv_compile(ir_func *f, const drv_options *o, diag *d, drv_result *out) {
    drv c = {.f = f, .o = o, .d = d, .out = out};
    c.passes = (pass_options){.width_bytes = host_vector_bytes(),
                              .pairs = host_pairs(),
                              .fastmath = o->fastmath,
                              .alias = o->alias == ALIAS_any,
                              .same = o->alias == ALIAS_same,
                              .verify = o->verify};
    memcpy(c.passes.block, o->size, sizeof o->size);
    set_block(&c);
    bool disk = o->cache_dir && !o->stage && !f->prints && !o->dump_dir; /* a dump has all stages */
    dump(&c, "front");
    took(&c, NULL);
    rt_key key = {{0}};
    if (disk) {
        key = key_of(&c);
        if (cached(&c, &key))
            return OK;
    }
    str notes = {0};
    c.passes.notes = is_stage(&c, "explain") ? &notes : NULL;
    status done = passes(&c);
    if (c.passes.notes && done == OK)
        explain(&c, &notes);
    str_free(&notes);
    TRY(done);
    void *object = NULL;
    size_t size = 0;
    if (o->stage && out->text)
        return OK;
    TRY(emit(&c, &object, &size));
    status st = load(&c, object, size);
    took(&c, "load");
    if (st == OK && disk)
        rt_cache_put(o->cache_dir, &key, &out->meta, object, size, o->cache_bytes);
    free(object);
    return st;
}
