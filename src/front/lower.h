/* Shared by the front end's files: the state of one lowering. */
#ifndef FRONT_LOWER_H
#define FRONT_LOWER_H
#include "base/vec.h"
#include "front/front.h"

typedef struct fn_scope fn_scope;
typedef struct object object;
typedef struct array array;
typedef struct handler handler;

/* What a Python expression is at compile time. */
typedef enum {
    FV_error,
    FV_val,
    FV_tuple,
    FV_static,
    FV_closure,
    FV_object, /* an instance of a class */
    FV_method, /* obj or tuple `self`, and the function in st */
    FV_array,  /* a view or an expression of arrays, computed element by element where it is stored
                */
    FV_text,   /* a string with values in it */
    FV_exc     /* the exception that a handler has caught */
} fv_kind;
typedef struct fv {
    fv_kind kind;
    ir_value *v;
    struct fv *elts;
    uint32_t n;
    bool vec;        /* FV_tuple: a vector, with arithmetic by lane */
    bool list;       /* FV_tuple: made by [...]; its elements may be assigned */
    bool lock;       /* FV_val: a mutex */
    front_static st; /* FV_tuple: the NamedTuple's class, or missing */
    const ast *def;  /* FV_closure: FunctionDef or Lambda, */
    fn_scope *home;  /* and where it was made */
    object *obj;
    const array *arr;
    front_piece *pieces; /* FV_text: n of them; elts are its values */
    uint32_t npieces;
    handler *exc;
} fv;

/* A local variable. What it holds at a point of the program is in the flow: nothing (0), a number
   in its cell (1), or a binding: something with no run-time form, or a tuple or an object, whose
   parts are variables again. */
typedef struct var {
    const char *name;
    uint32_t id, count; /* count: how often the function's text assigns it */
    ir_value *cell;
    const ir_value *konst; /* assigned once, from this constant */
    bool can_unset, param;
    int par; /* how many parallel bodies are around the one that made the cell */
    fn_scope *home;
    fn_scope *nonlocal_in; /* the inner function that may assign it */
    uint32_t layouts;      /* last binding with parts, linked by binding.next */
    uint32_t last;         /* last binding of any kind */
    struct var *next;
} var;

struct object {
    front_static cls;
    var *fields; /* linked */
    bool named;  /* some variable holds it */
};

typedef struct {
    fv value;            /* without parts: the thing itself; FV_tuple: n, vec, st; FV_object: obj */
    var *elts;           /* FV_tuple */
    uint32_t next, read; /* read: when it was read last */
    loc at;              /* of the assignment */
} binding;

enum { MATMUL = OP_COUNT }; /* a code beside the ops': @ */
enum { FLOW_UNSET, FLOW_CELL, FLOW_MIXED = 0xffffffff };
typedef struct {
    uint32_t *at, n, cap; /* by var id */
    bool dead;            /* control does not get here */
} flow;

/* For messages: of each var, by id; and what met where a variable became mixed. */
typedef struct {
    const char *name;
    loc number; /* where it was last set to a number */
} var_note;
typedef struct {
    uint32_t id, a, b;
} mix;

typedef struct label {
    int64_t id;
    flow at_end; /* of those that leave to it */
    struct label *outer;
} label;

/* What must be done on the way out of a with or a try. */
typedef struct {
    ir_value *lock;
    const ast_field *final;
    handler *outer;
} cleanup;

typedef struct {
    uint32_t slot; /* in lower.raises */
    ir_value **cells;
    uint32_t n;
} raise_site;

/* A try whose body is being lowered. */
struct handler {
    handler *outer;
    int64_t label;
    uint32_t cleanups;
    bool all; /* a finally: everything stops here */
    const front_static *classes;
    uint32_t nclasses;
    ir_value *which; /* cell: the slot raised */
    VEC(raise_site) sites;
};

/* One invocation of a function. */
struct fn_scope {
    void *fn; /* for names outside */
    fn_scope *parent;
    var *vars;
    var ret;
    int64_t ret_label; /* 0: the value of a single last return */
    fv tail;
    int64_t break_label, continue_label;
    uint32_t cleanups, loop_cleanups; /* how many stand where return, break and continue lead */
    int loops;
    ir_region *entry;
    ir_op *entry_at;    /* the last op before the invocation, or NULL */
    front_static super; /* of a method: the class that it stands in */
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
    VEC(front_raise) raises;
    VEC(binding) bindings;
    VEC(cleanup) cleanups;
    VEC(var_note) notes;
    VEC(mix) mixes;
    const ast *source; /* of the assignment being made: the right side */
    flow flow;
    label *labels;
    handler *handler;
    handler *caught;               /* whose except clause we are in */
    uint32_t nvars, reads, fields; /* fields: of objects, made so far */
    const front_param *params;
    ir_value *first_tensor;
    fv *extra; /* default buffers */
    uint32_t nextra, nlocks;
    bool buffers;
    int check;               /* FRONT_CHECK ... */
    int par;                 /* parallel bodies around */
    ir_value *round;         /* of a checked parallel_for: the number of the iteration */
    int locked;              /* `with` blocks of mutexes around */
    int acquired;            /* acquire() without its release() so far in the text */
    bool choosing;           /* between bodies: a number does not fit a class */
    front_static next_super; /* for the function that is called next */
    ir_op *last_cell;
} lower;

/* lower.c */
void fail(lower *l, const ast *n, const char *advice, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
fv fv_val(ir_value *v);
fv fv_none(void);
ir_value *emit(lower *l, const ast *n, int code, ir_type t, unsigned nin, ir_value *const *in);
/* of int64s: int64, or bool of a comparison */
ir_value *emit_index(lower *l, const ast *n, int code, ir_value *a, ir_value *b);
ir_value *int_const(lower *l, const ast *n, dtype dt, int64_t v);
ir_value *cell_new(lower *l, const char *name, loc at);
void cell_set(lower *l, const ast *n, ir_value *cell, ir_value *v);
bool ast_has(const ast *n, int kind, bool into_loops);
const ast *params_of(const ast *def);
fv lower_inline(lower *l, const ast *def, void *fn, fn_scope *home, fv *args, uint32_t nargs,
                const ast *call);
/* lower_say.c */
const char *say_what(lower *l, fv x); /* "a number (int32)" */
const char *say_name(lower *l, const ast *n);
const char *say_function(lower *l, const ast *def);
const char *say_params(lower *l, const ast *args);
void say_unsupported(lower *l, const ast *n, const char *const (*rows)[3], size_t nrows,
                     const char *otherwise);
void fail_mixed(lower *l, const ast *n, const var *v);
void fail_round(lower *l, const ast *n, uint32_t id, uint32_t before, uint32_t after);
/* lower_types.c: the annotated type of x, checked; name is the parameter's, or NULL */
/* Of fn and what @pyasc.overload has added to it, the first body whose annotations fit; NULL with
 * an error. */
void *lower_body_for(lower *l, const ast *n, void *fn, const fv *args, uint32_t nargs);
fv lower_isinstance(lower *l, const ast *n, fv x, fv of);
fv lower_type(lower *l, const ast *n, fv x);
fv lower_annotation(lower *l, const ast *n, fv x, const char *name);
/* lower_var.c */
void var_set(lower *l, const ast *n, var *v, fv value);
uint32_t var_bind(lower *l, var *v, fv value); /* for flow_put: the value itself, for good */
fv var_get(lower *l, const ast *n, var *v);
var *var_new(lower *l, fn_scope *fs, const char *name);
void var_init(lower *l, var *v, const char *name);
var *var_find(lower *l, const char *name);
void var_delete(lower *l, const ast *n, var *v);
void declare_locals(lower *l, fn_scope *fs, ast *const *body, uint32_t n);
void bind_param(lower *l, fn_scope *fs, const ast *a, fv value);
/* lower_flow.c */
flow flow_copy(lower *l);
void flow_meet(lower *l, flow *into, const flow *from);
void flow_end(lower *l); /* control does not go on from here */
uint32_t flow_of(const lower *l, const var *v);
void flow_put(lower *l, const var *v, uint32_t state);
ir_op *open_scope(lower *l, const ast *n, label *x); /* l->r is its body then */
void close_scope(lower *l, const ast *n, label *x, bool ended, ir_region *outer);
void emit_leave(lower *l, const ast *n, int64_t to);
ir_op *open_if(lower *l, const ast *n, ir_value *cond);
void empty_region(lower *l, const ast *n, ir_region *r);
void lower_end(lower *l, const ast *n, bool ended); /* ends l->r with a yield */
/* lower_try.c */
bool lower_exit(lower *l, const ast *n, uint32_t down_to); /* true: a finally went elsewhere */
uint32_t raise_new(lower *l, const ast *n, const front_static *cls, const front_piece *pieces,
                   uint32_t npieces);
void lower_throw(lower *l, const ast *n, uint32_t slot, ir_value **values, uint32_t nvalues);
void throw_if(lower *l, const ast *n, ir_value *bad, const char *cls, fv message);
bool lower_raise(lower *l, const ast *n);
void lower_assert(lower *l, const ast *n);
void lower_try(lower *l, const ast *n);
bool may_catch(lower *l, const char *cls);
fv exc_text(lower *l, const ast *n, const handler *h);
/* lower_text.c */
fv lower_fstring(lower *l, const ast *n);
fv text_of(lower *l, const ast *n, fv x); /* as str(x) */
fv text_join(lower *l, const fv *parts, uint32_t n);
fv text_format(lower *l, const ast *n, const char *format, ...); /* %s: const char *, %v: fv * */
fv lower_print(lower *l, const ast *n);
fv lower_printf(lower *l, const ast *n, fv *args, uint32_t nargs); /* as C's */
/* lower_check.c */
bool catches_checks(lower *l);
void check_index(lower *l, const ast *n, ir_value *t, ir_value *const *index, uint32_t rank,
                 bool write);
void check_binary(lower *l, const ast *n, int code, ir_value *a, ir_value *b);
void check_narrow(lower *l, const ast *n, ir_value *t, ir_value *v);
/* lower_arith.c */
int binary_code(const char *op); /* of an operator's class name; -1 */
fv lower_binary(lower *l, const ast *n);
fv lower_unary(lower *l, const ast *n);
fv lower_arith(lower *l, const ast *n, int code, fv *x); /* two values */
/* lower_logic.c */
ir_value *to_bool(lower *l, const ast *n, ir_value *v);
ir_value *lower_truth(lower *l, const ast *n, fv x); /* bool(x) */
ir_value *lower_cond(lower *l, const ast *n);        /* as bool */
fv lower_boolop(lower *l, const ast *n);
fv lower_ifexp(lower *l, const ast *n);
fv lower_compare(lower *l, const ast *n);
/* lower_expr.c */
fv lower_expr(lower *l, const ast *n);
ir_value *lower_val(lower *l,
                    const ast *n); /* a run-time scalar or tensor; a dummy after an error */
ir_value *lower_as_val(lower *l, fv x, loc at);
fv lower_capture(lower *l, void *fn, const char *name, const front_static *st);
bool lower_const_int(lower *l, const ast *n, int64_t *out);
bool const_of(fv x, int64_t *out);
fv static_fv(lower *l, const ast *n, const front_static *st);
/* lower_index.c */
fv lower_subscript(lower *l, const ast *n);
fv lower_load(lower *l, const ast *n, ir_value *t, fv index);
void lower_store(lower *l, const ast *n, ir_value *t, fv index, fv value);
void lower_store_to(lower *l, const ast *n, fv value); /* n: Subscript */
/* lower_array.c */
bool is_array(fv x);
int array_rank(fv x);
bool has_array(const fv *args, uint32_t nargs);
fv array_map(lower *l, const ast *n, fv (*f)(lower *, const ast *, int, fv *), int code, fv *args,
             uint32_t nargs);
fv array_view(lower *l, const ast *n, fv base, const ast *slice);
void array_assign(lower *l, const ast *n, fv target, fv value);
fv array_keep(lower *l, const ast *n, fv x); /* into memory of its own, unless it is a view */
fv array_attr(lower *l, const ast *n, fv x, const char *name);
bool array_call(lower *l, const ast *n, const char *name, fv *args, uint32_t nargs, fv *out);
fv array_matmul(lower *l, const ast *n, fv a, fv b);
/* lower_class.c */
fv lower_construct(lower *l, const ast *n, const front_static *cls, fv *args, uint32_t nargs);
fv object_attr(lower *l, const ast *n, fv x, const char *name);
void object_set(lower *l, const ast *n, fv x, const char *name, fv value);
fv object_copy(lower *l, const ast *n, fv x);
bool object_operator(lower *l, const ast *n, int code, fv *x, fv *out);
bool object_method(lower *l, fv x, const char *name, fv *out);
var *object_field(lower *l, object *o, const char *name, bool make);
/* lower_seq.c */
void lower_rounds(lower *l, const ast *n); /* a with that is a loop */
bool lower_loop(lower *l, const ast *n);
fv lower_comprehension(lower *l, const ast *n);
void lower_match(lower *l, const ast *n);
bool seq_elements(lower *l, const ast *n, fv x, fv *out);
/* lower_op.c */
fv lower_op(lower *l, const ast *n, const char *name, fv *args, uint32_t nargs);
fv lower_memory(lower *l, const ast *n, const char *name); /* shared(), local() */
fv lower_cast(lower *l, const ast *n, int dt, fv *x);
/* lower_call.c */
fv lower_call(lower *l, const ast *n);
fv lower_apply(lower *l, const ast *n, fv f, fv *args, uint32_t nargs); /* call with values */
/* lower_par.c */
bool lower_special(lower *l, const ast *n, const char *name, fv *args, uint32_t nargs, fv *out);
void emit_lock(lower *l, const ast *n, ir_value *word, bool take);
bool lower_with(lower *l, const ast *n);
void lower_decorated(lower *l, const ast *def, fv f);
fv lower_lanes(lower *l, const ast *n, fv (*f)(lower *, const ast *, int, fv *), int code, fv *args,
               uint32_t nargs);
bool has_lanes(const fv *args, uint32_t nargs);
/* lower_stmt.c */
void lower_body(lower *l, const ast *n, int field);  /* sets l->r's end with yield or leave */
bool lower_stmts(lower *l, ast **stmts, uint32_t n); /* true: control does not reach the end */
void lower_assign(lower *l, const ast *target, fv value);
#endif
