/* Codes of the vector rows. */
#ifndef NPU_VEC_H
#define NPU_VEC_H
enum {
    NPU_add,
    NPU_sub,
    NPU_mul,
    NPU_div,
    NPU_max,
    NPU_min,
    NPU_bitand,
    NPU_bitor,
    NPU_add_relu,
    NPU_sub_relu,
    NPU_fused_mul_add, /* these three read dst */
    NPU_fused_mul_add_relu,
    NPU_mul_add_dst,
    NPU_BINARY
};
enum {
    NPU_abs,
    NPU_v_exp,
    NPU_ln,
    NPU_sqrt,
    NPU_rsqrt,
    NPU_reciprocal,
    NPU_relu,
    NPU_bitnot,
    NPU_UNARY
};
enum {
    NPU_adds,
    NPU_muls,
    NPU_maxs,
    NPU_mins,
    NPU_leaky_relu,
    NPU_shl,
    NPU_shr,
    NPU_axpy, /* reads dst */
    NPU_SCALAR
};
#endif
