/* The op table as data. */
#include "ir/ir.h"

#define ANY IR_ANY
#define PURE EFF_PURE
#define READ EFF_READ
#define WRITE EFF_WRITE
#define CTRL EFF_CTRL
#define SAME RULE_SAME
#define BOOL RULE_BOOL
#define FREE RULE_FREE
#define VOID RULE_VOID
#define NONE
#define INT(n) {AT_INT, #n},
#define FLT(n) {AT_FLT, #n},
#define STR(n) {AT_STR, #n},
#define LABEL(n) {AT_LABEL, #n},
#define INTS(n) {AT_INTS, #n},
const ir_op_info ir_ops[OP_COUNT] = {
#define OP(name, nin, nout, nreg, eff, rule, attrs, doc)                                           \
    {#name, nin, nout, nreg, eff, rule, {attrs}, doc},
#include "ir/op.def"
#undef OP
};

bool ir_type_eq(ir_type a, ir_type b) {
    return a.kind == b.kind && a.dt == b.dt && a.rank == b.rank && a.space == b.space &&
           a.contig == b.contig && a.any == b.any && a.lanes == b.lanes;
}
