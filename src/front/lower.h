/* Shared by the front end's files: the state of one lowering. */
#ifndef FRONT_LOWER_H
#define FRONT_LOWER_H
#include "base/vec.h"
#include "front/front.h"

typedef struct fn_scope fn_scope;

/* What a Python expression is at compile time. */
typedef enum { FV_error, FV_val, FV_tuple, FV_static, FV_closure } fv_kind;
typedef struct fv {
    fv_kind kind;
    ir_value *v;
    struct fv *elts;
    uint32_t n;
    bool vec;  /* FV_tuple: a vector, with arithmetic by lane */
    bool lock; /* FV_val: a mutex */
    front_static st;
    const ast *def; /* FV_closure: FunctionDef or Lambda, */
    fn_scope *home; /* and where it was made */
} fv;

/* A local variable: a cell, a tuple of variables, or a binding that has no run-time form. */
typedef struct var {
    const char *name;
    enum { V_unset, V_cell, V_tuple, V_bound } kind;
    ir_value *cell;
    struct var *elts;
    uint32_t n;
    bool vec;
    int par; /* how many parallel bodies are around the one that made the cell */
    fv bound;
    fn_scope *nonlocal_in; /* the inner function that may assign it */
    struct var *next;
} var;

/* One invocation of a function. */
struct fn_scope {
    void *fn; /* for names outside */
    fn_scope *parent;
    var *vars;
    var ret;
    int64_t ret_label; /* 0: the value of a single last return */
    fv tail;
    int64_t break_label, continue_label;
    uint32_t ret_locks, loop_locks; /* locks held where return, break and continue lead */
};

typedef struct {
    arena *mem;
    diag *d;
    const front_env *env;
    ir_func *f;
    ir_region *r; /* where ops are appended */
    fn_scope *fs;
    status st;
    int depth;
    VEC(front_capture) captures;
    VEC(ir_value *) capture_vals;
    VEC(front_print) prints;
    const front_param *params;
    ir_value *first_tensor;
    fv *extra; /* default buffers */
    uint32_t nextra, nlocks;
    bool buffers;
    int par;               /* parallel bodies around */
    VEC(ir_value *) locks; /* of the `with` blocks around */
    int acquired;          /* acquire() without its release() so far in the text */
} lower;

fv lower_expr(lower *l, const ast *n);
ir_value *lower_val(lower *l,
                    const ast *n); /* a run-time scalar or tensor; a dummy after an error */
ir_value *lower_cond(lower *l, const ast *n); /* as bool */
ir_value *lower_as_val(lower *l, fv x, loc at);
fv lower_call(lower *l, const ast *n);
fv lower_apply(lower *l, const ast *n, fv f, fv *args, uint32_t nargs); /* call with values */
bool lower_special(lower *l, const ast *n, const char *name, fv *args, uint32_t nargs, fv *out);
void emit_lock(lower *l, const ast *n, ir_value *word, bool take);
void lower_with(lower *l, const ast *n);
void lower_decorated(lower *l, const ast *def, fv f);
void lower_unlock(lower *l, const ast *n, uint32_t down_to);
void lower_end(lower *l, const ast *n, bool ended); /* ends l->r with a yield */
fv lower_lanes(lower *l, const ast *n, fv (*f)(lower *, const ast *, int, fv *), int code, fv *args,
               uint32_t nargs);
bool has_lanes(const fv *args, uint32_t nargs);
fv lower_capture(lower *l, void *fn, const char *name, const front_static *st);
fv lower_load(lower *l, const ast *n, ir_value *t, fv index);
void lower_store(lower *l, const ast *n, ir_value *t, fv index, fv value);
fv lower_op(lower *l, const ast *n, const char *name, fv *args, uint32_t nargs);
void lower_body(lower *l, const ast *n, int field);  /* sets l->r's end with yield or leave */
bool lower_stmts(lower *l, ast **stmts, uint32_t n); /* true: control does not reach the end */
void lower_assign(lower *l, const ast *target, fv value);
bool lower_const_int(lower *l, const ast *n, int64_t *out);
fv lower_inline(lower *l, const ast *def, void *fn, fn_scope *home, fv *args, uint32_t nargs,
                const ast *call);
void fail(lower *l, const ast *n, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
fv fv_val(ir_value *v);
ir_value *emit(lower *l, const ast *n, int code, ir_type t, unsigned nin, ir_value *const *in);
void var_set(lower *l, const ast *n, var *v, fv value);
fv var_get(lower *l, const ast *n, var *v);
bool ast_has(const ast *n, int kind, bool into_loops);
#endif
