/* Packing for op pairs: a 32-bit word holds an element of two sums in a row, as i16 or bf16, or
   bytes of four. The sums are one loop here, and of the rows it goes along the memory. Bytes of
   four are unsigned times signed: where both factors are of one kind, the rows' top bits are turned
   over, which makes them of the other and adds 128 (or takes it off), and what this makes of the
   sums is taken off where they start. */
#include "pass/block.h"

/* The conversions of a load keep its values. */
static bool keeps(const ir_value *v) {
    for (; v->def && v->def->code == OP_cast; v = v->def->in[0]) {
        const ir_type from = v->def->in[0]->type, to = v->type;
        bool wider = dtype_table[to.dt].bytes > dtype_table[from.dt].bytes;
        bool floats = dtype_is_float((dtype)to.dt) == dtype_is_float((dtype)from.dt);
        if (to.dt != from.dt && (!wider || !floats || dtype_table[to.dt].cls == 'U'))
            return false;
    }
    return true;
}

int bl_pair(const contraction *c, const pass_options *o) {
    const ir_op *r = c->narrow[G_rows], *k = c->narrow[G_cols];
    if (c->size[G_sums] != 1 || c->nguard[0] || c->nguard[1] || c->none[G_cols] || !c->whole ||
        !r || !k || !(c->unit[G_cols] || c->unit_sums[G_cols]) || !keeps(c->factor[G_rows]) ||
        !keeps(c->factor[G_cols]))
        return 0;
    int x = r->in[0]->type.dt, y = k->in[0]->type.dt;
    if ((x == DT_i8 || x == DT_u8) && (y == DT_i8 || y == DT_u8))
        return c->acc == DT_i32 && o->pairs & 1 ? DT_i8 : 0;
    if (x != y)
        return 0;
    return x == DT_bf16  ? c->acc == DT_f32 && o->pairs & 2 ? DT_bf16 : 0
           : x == DT_i16 ? c->acc == DT_i32 && o->pairs & 1 ? DT_i16 : 0
                         : 0;
}

int bl_per(const block *b) { return !b->pair ? 1 : b->pair == DT_i8 ? 4 : 2; }

static bool is_unsigned(const block *b, int side) {
    return b->c->narrow[side]->in[0]->type.dt == DT_u8;
}

/* Are the rows' top bits turned over? */
static bool turned(const block *b) {
    return b->pair == DT_i8 && is_unsigned(b, G_rows) == is_unsigned(b, G_cols);
}

static ir_value *constant(block *b, const ir_value *like, int64_t v) {
    ir_value *k = ir_iconst(b->f, b->r, b->site, (dtype)like->type.dt, v);
    return like->type.lanes == 1 ? k
                                 : ir_emit(b->f, b->r, b->site, OP_splat,
                                           ir_val((dtype)like->type.dt, like->type.lanes), 1, &k);
}
static ir_value *with(block *b, int code, ir_value *x, int64_t k) {
    return bl_two(b, code, x, constant(b, x, k));
}

/* A word of elements of 32 bits, of which the low parts count. */
static ir_value *join(block *b, ir_value *const *x) {
    int n = bl_per(b), bits = 32 / n;
    ir_value *all = NULL;
    for (int i = 0; i < n; i++) {
        ir_value *v = i + 1 < n ? with(b, OP_and, x[i], (1 << bits) - 1) : x[i];
        v = i ? with(b, OP_shl, v, i * bits) : v;
        all = all ? bl_two(b, OP_or, all, v) : v;
    }
    return all;
}

/* A word of a side as it is packed. */
static ir_value *word(block *b, int side, ir_value *v) {
    return side == G_rows && turned(b) ? with(b, OP_xor, v, (int32_t)0x80808080) : v;
}

/* An element of the tensor as 32 bits. */
static ir_value *element(block *b, ir_value *v) {
    if (v->type.dt == DT_bf16)
        v = ir_emit(b->f, b->r, b->site, OP_bits, ir_val(DT_i16, v->type.lanes), 1, &v);
    return bl_as(b, v, DT_i32);
}

/* The load once more with sum k of the stretch, as what `t` says; mask: as a vector. */
static ir_value *load_at(block *b, const ir_op *load, ir_value *k, ir_type t, ir_value *mask) {
    bl_where(b, b->c->group[G_sums][0], bl_add(b, b->u0, k));
    ir_op *n =
        ir_op_new(b->f, mask ? OP_vload : OP_load, load->site, load->nin + (mask != NULL), 1, 0);
    n->in[0] = load->in[0];
    if (mask)
        n->in[1] = mask;
    for (int i = 1; i < load->nin; i++)
        n->in[i + (mask != NULL)] = bl_again(b, load->in[i]);
    n->attr[0] = load->attr[0];
    n->out[0]->type = t;
    ir_append(b->r, n);
    return n->out[0];
}

/* The elements of word k of a stretch; some: there may be fewer than it takes, then zeros. */
static ir_value *elements(block *b, const ir_op *load, ir_value *k, bool some) {
    ir_type t = ir_val((dtype)load->in[0]->type.dt, 1);
    ir_value *x[4], *first = bl_times(b, k, bl_per(b)), *last = bl_sub(b, b->units, bl_num(b, 1));
    for (int i = 0; i < bl_per(b); i++) {
        ir_value *at = bl_add(b, first, bl_num(b, i));
        if (!some || !i) {
            x[i] = element(b, load_at(b, load, at, t, NULL));
            continue;
        }
        ir_value *v = element(b, load_at(b, load, bl_least(b, at, last), t, NULL));
        x[i] = bl_choose(b, bl_compare(b, OP_le, at, last), v, constant(b, v, 0));
    }
    return join(b, x);
}

static ir_value *whole_words(block *b) { return bl_div(b, b->units, bl_num(b, bl_per(b))); }

/* The last word, where it is not whole. */
static void odd(block *b, int side, ir_value *row, ir_value *v) {
    ir_value *at = bl_sub(b, b->kn, bl_num(b, 1));
    ir_op *op = bl_open_if(b, bl_compare(b, OP_gt, b->kn, whole_words(b)));
    ir_value *x = word(b, side, elements(b, b->c->narrow[side], at, true));
    bl_store(b, b->packed[side], x, bl_slot(b, side, row, at, v));
    bl_otherwise(b, op);
    bl_close(b);
}

/* Rows, whose sums are consecutive: words as they are in memory, a vector at a time. */
static void rows(block *b, ir_value *row, ir_value *at, ir_value *n) {
    const ir_op *load = b->c->narrow[G_rows];
    unsigned lanes = (unsigned)b->lanes;
    walk_of v = bl_open_walk(b, G_rows, at, n, "v");
    ir_value *all = whole_words(b);
    ir_value *k = bl_open_step(b, bl_num(b, 0), all, b->lanes, "k");
    ir_value *left = bl_sub(b, all, k),
             *step = ir_emit(b->f, b->r, b->site, OP_iota, ir_val(DT_i64, lanes), 0, NULL);
    ir_value *in[2] = {step, bl_vector(b, OP_splat, left)};
    ir_value *mask = ir_emit(b->f, b->r, b->site, OP_lt, ir_val(DT_bool, lanes), 2, in);
    ir_value *raw = load_at(b, load, bl_times(b, k, bl_per(b)), ir_val(DT_i32, lanes), mask);
    ir_op *st = ir_op_new(b->f, OP_vstore, b->site, 4, 0, 0);
    st->in[0] = b->packed[G_rows];
    st->in[1] = word(b, G_rows, raw);
    st->in[2] = mask;
    st->in[3] = bl_slot(b, G_rows, row, k, v.counter);
    st->attr[0].i = 1;
    ir_append(b->r, st);
    bl_close(b);
    odd(b, G_rows, row, v.counter);
    bl_close_walk(b, &v);
}

/* Columns that are consecutive: vectors of them, of the sums of a word, make one of words. */
static void columns(block *b, ir_value *row, ir_value *at, ir_value *n) {
    segment s = bl_open_segments(b, G_cols, at, n);
    for (int part = 0; part < 2; part++) { /* whole words, and the last */
        ir_value *all = whole_words(b);
        ir_value *k = bl_open_step(b, part ? all : bl_num(b, 0), part ? b->kn : all, 1, "k");
        ir_value *v = bl_open_segment(b, &s, true);
        ir_value *x = elements(b, b->c->narrow[G_cols], k, part);
        bl_store(b, b->packed[G_cols], x, bl_slot(b, G_cols, row, k, v));
        bl_close(b);
        bl_close(b);
    }
    bl_close_segments(b, &s);
}

/* Columns whose sums are consecutive. */
static void transposed(block *b, ir_value *row, ir_value *at, ir_value *n) {
    const ir_op *load = b->c->narrow[G_cols];
    walk_of v = bl_open_walk(b, G_cols, at, n, "v");
    ir_value *k = bl_open(b, whole_words(b), "k");
    ir_value *raw = load_at(b, load, bl_times(b, k, bl_per(b)), ir_val(DT_i32, 1), NULL);
    bl_store(b, b->packed[G_cols], raw, bl_slot(b, G_cols, row, k, v.counter));
    bl_close(b);
    odd(b, G_cols, row, v.counter);
    bl_close_walk(b, &v);
}

ir_value *bl_pairs(block *b, ir_value *sum, ir_value *x, ir_value *y) {
    bool second = b->pair == DT_i8 && is_unsigned(b, G_cols);
    ir_value *in[3] = {sum, second ? y : x, second ? x : y};
    sum = ir_emit(b->f, b->r, b->site, OP_pairs, sum->type, 3, in);
    sum->def->attr[0].i = b->pair == DT_bf16 ? 1 : b->pair == DT_i8 ? 2 : 0;
    return sum;
}

void bl_turns(block *b, ir_value *cols) {
    int width = bl_width(b, G_cols);
    if (turned(b))
        b->turns = bl_tmp(b, DT_i32, bl_times(b, bl_panels(b, cols, width), width));
}

/* What turning the rows over makes of the sums of the columns that are packed at `row`, less than
   nothing: it is what a row of zeros makes. */
static void turns(block *b, ir_value *row, ir_value *first) {
    ir_value *v = bl_open_step(b, bl_num(b, 0), bl_num(b, bl_width(b, G_cols)), b->lanes, "v");
    ir_value *bytes = ir_iconst(b->f, b->r, b->site, DT_i32, (int32_t)0x80808080);
    ir_value *zero = bl_vector(b, OP_splat, bl_zero(b)), *x = bl_vector(b, OP_splat, bytes);
    ir_op *loop = bl_open_sum(b, 1, bl_num(b, 0), b->kn, NULL, &zero);
    ir_value *k = loop->reg[0]->args[0], *at = bl_slot(b, G_cols, row, k, v);
    ir_value *sum = bl_pairs(b, loop->reg[0]->args[1], x, bl_vload(b, b->packed[G_cols], at));
    bl_close_sum(b, loop, &sum);
    bl_vstore(b, b->turns, bl_two(b, OP_sub, zero, loop->out[0]), bl_add(b, first, v));
    bl_close(b);
}

void bl_pack_pairs(block *b, int side, ir_value *from, ir_value *n) {
    int width = bl_width(b, side);
    ir_value *p = bl_open_parallel(b, bl_panels(b, n, width), "strip");
    ir_value *first = bl_times(b, p, width), *row = bl_begin(b, side, p),
             *at = bl_add(b, from, first),
             *here = bl_least(b, bl_sub(b, n, first), bl_num(b, width));
    if (side == G_rows)
        rows(b, row, at, here);
    else if (b->c->unit[G_cols])
        columns(b, row, at, here);
    else
        transposed(b, row, at, here);
    if (side == G_cols && b->turns)
        turns(b, row, first);
    bl_close(b);
    bl_close(b);
}
