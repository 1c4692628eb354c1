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
    ST_tensor,   /* dt, rank, contig; captured as a hidden argument */
    ST_func,     /* a Python function or kernel: handle */
    ST_module,   /* handle */
    ST_dtype,    /* dt */
    ST_op,       /* s: intrinsic's name, "exp", "get_global_id", "range", "len", "print" ... */
    ST_class,    /* handle; exc: an exception's; s: its name */
    ST_tuple,    /* n elts; handle: a NamedTuple's class, or NULL */
    ST_super,    /* handle: the class whose bases are meant */
    ST_instance, /* an object of a class of the user's: handle, root, path; s: the class's name */
    ST_other     /* s: its Python type's name */
} st_kind;

enum { FRONT_MAX_LOCKS = 16 };
typedef struct front_static {
    st_kind kind;
    int64_t i;
    double f;
    const char *s;
    dtype dt;
    int rank;
    int contig;           /* IR_UNIT ... */
    bool lock;            /* a tensor that is a mutex */
    bool exc, asc;        /* asc: a class of package asc */
    bool property, bound; /* ST_func: a property's getter; a method of the instance */
    void *handle, *owner; /* owner: the class in which a method was found */
    struct front_static *elts;
    uint32_t n;
    const char *path; /* ST_instance and what is read from one: attributes from its root */
} front_static;

typedef struct {
    const char *name;
    bool has_default;
    front_static value;
} front_field;
typedef struct {
    front_field *fields;
    uint32_t nfields;
    bool tuple, frozen;
} front_class;

typedef struct {
    void *self;
    int asc; /* the kernel is one of package asc; 2: for cube cores alone */
    /* The meaning of `name` in function fn (closure, globals, builtins) or as an attribute of a
       module. The callee remembers what it answered and looks again at each launch; numbers only if
       front_env.freeze was called for them. */
    void (*name)(void *self, void *fn, const char *name, front_static *out);
    void (*attr)(void *self, void *object, const char *name, front_static *out);
    void (*freeze)(void *self, void *fn, const char *name);
    /* Classes. is_a: issubclass. exception: a built-in exception class, or one of pyasc's, by name.
       method: what the classes of cls's order behind `after` (NULL: all) have under that name, and
       the class that has it. fields: of a dataclass or NamedTuple, or NULL. */
    bool (*is_a)(void *self, void *cls, void *of);
    void (*exception)(void *self, const char *name, front_static *out);
    void (*method)(void *self, void *cls, void *after, const char *name, front_static *out,
                   front_static *owner);
    const front_class *(*fields)(void *self, void *cls);
    /* An attribute of an instance of the host's; numbers and tensors come with a path. */
    void (*host_attr)(void *self, const front_static *object, const char *name, front_static *out);
    /* import module, or from module import name; top: the first part of a dotted name is meant. */
    void (*import)(void *self, const char *module, const char *name, bool top, front_static *out);
    /* A quoted annotation's expression, at the place of n; NULL when it is none. Does a name or a
       dotted name mean anything in fn? */
    const ast *(*parse)(void *self, const char *text, const ast *n);
    bool (*known)(void *self, void *fn, const ast *name);
    /* The bodies that @pyasc.overload has added to fn; *n may be 0. */
    void **(*overloads)(void *self, void *fn, uint32_t *n);
    /* The FunctionDef or Lambda of a Python function; on failure adds to d. */
    status (*source)(void *self, void *fn, diag *d, const ast **out);
} front_env;

typedef struct {
    const char *name;
    st_kind kind; /* ST_int, ST_float, ST_bool, ST_none, ST_tensor, ST_instance */
    dtype dt;
    int rank;
    int contig;
    bool constant; /* a constexpr: i or f is its value */
    int64_t i;
    double f;
    front_static st; /* ST_other: a function, a class, a dtype */
    void *handle;    /* ST_instance */
    const char *s;   /* its class's name, or the constant string */
} front_param;       /* those beyond the function's own are its default buffers */

/* A hidden argument: the object that `name` is bound to in fn at each launch; fn NULL: a lock word
 * of the kernel's own ("mutex0"), or an attribute of an argument ("#0.scale"). */
typedef struct {
    void *fn;
    const char *name;
} front_capture;

/* One piece of a print: text, or the value number `value` with conversion ('r', 's' or 0) and
 * format spec. */
enum { FRONT_NEXT_ARG = -2, FRONT_MAX_RAISED = 8 };
typedef struct {
    const char *text;
    int value; /* -1: text only; FRONT_NEXT_ARG: the next argument of an exception begins */
    int conversion;
    const char *spec;
    dtype dt; /* how the value's 64 bits are to be read; filled after infer */
} front_piece;
typedef struct {
    front_piece *pieces;
    uint32_t n;
} front_print;

/* A place that may raise: the class, the line, and the text of what it says. */
typedef struct {
    void *cls;
    uint32_t line, file;
    front_print text;
} front_raise;

enum { FRONT_CHECK = 1, FRONT_CHECK_ALL = 2 };

typedef struct {
    front_capture *captures;
    uint32_t ncaptures;
    front_print *prints;
    uint32_t nprints;
    front_raise *raises;
    uint32_t nraises;
    bool buffers; /* uses the default buffers */
} front_result;

status front_lower(arena *mem, diag *d, const front_env *env, void *fn, const front_param *params,
                   uint32_t nparams, int check, ir_func **out, front_result *result);
#endif
