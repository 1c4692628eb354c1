/* Packing: both factors, evaluated once for each of their places, in the order in which the kernel
   reads them. */
#include "pass/block.h"

enum {
    STRIP = 4,  /* panels of columns that are packed together, */
    SLICE = 32, /* some sums at a time */
};

void bl_open_blocks(block *b, ir_value *n, ir_value *step, ir_value **first, ir_value **here) {
    ir_value *up = bl_sub(b, bl_add(b, n, step), bl_num(b, 1));
    *first = bl_mul(b, bl_open(b, bl_div(b, up, step), "block"), step);
    *here = bl_least(b, bl_sub(b, n, *first), step);
}

/* What is packed together, side by side for each sum: a panel, or STRIP panels of columns where
   these are rows of an image, which end anywhere. */
int bl_width(const block *b, int side) {
    int strip = b->c->size[G_cols] > 1 ? STRIP : 1;
    return side == G_rows ? b->rows : strip * b->cols;
}

/* Where element v of what begins at `at` is in the packed factor. */
ir_value *bl_slot(block *b, int side, ir_value *at, ir_value *k, ir_value *v) {
    if (side == G_rows && b->by_row)
        return bl_add(b, bl_add(b, at, bl_mul(b, v, b->pitch)), k);
    return bl_add(b, bl_add(b, at, bl_times(b, k, bl_width(b, side))), v);
}

/* Where number p of a side begins. */
ir_value *bl_begin(block *b, int side, ir_value *p) {
    return bl_mul(b, bl_times(b, p, bl_width(b, side)),
                  side == G_rows && b->by_row ? b->pitch : b->kn);
}

/* n values from flat index `at` on, along which loads are consecutive or nothing is. */
static void by_segments(block *b, int side, ir_value *row, ir_value *at, ir_value *n, bool simd) {
    segment s = bl_open_segments(b, side, at, n);
    ir_value *k = bl_open_sums(b), *v = bl_open_segment(b, &s, simd);
    bl_store(b, b->packed[side], bl_factor(b, side), bl_slot(b, side, row, k, v));
    bl_close(b);
    bl_close_sums(b);
    bl_close_segments(b, &s);
}

/* The same where loads are consecutive along the sums. */
static void by_sums(block *b, int side, ir_value *row, ir_value *at, ir_value *n) {
    walk_of v = bl_open_walk(b, side, at, n, "v");
    ir_value *k = bl_open_sums(b);
    bl_store(b, b->packed[side], bl_factor(b, side), bl_slot(b, side, row, k, v.counter));
    bl_close_sums(b);
    bl_close_walk(b, &v);
}

/* Is the load of rows such that a unit's sums, and the units, are consecutive? It is where each of
   the sums' iterators but the first goes over all of its axis, and the axes are packed. */
ir_value *bl_is_whole(block *b) {
    const contraction *c = b->c;
    ir_value *t = c->whole->in[0], *all = NULL;
    for (int i = 1; i < c->size[G_sums]; i++) {
        int it = c->group[G_sums][i], axis = t->type.rank - c->size[G_sums] + i;
        ir_value *of[3]; /* extent, stride, and the stride of the axis before */
        for (int k = 0; k < 3; k++) {
            of[k] = ir_emit(b->f, b->r, b->site, k ? OP_stride : OP_dim, ir_val(DT_i64, 1), 1, &t);
            of[k]->def->attr[0].i = axis - (k == 2);
        }
        ir_value *is[2] = {bl_compare(b, OP_eq, b->n[it], of[0]),
                           bl_compare(b, OP_eq, bl_mul(b, of[0], of[1]), of[2])};
        is[0] = bl_two(b, OP_and, is[0], is[1]);
        all = all ? bl_two(b, OP_and, all, is[0]) : is[0];
    }
    return all;
}

/* A panel of rows, row by row. */
static void by_rows(block *b, ir_value *row, ir_value *at, ir_value *n) {
    const contraction *c = b->c;
    const int *it = c->group[G_sums], size = c->size[G_sums];
    ir_op *which = size > 1 ? bl_open_if(b, bl_is_whole(b)) : NULL;
    walk_of v = bl_open_walk(b, G_rows, at, n, "v");
    ir_value *k = bl_open_simd(b, size > 1 ? b->kn : b->units, "k");
    for (int i = 0; i < size; i++)
        bl_where(b, it[i],
                 size == 1      ? bl_add(b, b->u0, k)
                 : !i           ? b->u0
                 : i + 1 < size ? bl_num(b, 0)
                                : k);
    bl_store(b, b->packed[G_rows], bl_factor(b, G_rows), bl_slot(b, G_rows, row, k, v.counter));
    bl_close(b);
    bl_close_walk(b, &v);
    if (!which)
        return;
    bl_otherwise(b, which);
    by_sums(b, G_rows, row, at, n);
    bl_close(b);
}

ir_value *bl_ones(block *b, int side) {
    const contraction *c = b->c;
    ir_value *ones = NULL;
    for (int i = 0; i < c->none[side]; i++) {
        const ir_op *mul = c->one[side][i]->def;
        bool second = !ir_inside(mul->in[1], c->top->reg[0]);
        ir_value *is = bl_compare(b, OP_eq, bl_again(b, mul->in[second]), bl_num(b, 1));
        ones = ones ? bl_two(b, OP_and, ones, is) : is;
    }
    return ones;
}

static void along_units(block *b, int side, ir_value *row, ir_value *at, ir_value *n) {
    ir_value *ones = bl_ones(b, side);
    if (!ones) {
        by_segments(b, side, row, at, n, true);
        return;
    }
    ir_op *which = bl_open_if(b, ones);
    b->one = side;
    by_segments(b, side, row, at, n, true);
    b->one = -1;
    bl_otherwise(b, which);
    by_segments(b, side, row, at, n, false);
    bl_close(b);
}

static void strip(block *b, int side, ir_value *row, ir_value *at, ir_value *n) {
    if (side == G_rows && b->by_row)
        by_rows(b, row, at, n);
    else if (b->c->unit[side])
        along_units(b, side, row, at, n);
    else if (b->c->unit_sums[side])
        by_sums(b, side, row, at, n);
    else
        by_segments(b, side, row, at, n, false);
}

/* Packs n values of a side from flat index `from` on, each strip slice by slice of the stretch:
   what the sums of a slice read is the same or near. What the last panel has too few of stays as it
   is: sums that nobody stores are made of it. */
void bl_pack(block *b, int side, ir_value *from, ir_value *n) {
    int width = bl_width(b, side);
    ir_value *p = bl_open_parallel(b, bl_panels(b, n, width), "strip");
    ir_value *first = bl_times(b, p, width), *row = bl_begin(b, side, p), *u0 = b->u0,
             *units = b->units, *here = bl_least(b, bl_sub(b, n, first), bl_num(b, width));
    bool slices = b->c->size[side] > 1 && !(side == G_rows && b->by_row);
    if (slices) {
        ir_value *slice = bl_div(b, bl_num(b, SLICE), b->inner), *done;
        bl_open_blocks(b, units, bl_most(b, slice, bl_num(b, 1)), &done, &b->units);
        b->u0 = bl_add(b, u0, done);
        row = bl_slot(b, side, row, bl_mul(b, done, b->inner), bl_num(b, 0));
    }
    strip(b, side, row, bl_add(b, from, first), here);
    if (slices)
        bl_close(b);
    b->u0 = u0;
    b->units = units;
    bl_close(b);
    bl_close(b);
}
