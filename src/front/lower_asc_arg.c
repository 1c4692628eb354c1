/* Package asc: objects that are passed to a kernel, and what the Matmul object needs of the front
   end. */
#include "front/lower_asc.h"
#include "npu/npu.h"
#include <string.h>

/* Word i of the captured array, as i64 or as f64. */
static fv word_of(lower *l, const ast *n, ir_value *words, int64_t i, bool is_float) {
    ir_value *in[2] = {words, int_const(l, n, DT_i64, i)};
    int64_t *tags = ARENA_ARRAY(l->mem, int64_t, 4);
    tags[0] = 2 << 8;
    tags[1] = n->at.line;
    tags[2] = NPU_TAG(NPU_buffer, DT_i64, 0);
    tags[3] = NPU_TAG(NPU_int, 0, 0);
    ir_value *v = emit(l, n, OP_npu, ir_val(is_float ? DT_f64 : DT_i64, 1), 2, in);
    v->def->attr[0].s = "core.word";
    v->def->attr[1].i = 4;
    v->def->attr[1].v = tags;
    return fv_val(v);
}

/* The kernel reads the fields of a Struct from one array of words, which each launch makes anew. */
void asc_struct(lower *l, const ast *n, fv *x) {
    front_static words = {0}, cls = {0};
    if (l->st != OK || x->kind != FV_static || x->st.kind != ST_instance)
        return;
    l->env->host_attr(l->env->self, &x->st, "__pyasc_words__", &words);
    l->env->attr(l->env->self, x->st.handle, "__class__", &cls);
    const front_class *c = l->env->fields(l->env->self, cls.handle);
    if (words.kind != ST_tensor || cls.kind != ST_class || !c)
        return;
    ir_value *at = lower_capture(l, NULL, words.path, &words).v;
    object *o = ARENA_NEW(l->mem, object);
    o->cls = cls;
    for (uint32_t i = 0; i < c->nfields && l->st == OK; i++) {
        front_static f = {0};
        l->env->host_attr(l->env->self, &x->st, c->fields[i].name, &f);
        fv v = {.kind = FV_static, .st = f};
        if (f.kind == ST_instance)
            asc_struct(l, n, &v);
        else
            v = word_of(l, n, at, i, f.kind == ST_float);
        var_set(l, n, object_field(l, o, c->fields[i].name, true), v);
    }
    *x = (fv){.kind = FV_object, .obj = o};
}

void asc_made(lower *l, const ast *n, const asc_bound *b, fv x) {
    if (strcmp(b->row->name, "Matmul.__init__"))
        return;
    asc_set(l, n, x, "dtype_c", object_attr(l, n, asc_arg(b, "c"), "dtype"));
}

/* A tensor of the object's C in the workspace, unless the form has one to be filled. */
fv asc_global_c(lower *l, const ast *n, const asc_bound *b, ir_value *addr) {
    for (int i = 0; i < b->n; i++)
        if (!strncmp(b->p[i].name, "tensor:", 7))
            return fv_none();
    fv dt = asc_get(l, n, b->a[0], "dtype_c");
    ir_value *len = asc_emit(l, n, "core.len", NULL, 0);
    if (l->st != OK || dt.kind != FV_static)
        return (fv){0};
    ir_value *bytes = int_const(l, n, DT_i64, dtype_table[dt.st.dt].bytes);
    return asc_tensor(l, n, "GlobalTensor", dt, addr, emit_index(l, n, OP_floordiv, len, bytes));
}

fv asc_offset_c(lower *l, const ast *n, const asc_bound *b) {
    static const char *const names[] = {"offset", "row", "col", "height", "width"};
    fv x = asc_object(l, n, "MatrixOffset");
    for (int i = 0; i < 5 && l->st == OK; i++) {
        ir_value *in[2] = {asc_int(l, n, asc_get(l, n, b->a[0], "id")), int_const(l, n, DT_i64, i)};
        asc_set(l, n, x, names[i], fv_val(asc_emit(l, n, "Matmul.offset_c", in, 2)));
    }
    return x;
}
