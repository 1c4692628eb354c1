/* How far float32 values are from what float64 functions of libmvec and libm say: built and called
 * by tools/ulp.py. */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

/* With no errno to set, gcc calls libmvec's variants of eight lanes. */
#define VECTOR __attribute__((simd("notinbranch")))
VECTOR double exp(double);
VECTOR double log(double);
VECTOR double tanh(double);
VECTOR double erf(double);
VECTOR double sin(double);
VECTOR double cos(double);
static double rsqrt(double x) { return 1 / sqrt(x); }
static double sigmoid(double x) {
    double e = exp(-fabs(x));
    return x > 0 ? 1 / (1 + e) : e / (1 + e);
}

enum { BLOCK = 1024 };

/* In units of the last place of want's float32; infinite for another special value or sign of zero.
 */
static double gap(float got, double want) {
    float near = (float)want;
    uint32_t bits, sign;
    memcpy(&bits, &near, 4);
    memcpy(&sign, &got, 4);
    uint64_t e = bits >> 23 & 255;
    uint64_t scale = (1023 + 150 - (e ? e : 1)) << 52;
    double per_ulp;
    memcpy(&per_ulp, &scale, 8);
    double d = fabs(got - want) * per_ulp;
    int special = !(fabsf(near) <= FLT_MAX);
    int same = (near == got) | ((near != near) & (got != got));
    int zeros = (got == 0) & ((bits ^ sign) >> 31);
    d = special ? (same ? 0 : INFINITY) : d;
    return zeros | (!special & !(fabsf(got) <= FLT_MAX)) ? INFINITY : d;
}

/* The worst gap of n values, and in *at where it is. */
#define WORST(f)                                                                                   \
    double worst_##f(const float *x, const float *got, int64_t n, int64_t *at) {                   \
        double worst = -1, d[BLOCK];                                                               \
        for (int64_t i = 0; i + BLOCK <= n; i += BLOCK) {                                          \
            double top = 0;                                                                        \
            for (int j = 0; j < BLOCK; j++)                                                        \
                d[j] = gap(got[i + j], f((double)x[i + j]));                                       \
            for (int j = 0; j < BLOCK; j++)                                                        \
                top = d[j] > top ? d[j] : top;                                                     \
            for (int j = 0; top > worst && j < BLOCK; j++)                                         \
                if (d[j] == top) {                                                                 \
                    worst = top;                                                                   \
                    *at = i + j;                                                                   \
                }                                                                                  \
        }                                                                                          \
        return worst;                                                                              \
    }
WORST(exp)
WORST(log)
WORST(tanh)
WORST(sigmoid)
WORST(erf)
WORST(sin)
WORST(cos)
WORST(rsqrt)
