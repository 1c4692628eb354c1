/* Python AST -> IR (stage front). Calls of Python functions are lowered at the call, as a `scope`
   whose leaves are the returns, so that closures and function arguments need no run-time form. What
   names outside the kernel mean is asked of env. */
#ifndef FRONT_FRONT_H
#define FRONT_FRONT_H
#include "front/ast.h"
#include "ir/ir.h"

typedef enum {
    ST_missing, /* no such name or attribute */
    ST_int,
    ST_float,
    ST_bool,
    ST_none,
    ST_str,
    ST_tensor, /* dt, rank, contig; captured as a hidden argument */
    ST_func,   /* a Python function or kernel: handle */
    ST_module, /* handle */
    ST_dtype,  /* dt */
    ST_op,     /* s: intrinsic's name, "exp", "get_global_id", "range", "len", "print" ... */
    ST_other   /* s: its Python type's name */
} st_kind;

enum { FRONT_MAX_LOCKS = 16 };
typedef struct {
    st_kind kind;
    int64_t i;
    double f;
    const char *s;
    dtype dt;
    int rank;
    int contig; /* IR_UNIT ... */
    bool lock;  /* a tensor that is a mutex */
    void *handle;
} front_static;

typedef struct {
    void *self;
    /* The meaning of `name` in function fn (closure, globals, builtins) or as an attribute of a
       module. The callee remembers what it answered and looks again at each launch; numbers only if
       front_env.freeze was called for them. */
    void (*name)(void *self, void *fn, const char *name, front_static *out);
    void (*attr)(void *self, void *object, const char *name, front_static *out);
    void (*freeze)(void *self, void *fn, const char *name);
    /* The FunctionDef or Lambda of a Python function; on failure adds to d. */
    status (*source)(void *self, void *fn, diag *d, const ast **out);
} front_env;

typedef struct {
    const char *name;
    st_kind kind; /* ST_int, ST_float, ST_bool, ST_none, ST_tensor */
    dtype dt;
    int rank;
    int contig;
} front_param; /* those beyond the function's own are its default buffers */

/* A hidden argument: the object that `name` is bound to in fn at each launch; fn NULL: a lock word
 * of the kernel's own. */
typedef struct {
    void *fn;
    const char *name;
} front_capture;

/* One piece of a print: text, or the value number `value` with conversion ('r', 's' or 0) and
 * format spec. */
typedef struct {
    const char *text;
    int value; /* -1: text only */
    int conversion;
    const char *spec;
    dtype dt; /* how the value's 64 bits are to be read; filled after infer */
} front_piece;
typedef struct {
    front_piece *pieces;
    uint32_t n;
} front_print;

typedef struct {
    front_capture *captures;
    uint32_t ncaptures;
    front_print *prints;
    uint32_t nprints;
    bool buffers; /* uses the default buffers */
} front_result;

status front_lower(arena *mem, diag *d, const front_env *env, void *fn, const front_param *params,
                   uint32_t nparams, ir_func **out, front_result *result);
#endif
