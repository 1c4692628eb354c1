/* Package asc in the front end: what its files share. */
#ifndef FRONT_LOWER_ASC_H
#define FRONT_LOWER_ASC_H
#include "base/asc.h"
#include "front/lower.h"

enum { ASC_MAX_PARAMS = 28 };
typedef struct {
    const char *name, *type; /* of namelen and typelen bytes, in the table's text */
    int namelen, typelen;
    bool optional;
} asc_param;
typedef struct {
    const asc_row *row;
    int form;
    asc_param p[ASC_MAX_PARAMS];
    fv a[ASC_MAX_PARAMS]; /* FV_error: left out */
    int n;
} asc_bound;

/* lower_asc.c */
bool asc_is(fv f); /* is it an operation, a method or a class of the package? */
fv asc_call(lower *l, const ast *n, fv f);
fv asc_apply(lower *l, const ast *n, fv f, fv *args, uint32_t nargs);
bool asc_kind(fv x, const char *cls); /* an object of that class, or of one derived from it */
fv asc_arg(const asc_bound *b, const char *name);
void asc_enter(lower *l, const ast *n, fv *args, uint32_t nargs); /* the kernel's arguments */
void asc_struct(lower *l, const ast *n, fv *x); /* an argument that is a Struct: an object */
ir_value *asc_emit(lower *l, const ast *n, const char *name, ir_value *const *in, uint32_t nin);
/* lower_asc_arg.c */
void asc_made(lower *l, const ast *n, const asc_bound *b, fv x); /* by its constructor, just now */
fv asc_global_c(lower *l, const ast *n, const asc_bound *b, ir_value *addr);
fv asc_offset_c(lower *l, const ast *n, const asc_bound *b);
void asc_check(lower *l, const ast *n, const asc_bound *b); /* lower_asc_check.c: dtypes */
/* lower_asc_obj.c */
bool asc_special(lower *l, const ast *n, const asc_bound *b, fv *out);
fv asc_object(lower *l, const ast *n, const char *cls);
fv asc_get(lower *l, const ast *n, fv x, const char *field); /* FV_error: not set */
void asc_set(lower *l, const ast *n, fv x, const char *field, fv value);
fv asc_tensor(lower *l, const ast *n, const char *cls, fv dt, ir_value *addr, ir_value *size);
fv asc_view(lower *l, const ast *n, fv base, fv index); /* from the element at index on */
fv asc_subscript(lower *l, const ast *n, fv base, const ast *slice);
bool asc_method(lower *l, const ast *n, fv self, const char *name, fv *out);
ir_value *asc_int(lower *l, const ast *n, fv x);   /* as i64 */
ir_value *asc_float(lower *l, const ast *n, fv x); /* as f64 */
#endif
