/* Objects of package asc that are known to the compiler: tensors are a dtype, an address and a
   number of elements, and views of them are arithmetic. */
#include "front/lower_asc.h"
#include "npu/npu.h"
#include <string.h>

fv asc_object(lower *l, const ast *n, const char *cls) {
    object *o = ARENA_NEW(l->mem, object);
    const char *dot = strrchr(cls, '.'), *name = dot ? dot + 1 : cls;
    const char *module = dot ? arena_printf(l->mem, "asc.%.*s", (int)(dot - cls), cls) : "asc";
    l->env->import(l->env->self, module, name, false, &o->cls);
    if (o->cls.kind != ST_class)
        fail(l, n, "install pyasc anew", "package asc has no class %s", cls);
    return (fv){.kind = FV_object, .obj = o};
}

fv asc_get(lower *l, const ast *n, fv x, const char *field) {
    var *f = x.kind == FV_object ? object_field(l, x.obj, field, false) : NULL;
    return f && flow_of(l, f) != FLOW_UNSET ? var_get(l, n, f) : (fv){0};
}

void asc_set(lower *l, const ast *n, fv x, const char *field, fv value) {
    if (x.kind == FV_object && l->st == OK)
        var_set(l, n, object_field(l, x.obj, field, true), value);
}

/* x as i64 or f64: what it is for the model. */
static ir_value *as(lower *l, const ast *n, fv x, dtype to) {
    int64_t k;
    if (const_of(x, &k) && to == DT_i64)
        return int_const(l, n, DT_i64, k);
    ir_value *v = lower_as_val(l, x, n->at);
    if (v->type.kind == TY_val && v->type.dt == to)
        return v;
    return emit(l, n, OP_cast, ir_val(to, 1), 1, &v);
}
ir_value *asc_int(lower *l, const ast *n, fv x) { return as(l, n, x, DT_i64); }
ir_value *asc_float(lower *l, const ast *n, fv x) { return as(l, n, x, DT_f64); }

fv asc_tensor(lower *l, const ast *n, const char *cls, fv dt, ir_value *addr, ir_value *size) {
    fv x = asc_object(l, n, cls);
    asc_set(l, n, x, "dtype", dt);
    asc_set(l, n, x, "addr", fv_val(addr));
    if (size)
        asc_set(l, n, x, "size", fv_val(size));
    return x;
}

static int bytes_of(fv dt) {
    return dt.kind == FV_static && dt.st.kind == ST_dtype ? dtype_table[dt.st.dt].bytes : 1;
}

static ir_value *scaled(lower *l, const ast *n, ir_value *index, int bytes) {
    return bytes == 1 ? index : emit_index(l, n, OP_mul, index, int_const(l, n, DT_i64, bytes));
}

fv asc_view(lower *l, const ast *n, fv base, fv index) {
    fv dt = asc_get(l, n, base, "dtype"), addr = asc_get(l, n, base, "addr"),
       size = asc_get(l, n, base, "size");
    if (l->st != OK)
        return (fv){0};
    if (addr.kind != FV_val) {
        fail(l, n, "call set_global_buffer() before", "this %s has no memory yet", base.obj->cls.s);
        return (fv){0};
    }
    ir_value *i = asc_int(l, n, index), *a = asc_int(l, n, addr);
    a = emit_index(l, n, OP_add, a, scaled(l, n, i, bytes_of(dt)));
    ir_value *left = size.kind == FV_val ? emit_index(l, n, OP_sub, asc_int(l, n, size), i) : NULL;
    const char *cls = asc_kind(base, "LocalTensor") ? "LocalTensor" : base.obj->cls.s;
    fv x = asc_tensor(l, n, cls, dt, a, left);
    fv shape = asc_get(l, n, base, "shape_info");
    if (shape.kind == FV_object)
        asc_set(l, n, x, "shape_info", shape);
    return x;
}

/* t[i] and t[i:] */
fv asc_subscript(lower *l, const ast *n, fv base, const ast *s) {
    if (s->kind != AST_Slice) {
        fv i = lower_expr(l, s);
        return l->st == OK ? asc_view(l, n, base, i) : (fv){0};
    }
    if (s->f[Slice_upper].kind == AF_node || s->f[Slice_step].kind == AF_node) {
        fail(l, s, "write t[start:], and give the operation the count",
             "a view of a tensor has a start only");
        return (fv){0};
    }
    fv i = s->f[Slice_lower].kind == AF_node ? lower_expr(l, s->f[Slice_lower].node)
                                             : fv_val(int_const(l, n, DT_i64, 0));
    return l->st == OK ? asc_view(l, n, base, i) : (fv){0};
}

/* The memory of a TPosition: GM A1 A2 B1 B2 C1 C2 CO1 CO2 VECIN VECOUT VECCALC */
static int space_of(fv pos) {
    static const uint8_t of[] = {NPU_UB,   NPU_L1,  NPU_L0A, NPU_L1, NPU_L0B, NPU_L1,
                                 NPU_BIAS, NPU_L0C, NPU_UB,  NPU_UB, NPU_UB,  NPU_UB};
    int64_t k;
    return const_of(pos, &k) && k >= 0 && k < (int64_t)sizeof of ? of[k] : NPU_UB;
}

typedef fv special(lower *l, const ast *n, const asc_bound *b);

/* A place that is none: what is read there is zero. */
enum { NOWHERE = -(1 << 30) };

static fv local_new(lower *l, const ast *n, const asc_bound *b) {
    fv dt = asc_arg(b, "dtype"), pos = asc_arg(b, "pos"), addr = asc_arg(b, "addr"),
       size = asc_arg(b, "tile_size");
    if (dt.kind == FV_error)
        return asc_object(l, n, "LocalTensor");
    int space = space_of(pos);
    ir_value *a = int_const(l, n, DT_i64, npu_addr(space, addr.kind == FV_error ? NOWHERE : 0));
    if (addr.kind != FV_error)
        a = emit_index(l, n, OP_add, a, asc_int(l, n, addr));
    fv x = asc_tensor(l, n, "LocalTensor", dt, a,
                      size.kind == FV_error ? int_const(l, n, DT_i64, 0) : asc_int(l, n, size));
    asc_set(l, n, x, "position", pos.kind == FV_error ? fv_val(int_const(l, n, DT_i64, 9)) : pos);
    return x;
}

static fv global_new(lower *l, const ast *n, const asc_bound *b) {
    (void)b;
    return asc_object(l, n, "GlobalTensor");
}

static fv set_global_buffer(lower *l, const ast *n, const asc_bound *b) {
    fv self = asc_arg(b, "self"), buffer = asc_arg(b, "buffer"), size = asc_arg(b, "buffer_size");
    if (buffer.kind == FV_error) {
        fail(l, n, "write t.set_global_buffer(x), with x an argument of the kernel",
             "set_global_buffer() needs the address of an array");
        return (fv){0};
    }
    asc_set(l, n, self, "dtype", asc_get(l, n, buffer, "dtype"));
    asc_set(l, n, self, "addr", asc_get(l, n, buffer, "addr"));
    asc_set(l, n, self, "size",
            size.kind == FV_error ? fv_val(int_const(l, n, DT_i64, 0))
                                  : fv_val(asc_int(l, n, size)));
    return fv_none();
}

static fv view_at(lower *l, const ast *n, const asc_bound *b) {
    return asc_view(l, n, asc_arg(b, "self"), asc_arg(b, "index"));
}

static fv get_size(lower *l, const ast *n, const asc_bound *b) {
    fv self = asc_arg(b, "self"), size = asc_get(l, n, self, "size"),
       dt = asc_get(l, n, self, "dtype");
    ir_value *v = size.kind == FV_val ? asc_int(l, n, size) : int_const(l, n, DT_i64, 0);
    return fv_val(strstr(b->row->name, "length") ? scaled(l, n, v, bytes_of(dt)) : v);
}

static fv ceil_divided(lower *l, const ast *n, fv a, fv b) {
    fv one = fv_val(int_const(l, n, DT_wint, 1)), x[2] = {b, one}, y[2] = {a, {0}}, z[2];
    y[1] = lower_arith(l, n, OP_sub, x);
    z[0] = lower_arith(l, n, OP_add, y);
    z[1] = b;
    return l->st == OK ? lower_arith(l, n, OP_floordiv, z) : (fv){0};
}

static fv ceildiv(lower *l, const ast *n, const asc_bound *b) {
    return ceil_divided(l, n, b->a[0], b->a[1]);
}

static fv number_cast(lower *l, const ast *n, const asc_bound *b) {
    fv x = b->a[0], dt = asc_arg(b, "dtype");
    return lower_cast(l, n, (int)dt.st.dt, &x);
}

static fv dtype_sizeof(lower *l, const ast *n, const asc_bound *b) {
    return fv_val(int_const(l, n, DT_wint, bytes_of(b->a[0])));
}

static const struct {
    const char *name;
    special *run;
} specials[] = {
    {"LocalTensor.__init__", local_new},
    {"GlobalTensor.__init__", global_new},
    {"GlobalTensor.set_global_buffer", set_global_buffer},
    {"LocalTensor.__call__", view_at},
    {"GlobalTensor.__call__", view_at},
    {"LocalTensor.get_size", get_size},
    {"GlobalTensor.get_size", get_size},
    {"LocalTensor.get_length", get_size},
    {"PlainValue.ceildiv", ceildiv},
    {"PlainValue.cast", number_cast},
    {"ceildiv", ceildiv},
    {"number", number_cast},
    {"DataType.sizeof", dtype_sizeof},
};

bool asc_special(lower *l, const ast *n, const asc_bound *b, fv *out) {
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (!strcmp(specials[i].name, b->row->name)) {
            *out = l->st == OK ? specials[i].run(l, n, b) : (fv){0};
            return true;
        }
    return false;
}
