/* The host's vector width and a text that differs between machines whose code differs. */
#include "drv/host.h"
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>

int host_vector_bytes(void) {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
        return 64;
    return __builtin_cpu_supports("avx2") ? 32 : 16;
}

int host_pairs(void) {
    int ints = host_vector_bytes() == 64 && __builtin_cpu_supports("avx512vnni");
    int floats = host_vector_bytes() == 64 && __builtin_cpu_supports("avx512bf16");
    return ints + 2 * floats;
}

void host_key(char *out, size_t size) {
    unsigned a[4] = {0}, b[4] = {0};
    __get_cpuid(1, &a[0], &a[1], &a[2], &a[3]);
    __get_cpuid_count(7, 0, &b[0], &b[1], &b[2], &b[3]);
    snprintf(out, size, "x86-64 %x %x %x %x %x %x %d %d", a[0], a[2], a[3], b[1], b[2], b[3],
             host_vector_bytes(), host_pairs());
}
#else
#include <sys/auxv.h>

int host_vector_bytes(void) { return 16; }
int host_pairs(void) { return 0; }

void host_key(char *out, size_t size) {
    snprintf(out, size, "other %lx %lx", getauxval(AT_HWCAP), getauxval(AT_HWCAP2));
}
#endif
