// The kernels as C++ loops. Extents come behind the arrays of each argument list, see with_cpp.py.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#ifdef _OPENMP
#define PARALLEL _Pragma("omp parallel for")
#else
#define PARALLEL
#endif
#define KERNEL extern "C" void
using n_t = int64_t;
using f_in = const float *;
using f_out = float *;

KERNEL scale(f_in x, float a, f_out y, n_t n) {
    PARALLEL
    for (n_t i = 0; i < n; i++)
        y[i] = a * x[i];
}

KERNEL saxpy(float a, f_in x, f_in y, f_out z, n_t n) {
    PARALLEL
    for (n_t i = 0; i < n; i++)
        z[i] = a * x[i] + y[i];
}

template <class T, class S> static void gemm(const T *a, const T *b, S *c, n_t m, n_t depth, n_t n) {
    PARALLEL
    for (n_t i = 0; i < m; i++)
        for (n_t j = 0; j < n; j++) {
            S total = 0;
            for (n_t k = 0; k < depth; k++)
                total += (S)a[i * depth + k] * (S)b[k * n + j];
            c[i * n + j] = total;
        }
}

struct bf16 {
    uint16_t bits;
    explicit operator float() const {
        uint32_t wide = (uint32_t)bits << 16;
        float f;
        memcpy(&f, &wide, 4);
        return f;
    }
};

KERNEL gemm_loops(f_in a, f_in b, f_out c, n_t m, n_t k, n_t n) { gemm(a, b, c, m, k, n); }
KERNEL gemm_item(f_in a, f_in b, f_out c, n_t m, n_t k, n_t n) { gemm(a, b, c, m, k, n); }
KERNEL gemm_bf16(const bf16 *a, const bf16 *b, f_out c, n_t m, n_t k, n_t n) { gemm(a, b, c, m, k, n); }
KERNEL gemm_int8(const int8_t *a, const int8_t *b, int32_t *c, n_t m, n_t k, n_t n) { gemm(a, b, c, m, k, n); }

KERNEL gemm_shared(f_in a, f_in b, f_out c, n_t m, n_t depth, n_t n) {
    const n_t T = 16;
    PARALLEL
    for (n_t i = 0; i < m; i += T)
        for (n_t j = 0; j < n; j += T) {
            float ta[T][T], tb[T][T], total[T][T] = {};
            for (n_t k = 0; k < depth; k += T) {
                for (n_t r = 0; r < T; r++)
                    for (n_t q = 0; q < T; q++) {
                        ta[r][q] = i + r < m && k + q < depth ? a[(i + r) * depth + k + q] : 0;
                        tb[r][q] = k + r < depth && j + q < n ? b[(k + r) * n + j + q] : 0;
                    }
                for (n_t r = 0; r < T; r++)
                    for (n_t p = 0; p < T; p++)
                        for (n_t q = 0; q < T; q++)
                            total[r][q] += ta[r][p] * tb[p][q];
            }
            for (n_t r = 0; r < std::min(T, m - i); r++)
                for (n_t q = 0; q < std::min(T, n - j); q++)
                    c[(i + r) * n + j + q] = total[r][q];
        }
}

static void softmax(f_in x, f_out y, n_t m, n_t n) {
    PARALLEL
    for (n_t i = 0; i < m; i++) {
        float top = x[i * n], total = 0;
        for (n_t j = 0; j < n; j++)
            top = std::max(top, x[i * n + j]);
        for (n_t j = 0; j < n; j++) {
            y[i * n + j] = std::exp(x[i * n + j] - top);
            total += y[i * n + j];
        }
        for (n_t j = 0; j < n; j++)
            y[i * n + j] /= total;
    }
}
KERNEL softmax_loops(f_in x, f_out y, n_t m, n_t n) { softmax(x, y, m, n); }
KERNEL softmax_item(f_in x, f_out y, n_t m, n_t n) { softmax(x, y, m, n); }

KERNEL layernorm(f_in x, f_in gain, f_in bias, f_out y, n_t m, n_t n) {
    PARALLEL
    for (n_t i = 0; i < m; i++) {
        float total = 0, squares = 0;
        for (n_t j = 0; j < n; j++)
            total += x[i * n + j];
        float mean = total / n;
        for (n_t j = 0; j < n; j++)
            squares += (x[i * n + j] - mean) * (x[i * n + j] - mean);
        float inverse = 1 / std::sqrt(squares / n + 1e-5f);
        for (n_t j = 0; j < n; j++)
            y[i * n + j] = (x[i * n + j] - mean) * inverse * gain[j] + bias[j];
    }
}

KERNEL gelu(f_in x, f_out y, n_t n) {
    PARALLEL
    for (n_t i = 0; i < n; i++) {
        float v = x[i];
        y[i] = 0.5f * v * (1 + std::tanh(0.7978845608f * (v + 0.044715f * v * v * v)));
    }
}

KERNEL row_sum(f_in x, f_out y, n_t m, n_t n) {
    PARALLEL
    for (n_t i = 0; i < m; i++) {
        float total = 0;
        for (n_t j = 0; j < n; j++)
            total += x[i * n + j];
        y[i] = total;
    }
}

KERNEL column_sum(f_in x, f_out y, n_t m, n_t n) {
    PARALLEL
    for (n_t j = 0; j < n; j++) {
        float total = 0;
        for (n_t i = 0; i < m; i++)
            total += x[i * n + j];
        y[j] = total;
    }
}

KERNEL tree_sum(f_in x, f_out y, n_t n) {
    PARALLEL
    for (n_t block = 0; block < (n + 255) / 256; block++) {
        float total = 0;
        for (n_t i = block * 256; i < std::min(n, block * 256 + 256); i++)
            total += x[i];
        y[block] = total;
    }
}

KERNEL histogram(const uint8_t *x, int32_t *counts, n_t n) {
    memset(counts, 0, 256 * sizeof *counts);
    for (n_t i = 0; i < n; i++)
        counts[x[i]]++;
}

KERNEL transpose(f_in x, f_out y, n_t m, n_t n) {
    const n_t T = 16;
    PARALLEL
    for (n_t i = 0; i < m; i += T)
        for (n_t j = 0; j < n; j += T)
            for (n_t q = j; q < std::min(n, j + T); q++)
                for (n_t r = i; r < std::min(m, i + T); r++)
                    y[q * m + r] = x[r * n + q];
}

KERNEL stencil(f_in x, f_out y, n_t m, n_t n) {
    PARALLEL
    for (n_t i = 1; i < m - 1; i++)
        for (n_t j = 1; j < n - 1; j++) {
            f_in p = x + i * n + j;
            y[i * n + j] = 0.5f * p[0] + 0.125f * (p[-n] + p[n] + p[-1] + p[1]);
        }
}

KERNEL conv2d(f_in x, f_in w, f_out y, n_t batch, n_t C, n_t H, n_t W, n_t F, n_t P, n_t Q) {
    n_t h = H - P + 1, v = W - Q + 1;
    PARALLEL
    for (n_t bf = 0; bf < batch * F; bf++)
        for (n_t i = 0; i < h; i++)
            for (n_t j = 0; j < v; j++) {
                n_t b = bf / F, f = bf % F;
                float total = 0;
                for (n_t c = 0; c < C; c++)
                    for (n_t p = 0; p < P; p++)
                        for (n_t q = 0; q < Q; q++)
                            total += x[((b * C + c) * H + i + p) * W + j + q] * w[((f * C + c) * P + p) * Q + q];
                y[(bf * h + i) * v + j] = total;
            }
}

KERNEL depthwise(f_in x, f_in w, f_out y, n_t batch, n_t C, n_t H, n_t W, n_t P, n_t Q) {
    n_t h = H - P + 1, v = W - Q + 1;
    PARALLEL
    for (n_t bc = 0; bc < batch * C; bc++)
        for (n_t i = 0; i < h; i++)
            for (n_t j = 0; j < v; j++) {
                float total = 0;
                for (n_t p = 0; p < P; p++)
                    for (n_t q = 0; q < Q; q++)
                        total += x[(bc * H + i + p) * W + j + q] * w[(bc % C * P + p) * Q + q];
                y[(bc * h + i) * v + j] = total;
            }
}

KERNEL attention(f_in q, f_in k, f_in v, f_out s, f_out y, n_t n, n_t width) {
    PARALLEL
    for (n_t i = 0; i < n; i++)
        for (n_t j = 0; j < n; j++) {
            float total = 0;
            for (n_t d = 0; d < width; d++)
                total += q[i * width + d] * k[j * width + d];
            s[i * n + j] = total / std::sqrt((float)width);
        }
    softmax(s, s, n, n);
    PARALLEL
    for (n_t i = 0; i < n; i++)
        for (n_t d = 0; d < width; d++) {
            float total = 0;
            for (n_t j = 0; j < n; j++)
                total += s[i * n + j] * v[j * width + d];
            y[i * width + d] = total;
        }
}

KERNEL nbody(f_in position, f_in mass, f_out force, n_t n) {
    PARALLEL
    for (n_t i = 0; i < n; i++) {
        float f[3] = {};
        for (n_t j = 0; j < n; j++) {
            float d[3], square = 0.01f;
            for (int e = 0; e < 3; e++) {
                d[e] = position[3 * j + e] - position[3 * i + e];
                square += d[e] * d[e];
            }
            float pull = mass[j] / (square * std::sqrt(square));
            for (int e = 0; e < 3; e++)
                f[e] += d[e] * pull;
        }
        for (int e = 0; e < 3; e++)
            force[3 * i + e] = f[e];
    }
}

KERNEL mandelbrot(f_in xs, f_in ys, int32_t *out, n_t n, n_t m) {
    PARALLEL
    for (n_t row = 0; row < m; row++)
        for (n_t col = 0; col < n; col++) {
            float x = 0, y = 0;
            int32_t i = 0;
            while (i < 100 && x * x + y * y <= 4.0f) {
                float z = x * x - y * y + xs[col];
                y = 2.0f * x * y + ys[row];
                x = z;
                i++;
            }
            out[row * n + col] = i;
        }
}

static inline float below(float d) {
    float k = 1 / (1 + 0.2316419f * std::fabs(d));
    float poly = k * (0.319381530f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float tail = 0.3989422804f * std::exp(-0.5f * d * d) * poly;
    return d > 0 ? 1 - tail : tail;
}

KERNEL black_scholes(f_in price, f_in strike, f_in years, f_out call, f_out put, n_t n) {
    PARALLEL
    for (n_t i = 0; i < n; i++) {
        float s = price[i], k = strike[i], t = years[i], root = 0.3f * std::sqrt(t);
        float d1 = (std::log(s / k) + (0.02f + 0.045f) * t) / root, d2 = d1 - root, later = k * std::exp(-0.02f * t);
        call[i] = s * below(d1) - later * below(d2);
        put[i] = later * below(-d2) - s * below(-d1);
    }
}

KERNEL scan(f_in x, f_out y, n_t n) {
    PARALLEL
    for (n_t block = 0; block < (n + 255) / 256; block++) {
        float total = 0;
        for (n_t i = block * 256; i < std::min(n, block * 256 + 256); i++) {
            total += x[i];
            y[i] = total;
        }
    }
}
