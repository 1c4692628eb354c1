/* Containers and the dtype lattice. */
#include "check.h"
#include "base/arena.h"
#include "base/diag.h"
#include "base/dtype.h"
#include "base/str.h"
#include "base/vec.h"
#include <stdio.h>

static void test_arena(void) {
    arena *a = arena_new();
    char *big = arena_alloc(a, 3 << 20);
    for (int i = 0; i < 1000; i++) {
        char *p = arena_alloc(a, (size_t)i);
        CHECK((uintptr_t)p % 16 == 0);
        for (int k = 0; k < i; k++)
            if (p[k])
                CHECK(!"zeroed");
        memset(p, 0xff, (size_t)i);
    }
    CHECK(!big[0] && !big[(3 << 20) - 1]);
    CHECK(!strcmp(arena_printf(a, "%d-%s", 7, "x"), "7-x"));
    CHECK(!strcmp(arena_strndup(a, "abcdef", 3), "abc"));
    CHECK(arena_used(a) >= 3 << 20);
    arena_free(a);
    arena_free(NULL);
}

static void test_vec_and_str(void) {
    arena *a = arena_new();
    VEC(int) v = {0};
    for (int i = 0; i < 1000; i++)
        vec_push(a, &v, i * i);
    CHECK(v.n == 1000 && v.p[999] == 999 * 999);
    str s = {0};
    for (int i = 0; i < 500; i++)
        str_addf(&s, "%d,", i);
    str_add(&s, "end");
    CHECK(!strcmp(s.p + s.n - 8, "499,end") || !strcmp(s.p + s.n - 7, "499,end"));
    CHECK(strlen(s.p) == s.n);
    str_free(&s);
    CHECK(!s.p && !s.n);
    arena_free(a);
}

static void test_dtype(void) {
    static const struct {
        dtype a, b, want;
    } rows[] = {
        {DT_i8, DT_i8, DT_i32},    {DT_f16, DT_f16, DT_f32},  {DT_bool, DT_bool, DT_i64},
        {DT_wint, DT_i8, DT_i32},  {DT_wint, DT_u64, DT_u64}, {DT_wint, DT_bool, DT_i64},
        {DT_wflt, DT_i64, DT_f32}, {DT_wflt, DT_f64, DT_f64}, {DT_wflt, DT_wint, DT_wflt},
        {DT_i64, DT_f32, DT_f32},  {DT_f32, DT_f64, DT_f64},  {DT_i32, DT_u32, DT_i64},
        {DT_i64, DT_u64, DT_u64},  {DT_bool, DT_i8, DT_i32},  {DT_bf16, DT_f16, DT_f32},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        CHECK(dtype_join(rows[i].a, rows[i].b) == rows[i].want);
        CHECK(dtype_join(rows[i].b, rows[i].a) == rows[i].want);
    }
    for (int a = 0; a < DT_COUNT; a++)
        for (int b = 0; b < DT_COUNT; b++)
            for (int c = 0; c < DT_COUNT;
                 c++) /* what inference converges on must not depend on order */
                if (dtype_is_float((dtype)a) == dtype_is_float((dtype)b))
                    CHECK(dtype_join(dtype_join((dtype)a, (dtype)b), (dtype)c) <= DT_wflt);
    CHECK(dtype_from_name("float32") == DT_f32 && dtype_from_name("u8") == DT_u8);
    CHECK(dtype_from_name("") < 0 && dtype_from_name("float33") < 0);
}

static void test_diag(void) {
    arena *a = arena_new();
    diag d = {.mem = a};
    loc at = {3, 4, 3, 9, 0};
    CHECK(diag_error(&d, at, "do so", "found %d", 5) == ERR);
    CHECK(diag_error(&d, at, NULL, "second") == ERR);
    CHECK(!strcmp(d.first->text, "found 5") && !strcmp(d.first->next->text, "second"));
    arena_free(a);
}

int main(void) {
    test_arena();
    test_vec_and_str();
    test_dtype();
    test_diag();
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
