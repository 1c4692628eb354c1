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
        l->env->import(l->env->self, "asc.language.adv", name, false, &o->cls);
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

/* Byte `at` of the memory of a TPosition, which may be a global of the kernel's module. */
static ir_value *place(lower *l, const ast *n, fv pos, int64_t at) {
    int64_t k;
    if (pos.kind == FV_error || const_of(pos, &k))
        return int_const(l, n, DT_i64, npu_addr(npu_space_of(pos.kind == FV_error ? 9 : k), at));
    ir_value *in = asc_int(l, n, pos), *base = asc_emit(l, n, "core.place", &in, 1);
    return emit_index(l, n, OP_add, base, int_const(l, n, DT_i64, at));
}

typedef fv special(lower *l, const ast *n, const asc_bound *b);

/* A place that is none: what is read there is zero. */
enum { NOWHERE = -(1 << 30) };

static fv local_new(lower *l, const ast *n, const asc_bound *b) {
    fv dt = asc_arg(b, "dtype"), pos = asc_arg(b, "pos"), addr = asc_arg(b, "addr"),
       size = asc_arg(b, "tile_size");
    if (dt.kind == FV_error)
        return asc_object(l, n, "LocalTensor");
    ir_value *a = place(l, n, pos, addr.kind == FV_error ? NOWHERE : 0);
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

static fv dtype_new(lower *l, const ast *n, const asc_bound *b) {
    fv name = b->a[0];
    int dt = name.kind == FV_static && name.st.kind == ST_str ? dtype_from_name(name.st.s) : -1;
    if (dt < 0) {
        fail(l, n, "write asc.float32, asc.int32, ...", "%s is no name of a dtype",
             say_what(l, name));
        return (fv){0};
    }
    return (fv){.kind = FV_static, .st = {.kind = ST_dtype, .dt = (dtype)dt}};
}

static fv dtype_sizeof(lower *l, const ast *n, const asc_bound *b) {
    return fv_val(int_const(l, n, DT_wint, bytes_of(b->a[0])));
}

static fv zero(lower *l, const ast *n) { return fv_val(int_const(l, n, DT_i64, 0)); }

/* Fields that are only kept: get_x gives what set_x has set. */
static fv field_get(lower *l, const ast *n, const asc_bound *b) {
    const char *name = strstr(b->row->name, ".get_") + 5;
    fv x = asc_get(l, n, b->a[0], name);
    if (x.kind == FV_error && !strcmp(name, "shape_info"))
        return asc_object(l, n, "ShapeInfo");
    return x.kind == FV_error ? zero(l, n) : x;
}
static fv field_set(lower *l, const ast *n, const asc_bound *b) {
    asc_set(l, n, b->a[0], strstr(b->row->name, ".set_") + 5,
            b->a[1].kind == FV_error ? zero(l, n) : b->a[1]);
    return fv_none();
}

static fv set_buffer_len(lower *l, const ast *n, const asc_bound *b) {
    int bytes = bytes_of(asc_get(l, n, b->a[0], "dtype"));
    asc_set(l, n, b->a[0], "size",
            fv_val(emit_index(l, n, OP_floordiv, asc_int(l, n, b->a[1]),
                              int_const(l, n, DT_i64, bytes))));
    return fv_none();
}

static fv global_phy_addr(lower *l, const ast *n, const asc_bound *b) {
    fv at = asc_view(l, n, b->a[0], b->a[1].kind == FV_error ? zero(l, n) : b->a[1]);
    if (l->st != OK)
        return at;
    return asc_tensor(l, n, "GlobalAddress", asc_get(l, n, at, "dtype"),
                      asc_int(l, n, asc_get(l, n, at, "addr")), NULL);
}

static fv set_addr_with_offset(lower *l, const ast *n, const asc_bound *b) {
    fv at = asc_view(l, n, b->a[1], b->a[2]);
    asc_set(l, n, b->a[0], "addr", asc_get(l, n, at, "addr"));
    return fv_none();
}

static fv reinterpret_cast(lower *l, const ast *n, const asc_bound *b) {
    fv size = asc_get(l, n, b->a[0], "size"), addr = asc_get(l, n, b->a[0], "addr");
    ir_value *v =
        scaled(l, n, size.kind == FV_val ? asc_int(l, n, size) : int_const(l, n, DT_i64, 0),
               bytes_of(asc_get(l, n, b->a[0], "dtype")));
    v = emit_index(l, n, OP_floordiv, v, int_const(l, n, DT_i64, bytes_of(b->a[1])));
    if (addr.kind != FV_val) {
        fail(l, n, "give it a place before", "this LocalTensor has no memory yet");
        return (fv){0};
    }
    return asc_tensor(l, n, "LocalTensor", b->a[1], asc_int(l, n, addr), v);
}

/* adv.concat: the first tensor is from here on where the second is. */
static fv same_memory(lower *l, const ast *n, const asc_bound *b) {
    static const char *const fields[] = {"dtype", "addr", "size"};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        fv x = asc_get(l, n, b->a[1], fields[i]);
        if (x.kind != FV_error)
            asc_set(l, n, b->a[0], fields[i], x);
    }
    return fv_none();
}

/* The elements of a shape given as a number, a tuple, or an array of the core. */
static fv extents(lower *l, const ast *n, fv x) {
    fv t = {.kind = FV_tuple};
    if (x.kind == FV_tuple)
        return x;
    if (x.kind == FV_val && x.v->type.kind == TY_tensor && x.v->def && x.v->def->code == OP_alloc)
        t.n = (uint32_t)x.v->def->attr[0].v[0];
    else if (x.kind != FV_error)
        t.n = 1;
    t.elts = ARENA_ARRAY(l->mem, fv, t.n + 1);
    for (uint32_t i = 0; i < t.n; i++)
        t.elts[i] = x.v->type.kind == TY_tensor
                        ? lower_load(l, n, x.v, fv_val(int_const(l, n, DT_i64, i)))
                        : x;
    return t;
}

static ir_value *product(lower *l, const ast *n, fv t) {
    ir_value *v = int_const(l, n, DT_i64, 1);
    for (uint32_t i = 0; i < t.n && l->st == OK; i++)
        v = emit_index(l, n, OP_mul, v, asc_int(l, n, t.elts[i]));
    return v;
}

static fv auto_new(lower *l, const ast *n, const asc_bound *b) {
    fv dt = b->a[0], shape = extents(l, n, b->a[1]);
    if (l->st != OK)
        return (fv){0};
    ir_value *size = product(l, n, shape),
             *in[2] = {int_const(l, n, DT_i64, (int64_t)n->at.line << 32 | (int64_t)n->at.col),
                       scaled(l, n, size, bytes_of(dt))};
    fv x = asc_tensor(l, n, "LocalTensorAuto", dt, asc_emit(l, n, "core.auto", in, 2), size);
    return x;
}

static fv shape_new(lower *l, const ast *n, const asc_bound *b) {
    fv x = asc_object(l, n, "ShapeInfo"), shape = asc_arg(b, "shape"),
       original = asc_arg(b, "original_shape"), format = asc_arg(b, "data_format");
    asc_set(l, n, x, "dims", extents(l, n, shape));
    asc_set(l, n, x, "original", extents(l, n, original.kind == FV_error ? shape : original));
    asc_set(l, n, x, "data_format", format.kind == FV_error ? zero(l, n) : format);
    return x;
}

static fv shape_dim(lower *l, const ast *n, const asc_bound *b) {
    fv t = asc_get(l, n, b->a[0], strstr(b->row->name, "original") ? "original" : "dims");
    int64_t k;
    if (t.kind == FV_tuple && const_of(b->a[1], &k) && k >= 0 && k < (int64_t)t.n)
        return t.elts[k];
    if (t.kind != FV_tuple || !t.n)
        return zero(l, n);
    ir_value *v = asc_int(l, n, t.elts[0]), *at = asc_int(l, n, b->a[1]);
    for (uint32_t i = 1; i < t.n; i++) {
        ir_value *in[3] = {emit_index(l, n, OP_eq, at, int_const(l, n, DT_i64, i)),
                           asc_int(l, n, t.elts[i]), v};
        v = emit(l, n, OP_select, ir_val(DT_i64, 1), 3, in);
    }
    return fv_val(v);
}

static fv shape_size(lower *l, const ast *n, const asc_bound *b) {
    fv t = asc_get(l, n, b->a[0], "dims");
    return t.kind == FV_tuple && t.n ? fv_val(product(l, n, t)) : zero(l, n);
}

static fv array_new(lower *l, const ast *n, const asc_bound *b) {
    fv dt = b->a[0], values = b->form ? b->a[1] : (fv){0}, fill = b->form ? (fv){0} : b->a[2];
    int64_t *len = ARENA_NEW(l->mem, int64_t);
    *len = values.n;
    if (!b->form && (!const_of(b->a[1], len) || *len < 0 || *len > 1 << 16)) {
        fail(l, n, "write a literal, or pass it as a ConstExpr",
             "the length of an array must be known when the kernel is compiled");
        return (fv){0};
    }
    ir_type t = {
        .kind = TY_tensor, .dt = dt.st.dt, .rank = 1, .contig = 1, .lanes = 1, .space = SP_local};
    ir_value *v = emit(l, n, OP_alloc, t, 0, NULL);
    v->def->attr[0].v = len;
    v->def->attr[0].i = 1;
    for (int64_t i = 0; i < *len && l->st == OK && (b->form || fill.kind != FV_error); i++)
        lower_store(l, n, v, fv_val(int_const(l, n, DT_i64, i)), b->form ? values.elts[i] : fill);
    return fv_val(v);
}

static fv itself(lower *l, const ast *n, const asc_bound *b) {
    (void)l;
    (void)n;
    return b->a[0];
}

static fv tpipe_ptr(lower *l, const ast *n, const asc_bound *b) {
    (void)b;
    fv x = asc_object(l, n, "TPipe");
    asc_set(l, n, x, "id", zero(l, n));
    return x;
}

static fv nothing(lower *l, const ast *n, const asc_bound *b) {
    (void)l;
    (void)n;
    (void)b;
    return fv_none();
}

static fv static_assert_that(lower *l, const ast *n, const asc_bound *b) {
    int64_t ok;
    fv text = asc_arg(b, "message");
    bool known = const_of(b->a[0], &ok);
    if (!known || !ok)
        fail(l, n, known ? "change the arguments, or what the kernel asks of them" : "use assert",
             known
                 ? "AssertionError: %s"
                 : "the condition of static_assert() is not known when the kernel is compiled%.0s",
             text.kind == FV_static && text.st.kind == ST_str ? text.st.s : "static_assert");
    return fv_none();
}

static fv allocator_new(lower *l, const ast *n, const asc_bound *b) {
    (void)b;
    fv x = asc_object(l, n, "LocalMemAllocator");
    asc_set(l, n, x, "cur", zero(l, n));
    return x;
}
static fv allocator_cur(lower *l, const ast *n, const asc_bound *b) {
    return asc_get(l, n, b->a[0], "cur");
}
static fv allocator_alloc(lower *l, const ast *n, const asc_bound *b) {
    fv pos = b->a[1], dt = b->a[2], cur = asc_get(l, n, b->a[0], "cur");
    ir_value *size = asc_int(l, n, b->a[3]), *at = asc_int(l, n, cur);
    ir_value *up =
        emit_index(l, n, OP_add, scaled(l, n, size, bytes_of(dt)), int_const(l, n, DT_i64, 31));
    up = emit_index(l, n, OP_and, up, int_const(l, n, DT_i64, -32));
    asc_set(l, n, b->a[0], "cur", fv_val(emit_index(l, n, OP_add, at, up)));
    at = emit_index(l, n, OP_add, place(l, n, pos, 0), at);
    fv x = asc_tensor(l, n, "LocalTensor", dt, at, size);
    asc_set(l, n, x, "position", pos);
    return x;
}

static fv logical(lower *l, const ast *n, const asc_bound *b) {
    ir_value *in[2];
    for (int i = 0; i < 2; i++)
        in[i] = to_bool(l, n, lower_as_val(l, b->a[i], n->at));
    int code = strstr(b->row->name, "_and") ? OP_and : OP_or;
    return l->st == OK ? fv_val(emit(l, n, code, ir_val(DT_bool, 1), 2, in)) : (fv){0};
}

static fv dtype_is(lower *l, const ast *n, const asc_bound *b) {
    const char *what = strstr(b->row->name, ".is_") + 4;
    char cls = dtype_table[b->a[0].st.dt].cls;
    bool yes = !strcmp(what, "int")        ? cls == 'I' || cls == 'U'
               : !strcmp(what, "float")    ? cls == 'F'
               : !strcmp(what, "signed")   ? cls == 'I' || cls == 'F'
               : !strcmp(what, "unsigned") ? cls == 'U'
                                           : cls != 'B';
    return fv_val(int_const(l, n, DT_bool, yes));
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
    {"DataType.__init__", dtype_new},
    {"DataType.sizeof", dtype_sizeof},
    {"LocalTensor.get_position", field_get},
    {"LocalTensor.get_user_tag", field_get},
    {"LocalTensor.get_shape_info", field_get},
    {"LocalTensor.set_size", field_set},
    {"LocalTensor.set_user_tag", field_set},
    {"LocalTensor.set_shape_info", field_set},
    {"LocalTensor.set_buffer_len", set_buffer_len},
    {"LocalTensor.set_addr_with_offset", set_addr_with_offset},
    {"LocalTensor.reinterpret_cast", reinterpret_cast},
    {"adv.concat", same_memory},
    {"LocalTensorAuto.__init__", auto_new},
    {"GlobalTensor.get_phy_addr", global_phy_addr},
    {"GlobalTensor.set_l2_cache_hint", nothing},
    {"GlobalTensor.get_shape_info", field_get},
    {"GlobalTensor.set_shape_info", field_set},
    {"ShapeInfo.__init__", shape_new},
    {"ShapeInfo.shape", shape_dim},
    {"ShapeInfo.original_shape", shape_dim},
    {"get_shape_size", shape_size},
    {"array", array_new},
    {"property", itself},
    {"get_tpipe_ptr", tpipe_ptr},
    {"static_assert", static_assert_that},
    {"LocalMemAllocator.__init__", allocator_new},
    {"LocalMemAllocator.get_cur_addr", allocator_cur},
    {"LocalMemAllocator.alloc", allocator_alloc},
    {"PlainValue.logical_and", logical},
    {"PlainValue.logical_or", logical},
    {"DataType.is_int", dtype_is},
    {"DataType.is_float", dtype_is},
    {"DataType.is_numeric", dtype_is},
    {"DataType.is_signed", dtype_is},
    {"DataType.is_unsigned", dtype_is},
    {"Matmul.get_offset_c", asc_offset_c},
};

bool asc_special(lower *l, const ast *n, const asc_bound *b, fv *out) {
    for (size_t i = 0; i < sizeof specials / sizeof *specials; i++)
        if (!strcmp(specials[i].name, b->row->name)) {
            *out = l->st == OK ? specials[i].run(l, n, b) : (fv){0};
            return true;
        }
    return false;
}
