/* Packing for op pairs: a 32-bit word holds an element of two sums in a row, as i16 or bf16. Bytes
   are widened. The sums are one loop here, and of the rows it goes along the memory. */
#include "pass/block.h"

int bl_pair(const contraction *c, const pass_options *o) {
    const ir_op *r = c->narrow[G_rows], *k = c->narrow[G_cols];
    if (c->size[G_sums] != 1 || c->nguard[0] || c->nguard[1] || c->none[G_cols] || !c->whole ||
        !r || !k || r->in[0]->type.dt != k->in[0]->type.dt ||
        !(c->unit[G_cols] || c->unit_sums[G_cols]))
        return 0;
    switch (r->in[0]->type.dt) {
    case DT_bf16: return c->acc == DT_f32 && o->pairs & 2 ? DT_bf16 : 0;
    case DT_i8:
    case DT_u8:
    case DT_i16: return c->acc == DT_i32 && o->pairs & 1 ? DT_i16 : 0;
    default: return 0;
    }
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

/* One word of two elements of 32 bits, of which the low halves count. */
static ir_value *join(block *b, ir_value *x, ir_value *y) {
    return bl_two(b, OP_or, with(b, OP_and, x, 0xffff), with(b, OP_shl, y, 16));
}

/* An element of the tensor as 32 bits. */
static ir_value *element(block *b, ir_value *v) {
    if (v->type.dt == DT_bf16)
        v = ir_emit(b->f, b->r, b->site, OP_bits, ir_val(DT_i16, v->type.lanes), 1, &v);
    return bl_as(b, v, DT_i32);
}

/* A word of what was loaded as one: two elements that are neighbours in memory. */
static ir_value *word(block *b, ir_value *raw, dtype of) {
    if (dtype_table[of].bytes == 2)
        return raw;                      /* i32 */
    ir_value *x = bl_as(b, raw, DT_i32); /* of i16 */
    if (of == DT_u8)
        return join(b, with(b, OP_and, x, 0xff), with(b, OP_and, with(b, OP_shr, x, 8), 0xff));
    return join(b, with(b, OP_shr, with(b, OP_shl, x, 24), 24), with(b, OP_shr, x, 8));
}

static dtype raw_type(const ir_op *load) {
    return dtype_table[load->in[0]->type.dt].bytes == 2 ? DT_i32 : DT_i16;
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

/* The word of the last sum, where their number is odd. */
static void odd(block *b, int side, ir_value *row, ir_value *v) {
    const ir_op *load = b->c->narrow[side];
    ir_value *last = bl_sub(b, b->units, bl_num(b, 1));
    bl_open_if(b, bl_compare(b, OP_gt, b->kn, bl_two(b, OP_floordiv, b->units, bl_num(b, 2))));
    ir_value *x = load_at(b, load, last, ir_val((dtype)load->in[0]->type.dt, 1), NULL);
    x = element(b, x);
    ir_value *zero = constant(b, x, 0), *at = bl_sub(b, b->kn, bl_num(b, 1));
    bl_store(b, b->packed[side], join(b, x, zero), bl_slot(b, side, row, at, v));
    ir_op *op = b->r->owner;
    bl_otherwise(b, op);
    bl_close(b);
}

/* Rows, whose sums are consecutive: words as they are in memory, a vector at a time. */
static void rows(block *b, ir_value *row, ir_value *at, ir_value *n) {
    const ir_op *load = b->c->narrow[G_rows];
    unsigned lanes = (unsigned)b->lanes;
    walk_of v = bl_open_walk(b, G_rows, at, n, "v");
    ir_value *all = bl_two(b, OP_floordiv, b->units, bl_num(b, 2));
    ir_value *k = bl_open_step(b, bl_num(b, 0), all, b->lanes, "k");
    ir_value *left = bl_sub(b, all, k),
             *step = ir_emit(b->f, b->r, b->site, OP_iota, ir_val(DT_i64, lanes), 0, NULL);
    ir_value *in[2] = {step, bl_vector(b, OP_splat, left)};
    ir_value *mask = ir_emit(b->f, b->r, b->site, OP_lt, ir_val(DT_bool, lanes), 2, in);
    ir_value *raw = load_at(b, load, bl_times(b, k, 2), ir_val(raw_type(load), lanes), mask);
    ir_op *st = ir_op_new(b->f, OP_vstore, b->site, 4, 0, 0);
    st->in[0] = b->packed[G_rows];
    st->in[1] = word(b, raw, (dtype)load->in[0]->type.dt);
    st->in[2] = mask;
    st->in[3] = bl_slot(b, G_rows, row, k, v.counter);
    st->attr[0].i = 1;
    ir_append(b->r, st);
    bl_close(b);
    odd(b, G_rows, row, v.counter);
    bl_close_walk(b, &v);
}

/* Columns that are consecutive: two vectors of them make one of words. */
static void columns(block *b, ir_value *row, ir_value *at, ir_value *n) {
    const ir_op *load = b->c->narrow[G_cols];
    ir_type t = ir_val((dtype)load->in[0]->type.dt, 1);
    segment s = bl_open_segments(b, G_cols, at, n);
    for (int part = 0; part < 2; part++) { /* pairs, and the last where their number is odd */
        ir_value *pairs = bl_two(b, OP_floordiv, b->units, bl_num(b, 2));
        ir_value *k = bl_open_step(b, part ? pairs : bl_num(b, 0), part ? b->kn : pairs, 1, "k");
        ir_value *v = bl_open_segment(b, &s, true), *first = bl_times(b, k, 2);
        ir_value *x = element(b, load_at(b, load, first, t, NULL));
        ir_value *y = part ? constant(b, x, 0)
                           : element(b, load_at(b, load, bl_add(b, first, bl_num(b, 1)), t, NULL));
        bl_store(b, b->packed[G_cols], join(b, x, y), bl_slot(b, G_cols, row, k, v));
        bl_close(b);
        bl_close(b);
    }
    bl_close_segments(b, &s);
}

/* Columns whose sums are consecutive. */
static void transposed(block *b, ir_value *row, ir_value *at, ir_value *n) {
    const ir_op *load = b->c->narrow[G_cols];
    walk_of v = bl_open_walk(b, G_cols, at, n, "v");
    ir_value *k = bl_open(b, bl_two(b, OP_floordiv, b->units, bl_num(b, 2)), "k");
    ir_value *raw = load_at(b, load, bl_times(b, k, 2), ir_val(raw_type(load), 1), NULL);
    bl_store(b, b->packed[G_cols], word(b, raw, (dtype)load->in[0]->type.dt),
             bl_slot(b, G_cols, row, k, v.counter));
    bl_close(b);
    odd(b, G_cols, row, v.counter);
    bl_close_walk(b, &v);
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
    bl_close(b);
    bl_close(b);
}
