/* The Matmul object of the model: what a kernel has set, and the block that iterate() has made. */
#ifndef NPU_MATMUL_H
#define NPU_MATMUL_H
#include "npu/gemm.h"
#include "npu/npu.h"

/* The columns of a fractal of 32 bytes. */
static inline int64_t npu_c0(dtype dt) {
    return 32 / (dtype_table[dt].bytes ? dtype_table[dt].bytes : 1);
}
static inline int64_t npu_up(int64_t x, int64_t to) { return (x + to - 1) / to * to; }

/* unpack.c */
/* A stored matrix: rows of `stride` elements from addr; or, nz, columns of fractals: strips of c0
   columns, each with the rows up to `stride` one below the other. */
typedef struct {
    int64_t addr;
    dtype dt;
    bool nz;
    int64_t stride;
    bool short32; /* float32 is rounded to the cube's short form */
} npu_matrix;
void npu_unpack(dtype dt, const void *from, int64_t n, float *to);
/* rows x cols from (row, col) on into out, row by row */
void npu_fetch(npu_core *c, const npu_matrix *m, int64_t row, int64_t col, int64_t rows,
               int64_t cols, float *out);
/* The same without a copy, or false. */
bool npu_borrow(npu_core *c, const npu_matrix *m, int64_t row, int64_t col, int64_t rows,
                int64_t cols, gemm_view *out);

/* store.c: sums go where they are wanted */
typedef enum { NPU_as_is, NPU_one_factor, NPU_factors } npu_factor;
typedef struct {
    bool whole; /* the sums are int32, else float */
    bool relu;
    npu_factor factor;
    uint64_t bits;        /* NPU_one_factor: see npu_requant */
    int64_t bits_addr;    /* NPU_factors: one for each column, from the first on */
    int64_t atomic;       /* 0 none, 1 add, 2 max, 3 min */
    int64_t addr, stride; /* as npu_matrix; nz: strips of `strip` columns */
    bool nz;
    int64_t strip;
    dtype dt;
} npu_target;
/* m x n sums, in rows of ld, to (row, col) of the target */
void npu_deliver(npu_core *c, const npu_target *t, const void *sums, int64_t ld, int64_t row,
                 int64_t col, int64_t m, int64_t n);

typedef struct {
    int64_t pos, format, trans, layout;
    dtype dt;
} npu_mm_type;
typedef struct {
    bool there, scalar, trans, local;
    float value;
    int64_t addr;
} npu_mm_side;

/* The fields of TCubeTiling that the model reads, by their place there. */
enum {
    T_m = 1,
    T_n,
    T_k_a,
    T_k_b,
    T_single_m,
    T_single_n,
    T_single_k,
    T_base_m,
    T_base_n,
    T_base_k,
    T_order = 17,
    T_a_layout = 33,
    T_b_layout = 38,
    T_c_layout = 43,
    T_batch = 48,
    T_FIELDS = 49,
};
enum { MM_A, MM_B, MM_C, MM_BIAS, MM_TYPES };
enum { MM_layout_none, MM_layout_normal, MM_layout_bsngd, MM_layout_sbngd, MM_layout_bngs };

typedef struct npu_matmul {
    npu_mm_type type[MM_TYPES];
    int64_t t[T_FIELDS];
    int64_t org_n_c; /* of C, where it is not B's; 0 */
    npu_mm_side in[2];
    bool biased, bias_batch, split_channels, hf32, sparse;
    int64_t bias_addr, sparse_addr;
    dtype bias_dt;
    npu_factor factor;
    uint64_t factor_bits;
    int64_t factor_addr;
    int64_t system, space; /* workspaces: register_matmul's, set_workspace's; 0: none */
    int64_t batch[2];
    int64_t at; /* number of the block, -1: before the first */
    bool taken; /* get_tensor_c has had it */
    void *sums; /* of the block */
    int64_t room, block_m, block_n;
    int64_t chunk; /* of iterate_n_batch: what get_batch_tensor_c gives next */
} npu_matmul;

void npu_matmul_free(npu_core *c);
npu_matmul *npu_mm(npu_core *c, const npu_arg *a);
/* matmul_run.c: the sums of rows [row, row + m) and columns [col, col + n) of this core's part of
   the product of matrices that lie off[0], off[1] elements behind the operands, off[2] the bias.
   partial: added to what is there. False: no memory */
enum { MM_BLOCK = 1 << 22 }; /* m * n at most */
bool npu_mm_sums(npu_core *c, npu_matmul *mm, const int64_t off[3], int64_t row, int64_t col,
                 int64_t m, int64_t n, bool partial);
#endif
