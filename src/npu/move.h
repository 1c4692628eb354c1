/* What the operations that move data keep from one call to the next. */
#ifndef NPU_MOVE_H
#define NPU_MOVE_H

/* How stores to global memory combine with what is there. */
enum { NPU_ATOMIC_SUM, NPU_ATOMIC_MAX, NPU_ATOMIC_MIN, NPU_ATOMIC_TYPE, NPU_ATOMIC_NONE };
/* Codes of gather and scatter, of data_copy_pad's kinds, of the sorts of region proposals. */
enum { NPU_GATHER, NPU_SCATTER };

/* set_aipp_functions: where the image is and what is done to its pixels. */
typedef struct {
    int64_t plane[2]; /* addresses; the second is of UV */
    int64_t format;   /* AippInputFormat */
    int64_t pad_mode; /* 0 constant, 1 edge, 2 block, 3 mirrored block */
    npu_arg pad[4];   /* of each channel, where it is constant */
    bool swap_rb, swap_uv, swap_ax, one_line, csc;
    double mean[3], min[3], var[3];
    bool few_channels; /* 4; else as many as fill 32 bytes */
    npu_arg channel_pad;
    double matrix[9], bias_in[3], bias_out[3];
} npu_aipp;

typedef struct {
    bool atomic;
    dtype atomic_dt;
    int atomic_op;
    npu_arg pad;       /* set_pad_value; absent: not called */
    int64_t kept;      /* elements that the last gather_mask took */
    int64_t merged[4]; /* of each queue of the last mrg_sort */
    dtype pointed;     /* elements of the tensor whose address was asked for last */
    npu_aipp aipp;
} npu_mover;

/* atomic.c: n elements at in, of dtype dt, combined with those of global memory at p. */
void npu_combine(dtype dt, int op, uint8_t *p, const uint8_t *in, int64_t n);
/* move.c: pieces of len bytes, gaps between them; move_forms.c: the forms of data_copy. */
struct npu_core;
void npu_move_pieces(struct npu_core *c, int64_t to, int64_t from, int64_t count, int64_t len,
                     int64_t to_gap, int64_t from_gap);
/* Rows that lie in pieces: of a source of bytes that are len here, then a step to the next. */
typedef struct {
    int64_t len, step_flat, step_real;
} npu_pieces;
void npu_copy_nd2nz(struct npu_core *c, int64_t to, int64_t from, dtype dt, const npu_arg *params,
                    const npu_pieces *in); /* in: NULL when the source is one piece */
void npu_copy_nz2nd(struct npu_core *c, const npu_arg *a);
void npu_copy_slices(struct npu_core *c, const npu_arg *a);
void npu_copy_enhanced(struct npu_core *c, const npu_arg *a);
void npu_copy_co1(struct npu_core *c, const npu_arg *a);
#endif
