/* Packing for convolutions. Where the factor of columns depends on a column q and a tap t by
   step * q + gap * t alone, what tap t + step reads for q is what tap t reads for q + 1: one row
   serves all taps. So each element is packed once, as rows of an image that is as much wider and
   higher as taps reach beyond the last column, and a table says for each sum at what offset its
   columns are. Columns count through the whole row then; those beyond the last are not stored.
   Taps that fall between columns have images of their own, the phases. */
#include "pass/block.h"

enum {
    AREA = 128 * 1024, /* elements that are packed at once: they stay in the level-2 cache; */
    MOST = 8 * AREA,   /* from here on it is not done */
    FEWEST = 4         /* rows at once: halos are packed for all rows at once */
};

static ir_value *both(block *b, ir_value *x, ir_value *y) { return bl_two(b, OP_and, x, y); }
static ir_value *at_least(block *b, ir_value *x, ir_value *y) { return bl_compare(b, OP_ge, x, y); }

/* The last iterator of the columns, and the one before it, which may not be. */
static ir_value *columns_of(block *b, int axis) {
    int i = b->c->size[G_cols] - 1 - axis;
    return i < 0 ? bl_num(b, 1) : b->n[b->c->group[G_cols][i]];
}

static bool is_tap(const contraction *c, int i) {
    return c->group[G_sums][i] == c->axis[0].tap || c->group[G_sums][i] == c->axis[1].tap;
}

/* The sums of an iterator within a stretch of `units`. */
static ir_value *count_of(const block *b, int i, ir_value *units) {
    return i ? b->n[b->c->group[G_sums][i]] : units;
}

static ir_value *taps_of(block *b, int axis, ir_value *units) {
    for (int i = 0; i < b->c->size[G_sums]; i++)
        if (b->c->group[G_sums][i] == b->c->axis[axis].tap)
            return count_of(b, i, units);
    return bl_num(b, 1);
}

/* The last tap's distance from the first. */
static ir_value *reach(block *b, int axis, ir_value *units) {
    return bl_mul(b, bl_sub(b, taps_of(b, axis, units), bl_num(b, 1)), b->image.gap[axis]);
}

static ir_value *multiple(block *b, ir_value *v) {
    return v ? bl_as(b, bl_again(b, v), DT_i64) : bl_num(b, 1);
}

/* Returns whether the multiples are such that one is 1. */
static ir_value *axis_of(block *b, int axis, ir_value *units) {
    image *im = &b->image;
    const contract_axis *x = &b->c->axis[axis];
    ir_value *one = bl_num(b, 1), *step = multiple(b, x->step), *gap = multiple(b, x->gap);
    ir_value *positive = both(b, at_least(b, step, one), at_least(b, gap, one));
    ir_value *is =
        bl_two(b, OP_or, bl_compare(b, OP_eq, step, one), bl_compare(b, OP_eq, gap, one));
    im->step[axis] = bl_most(b, step, one);
    im->gap[axis] = gap;
    im->phases[axis] = bl_least(b, im->step[axis], taps_of(b, axis, units));
    im->halo[axis] = bl_div(b, reach(b, axis, units), im->step[axis]);
    return both(b, is, positive);
}

/* Rows at once, all alike. */
static ir_value *rows_of(block *b, ir_value *line) {
    const image *im = &b->image;
    ir_value *all = columns_of(b, 1), *one = bl_num(b, 1);
    ir_value *fit = bl_div(b, bl_num(b, AREA), bl_mul(b, im->planes, line));
    fit = bl_most(b, bl_sub(b, fit, im->halo[1]), bl_num(b, FEWEST));
    ir_value *bands = bl_div(b, bl_sub(b, bl_add(b, all, fit), one), fit);
    return bl_div(b, bl_sub(b, bl_add(b, all, bands), one), bands);
}

/* Columns that are computed for one that counts: not more than 4 for 3. */
static ir_value *pays(block *b, ir_value *line) {
    ir_value *high = columns_of(b, 1), *wide = columns_of(b, 0);
    ir_value *all = bl_add(b, bl_mul(b, bl_sub(b, high, bl_num(b, 1)), line), wide);
    all = bl_times(b, bl_panels(b, all, b->cols), b->cols);
    return at_least(b, bl_times(b, bl_mul(b, high, wide), 4), bl_times(b, all, 3));
}

ir_value *bl_image(block *b, ir_value *step, ir_value *depth, ir_value *cols) {
    image *im = &b->image;
    const contraction *c = b->c;
    ir_value *is = both(b, axis_of(b, 0, step), axis_of(b, 1, step));
    ir_value *taps = bl_mul(b, taps_of(b, 0, step), taps_of(b, 1, step));
    ir_value *line = bl_add(b, columns_of(b, 0), im->halo[0]);
    im->planes = bl_mul(b, im->phases[0], im->phases[1]);
    for (int i = 0; i < c->size[G_sums]; i++)
        if (!is_tap(c, i))
            im->planes = bl_mul(b, im->planes, count_of(b, i, step));
    ir_value *rows = rows_of(b, line);
    im->area = bl_mul(b, bl_add(b, rows, im->halo[1]), line);
    is = both(b, is, at_least(b, taps, bl_num(b, 2)));
    is = both(b, is, at_least(b, bl_num(b, MOST), bl_mul(b, im->planes, im->area)));
    im->is = both(b, is, pays(b, line));
    im->offset = bl_tmp(b, DT_i64, depth);
    b->line = bl_choose(b, im->is, line, columns_of(b, 0));
    return bl_choose(b, im->is, bl_mul(b, rows, line), cols);
}

/* The last panel may go on beyond the last image. */
ir_value *bl_image_memory(block *b, ir_value *panels) {
    ir_value *all = bl_mul(b, b->image.planes, b->image.area);
    return bl_choose(b, b->image.is, bl_add(b, all, bl_num(b, b->cols)), panels);
}

void bl_open_columns(block *b, ir_value *cols) {
    const image *im = &b->image;
    ir_value *all = b->total[G_cols], *first;
    if (!im->is) {
        bl_open_blocks(b, all, cols, &b->j0, &b->jn);
        return;
    }
    ir_value *images = bl_num(b, 1), *gap = bl_sub(b, b->line, columns_of(b, 0));
    for (int i = 0; i + 2 < b->c->size[G_cols]; i++)
        images = bl_mul(b, images, b->n[b->c->group[G_cols][i]]);
    images = bl_choose(b, im->is, images, bl_num(b, 1));
    ir_value *span = bl_choose(b, im->is, bl_mul(b, columns_of(b, 1), b->line), all);
    ir_value *from = bl_mul(b, bl_open(b, images, "image"), span);
    bl_open_blocks(b, span, cols, &first, &b->jn);
    b->j0 = bl_add(b, from, first);
    b->jn = bl_sub(b, b->jn, gap);
}

/* Tap number t of an axis: its phase, and the columns that it is on. */
static ir_value *phase_of(block *b, int axis, ir_value *t, ir_value **columns) {
    const image *im = &b->image;
    ir_value *at = bl_mul(b, t, im->gap[axis]);
    *columns = bl_div(b, at, im->step[axis]);
    return bl_rem(b, at, im->step[axis]);
}

void bl_image_offsets(block *b) {
    const contraction *c = b->c;
    const image *im = &b->image;
    ir_value *k = bl_num(b, 0), *plane = k, *phase[2] = {k, k}, *shift[2] = {k, k};
    for (int i = 0; i < c->size[G_sums]; i++) {
        ir_value *n = count_of(b, i, b->units), *x = bl_open(b, n, "k");
        k = bl_add(b, bl_mul(b, k, n), x);
        if (!is_tap(c, i)) {
            plane = bl_add(b, bl_mul(b, plane, n), x);
            continue;
        }
        int axis = c->group[G_sums][i] == c->axis[1].tap;
        phase[axis] = phase_of(b, axis, x, &shift[axis]);
    }
    for (int axis = 1; axis >= 0; axis--)
        plane = bl_add(b, bl_mul(b, plane, im->phases[axis]), phase[axis]);
    ir_value *at = bl_add(b, bl_mul(b, plane, im->area), bl_mul(b, shift[1], b->line));
    at = bl_choose(b, im->is, bl_add(b, at, shift[0]), bl_times(b, k, bl_width(b, G_cols)));
    bl_store(b, im->offset, at, k);
    for (int i = 0; i < c->size[G_sums]; i++)
        bl_close(b);
}

/* How many columns of an axis the taps of a phase read. */
static ir_value *length_of(block *b, int axis, ir_value *columns, ir_value *phase) {
    ir_value *far = bl_sub(b, reach(b, axis, b->units), phase);
    /* Less than nothing, where a short last stretch has no such tap. */
    columns = bl_add(b, columns, bl_two(b, OP_floordiv, far, b->image.step[axis]));
    return bl_most(b, columns, bl_num(b, 0));
}

/* One row, n columns to `at`. */
static void row_of(block *b, ir_value *at, ir_value *n, bool simd) {
    ir_value *v = simd ? bl_open_simd(b, n, "v") : bl_open(b, n, "v");
    bl_where(b, b->c->group[G_cols][b->c->size[G_cols] - 1], v);
    bl_store(b, b->packed[G_cols], bl_factor(b, G_cols), bl_add(b, at, v));
    bl_close(b);
}

/* The iterators of the sums are those of a plane; returns its phases. */
static void plane_of(block *b, ir_value *at, ir_value *phase[2]) {
    const contraction *c = b->c;
    for (int axis = 0; axis < 2; axis++) {
        phase[axis] = bl_rem(b, at, b->image.phases[axis]);
        at = bl_div(b, at, b->image.phases[axis]);
    }
    for (int i = c->size[G_sums] - 1; i >= 0; i--) {
        ir_value *x, *n = count_of(b, i, b->units);
        if (is_tap(c, i))
            x = phase[c->group[G_sums][i] == c->axis[1].tap];
        else {
            x = bl_rem(b, at, n);
            at = bl_div(b, at, n);
        }
        bl_where(b, c->group[G_sums][i], i ? x : bl_add(b, b->u0, x));
    }
}

void bl_image_pack(block *b) {
    const contraction *c = b->c;
    const image *im = &b->image;
    int outer = c->size[G_cols] - 1;
    ir_value *phase[2], *index[MAX_ITER] = {NULL}, *wide = columns_of(b, 0);
    ir_value *planes = bl_mul(b, im->phases[0], im->phases[1]);
    for (int i = 0; i < c->size[G_sums]; i++)
        if (!is_tap(c, i))
            planes = bl_mul(b, planes, count_of(b, i, b->units));
    ir_value *plane = bl_open_parallel(b, planes, "plane");
    plane_of(b, plane, phase);
    bl_indices(b, G_cols, outer, bl_div(b, b->j0, b->line), index);
    for (int i = 0; i + 1 < outer; i++)
        bl_where(b, c->group[G_cols][i], index[i]);
    ir_value *rows = bl_add(b, bl_div(b, bl_sub(b, b->jn, wide), b->line), bl_num(b, 1));
    ir_value *y = bl_open(b, length_of(b, 1, rows, phase[1]), "row");
    if (outer)
        bl_where(b, c->group[G_cols][outer - 1], bl_add(b, index[outer - 1], y));
    ir_value *at = bl_add(b, bl_mul(b, plane, im->area), bl_mul(b, y, b->line));
    ir_value *n = length_of(b, 0, wide, phase[0]), *ones = bl_ones(b, G_cols);
    ir_op *which = c->unit[G_cols] && ones ? bl_open_if(b, ones) : NULL;
    b->one = which ? G_cols : -1;
    row_of(b, at, n, c->unit[G_cols]);
    b->one = -1;
    if (which) {
        bl_otherwise(b, which);
        row_of(b, at, n, true);
        bl_close(b);
    }
    bl_close(b);
    bl_close(b);
    bl_close(b);
}
