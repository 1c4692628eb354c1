/* C mirror of the accepted part of Python's ast, made by py/py_ast.c. */
#ifndef FRONT_AST_H
#define FRONT_AST_H
#include "base/diag.h"
#include <stdbool.h>

enum {
    AST_Other,
#define F(c, f)
#define AST(c, fields) AST_##c,
#include "front/ast.def"
#undef AST
#undef F
    AST_COUNT
};
/* field indices: For_target, For_iter, ... */
#define F(c, f) c##_##f,
#define AST(c, fields) enum { fields c##_FIELDS };
#include "front/ast.def"
#undef AST
#undef F

typedef struct ast ast;
typedef enum {
    AF_none,
    AF_node,
    AF_list,
    AF_str,
    AF_int,
    AF_float,
    AF_bool,
    AF_None,
    AF_other
} ast_field_kind;
/* Identifiers, operators' class names ("Add", "Lt") and string constants are AF_str; Constant.value
   by its Python type; None for an optional node is AF_none; ints beyond 64 bits and other constants
   AF_other with the type's name in s. A list's None elements (kw_defaults) are NULL; lists of
   strings or operators hold AST_Other nodes with the text in `name`. */
typedef struct {
    uint8_t kind;
    uint32_t n; /* list length */
    union {
        ast *node;
        ast **list;
        const char *s;
        int64_t i;
        double f;
    };
} ast_field;

struct ast {
    uint16_t kind;
    const char *name; /* Python's class name (or the text of a string in a list) */
    loc at;
    ast_field f[7];
};
#endif
