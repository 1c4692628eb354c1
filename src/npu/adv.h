/* Codes of asc.adv's rows. */
#ifndef NPU_ADV_H
#define NPU_ADV_H
enum {
    NPU_acos,
    NPU_acosh,
    NPU_asin,
    NPU_asinh,
    NPU_atan,
    NPU_atanh,
    NPU_ceil,
    NPU_cos,
    NPU_cosh,
    NPU_digamma,
    NPU_erf,
    NPU_erfc,
    NPU_floor,
    NPU_frac,
    NPU_lgamma,
    NPU_log,
    NPU_round,
    NPU_sign,
    NPU_sin,
    NPU_sinh,
    NPU_tan,
    NPU_tanh,
    NPU_trunc,
    NPU_exp,
    NPU_power,
    NPU_bitxor
};
#endif
