/* The Matmul object: what is set, and which block goes where. */
#include "npu/matmul.h"
#include <stdlib.h>
#include <string.h>

void npu_matmul_free(npu_core *c) {
    for (int i = 0; i < NPU_MAX_MATMULS; i++) {
        if (c->mm[i])
            free(c->mm[i]->sums);
        free(c->mm[i]);
    }
}

/* The object; NULL when there is none of that number. */
npu_matmul *npu_mm(npu_core *c, const npu_arg *a) {
    int64_t i = a->v[0];
    return a->kind == NPU_int && i >= 0 && i < c->nmm ? c->mm[i] : NULL;
}

static npu_mm_type type_of(const npu_arg *a) {
    npu_mm_type t = {.pos = npu_field(a, 0),
                     .format = npu_field(a, 1),
                     .dt = DT_f32,
                     .trans = npu_field(a, 3),
                     .layout = npu_field(a, 4)};
    if (a->n > 2 && a->sub[2].kind == NPU_dtype)
        t.dt = a->sub[2].dt;
    return t;
}

/* A TCubeTiling; or (form 1) a MatmulApiStaticTiling, which has no fields 22 to 25, and -1 for what
   is not set. */
static void set_tiling(npu_matmul *mm, const npu_arg *a, int form) {
    enum { FIRST = 22, LAST = 26 };
    for (uint32_t i = 0; i < T_FIELDS; i++) {
        bool has = form == 0 || i < FIRST || i >= LAST;
        mm->t[i] = has ? npu_field(a, form && i >= LAST ? i - (LAST - FIRST) : i) : 0;
        if (mm->t[i] < 0)
            mm->t[i] = 0;
    }
    mm->at = -1;
}

/* Fields of MatmulConfig that mean something here, by their place. */
enum { CONFIG_BIAS_BATCH = 40, CONFIG_SPLIT = 45 };

int64_t npu_mm_new(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    if (c->nmm == NPU_MAX_MATMULS)
        return -1;
    npu_matmul *mm = c->mm[c->nmm];
    if (!mm && !(mm = c->mm[c->nmm] = calloc(1, sizeof *mm)))
        return -1;
    void *sums = mm->sums;
    int64_t room = mm->room;
    *mm = (npu_matmul){.sums = sums, .room = room, .at = -1, .bias_batch = true};
    for (int i = 0; i < MM_TYPES; i++)
        if (a[i].kind == NPU_list)
            mm->type[i] = type_of(&a[i]);
    if (form == 1)
        set_tiling(mm, &a[4], 1);
    else if (a[4].kind == NPU_list) {
        mm->bias_batch = npu_field(&a[4], CONFIG_BIAS_BATCH);
        mm->split_channels = npu_field(&a[4], CONFIG_SPLIT);
    }
    return c->nmm++;
}

int64_t npu_mm_register(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    npu_matmul *mm = npu_mm(c, &a[2]);
    if (mm && a[3].kind == NPU_list)
        set_tiling(mm, &a[3], form);
    if (mm)
        mm->system = a[1].v[0];
    return 0;
}

int64_t npu_mm_init(npu_core *c, const npu_arg *a, int form, int code) {
    (void)code;
    npu_matmul *mm = npu_mm(c, &a[0]);
    if (mm)
        set_tiling(mm, &a[1], form);
    return 0;
}

int64_t npu_mm_operand(npu_core *c, const npu_arg *a, int form, int code) {
    npu_matmul *mm = npu_mm(c, &a[0]);
    if (!mm)
        return 0;
    npu_mm_side *x = &mm->in[code];
    *x = (npu_mm_side){.there = true, .scalar = form == 1};
    if (form == 1) {
        uint8_t bits[8];
        npu_store(mm->type[code].dt, bits, &a[1]);
        x->value = (float)npu_load_float(mm->type[code].dt, bits);
    } else {
        x->addr = a[1].v[0];
        x->local = a[1].kind == NPU_local;
        x->trans = npu_int_of(&a[2], 0);
    }
    mm->at = -1;
    return 0;
}

int64_t npu_mm_bias(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    npu_matmul *mm = npu_mm(c, &a[0]);
    if (mm && (mm->biased = code)) {
        mm->bias_addr = a[1].v[0];
        mm->bias_dt = a[1].dt;
    }
    return 0;
}

int64_t npu_mm_org_shape(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    npu_matmul *mm = npu_mm(c, &a[0]);
    if (!mm)
        return 0;
    mm->t[T_m] = npu_int_of(&a[1], 0);
    mm->t[T_n] = npu_int_of(&a[2], 0);
    mm->t[T_k_a] = npu_int_of(&a[3], 0);
    mm->t[T_k_b] = npu_int_of(&a[4], mm->t[T_k_a]);
    mm->org_n_c = npu_int_of(&a[5], 0);
    return 0;
}

/* code 1: set_tail, where -1 and what is left out stay as they are. */
int64_t npu_mm_single_shape(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    npu_matmul *mm = npu_mm(c, &a[0]);
    for (int i = 0; mm && i < 3; i++) {
        int64_t x = npu_int_of(&a[1 + i], -1);
        if (x != -1 || !code)
            mm->t[T_single_m + i] = x > 0 ? x : 0;
    }
    if (mm)
        mm->at = -1;
    return 0;
}

int64_t npu_mm_quant(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    npu_matmul *mm = npu_mm(c, &a[0]);
    if (!mm)
        return 0;
    mm->factor = code ? NPU_factors : NPU_one_factor;
    if (code)
        mm->factor_addr = a[1].v[0];
    else
        mm->factor_bits = (uint64_t)a[1].v[0];
    return 0;
}

int64_t npu_mm_workspace(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    npu_matmul *mm = npu_mm(c, &a[0]);
    if (mm)
        mm->space = a[1].v[0];
    return 0;
}

int64_t npu_mm_hf32(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    npu_matmul *mm = npu_mm(c, &a[0]);
    if (mm)
        mm->hf32 = npu_int_of(&a[1], 0);
    return 0;
}

int64_t npu_mm_batch_num(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    npu_matmul *mm = npu_mm(c, &a[0]);
    for (int i = 0; mm && i < 2; i++)
        mm->batch[i] = npu_int_of(&a[1 + i], 0);
    return 0;
}

int64_t npu_mm_sparse(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    npu_matmul *mm = npu_mm(c, &a[0]);
    if (mm) {
        mm->sparse = true;
        mm->sparse_addr = a[1].v[0];
    }
    return 0;
}

int64_t npu_mm_ignored(npu_core *c, const npu_arg *a, int form, int code) {
    (void)c;
    (void)a;
    (void)form;
    (void)code;
    return 0;
}

int64_t npu_mm_end(npu_core *c, const npu_arg *a, int form, int code) {
    (void)form;
    (void)code;
    npu_matmul *mm = npu_mm(c, &a[0]);
    if (mm) {
        mm->at = -1;
        mm->biased = mm->sparse = false;
        mm->factor = NPU_as_is;
        mm->in[0].there = mm->in[1].there = false;
    }
    return 0;
}
