/* Roundings to 16 bits other than to nearest even. */
#include "npu/half.h"
#include <math.h>
#include <stdbool.h>

/* h is the nearest to f, back what it is as a float, next its neighbour away from zero: magnitudes
   of one sign are ordered like their bits. */
static uint16_t adjust(float f, int mode, uint16_t h, float back, float (*value)(uint16_t)) {
    bool negative = h >> 15;
    if (mode <= 1 || isnan(f) || back == f)
        return h;
    bool larger = fabsf(back) > fabsf(f); /* h lies farther from zero than f */
    uint16_t toward = larger ? (uint16_t)(h - 1) : h, away = (uint16_t)(toward + 1);
    switch (mode) {
    case 2: return negative ? away : toward;
    case 3: return negative ? toward : away;
    case 4: {
        double low = fabs((double)value(toward)), x = fabs((double)f),
               high = fabs((double)value(away));
        if (isinf(high))
            return h;
        return x - low >= high - x ? away : toward;
    }
    case 5: return toward;
    default: return toward & 1 ? toward : away;
    }
}

static float half_value(uint16_t h) { return npu_half_to_float(h); }
static float bf16_value(uint16_t h) { return npu_bf16_to_float(h); }

uint16_t npu_float_to_half_mode(float f, int mode) {
    uint16_t h = npu_float_to_half(f);
    return isinf(f) ? h : adjust(f, mode, h, npu_half_to_float(h), half_value);
}
uint16_t npu_float_to_bf16_mode(float f, int mode) {
    uint16_t h = npu_float_to_bf16(f);
    return isinf(f) ? h : adjust(f, mode, h, npu_bf16_to_float(h), bf16_value);
}
