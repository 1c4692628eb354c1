/* Shared by the files of pass tiles. */
#ifndef PASS_TILES_H
#define PASS_TILES_H
#include "base/vec.h"
#include "pass/pass.h"

enum { TILES_MAX = 8, TILES_RANK = 3, TILES_GUARDS = 4 };

/* A shared buffer that all work-items of a block fill, each one element. */
typedef struct {
    ir_value *t;
    ir_op *store;
    ir_region *home;                  /* where the barrier is that follows */
    const ir_op *fill;                /* the store, or the op of home that holds it */
    int dim[TILES_RANK];              /* by axis: the local id that subscripts it */
    const ir_op *guard[TILES_GUARDS]; /* ifs between home and the store; */
    int nguard;
    VEC(ir_op *) loads;
} tile;

typedef struct {
    ir_func *f;
    tile tile[TILES_MAX];
    int n;
    bool *stored;    /* by value id: tensors, but the tiles */
    bool *varying;   /* by value id: see ana/uniform.h */
    const char *why; /* they cannot be forwarded */
    const ir_op *at;
    bool by_block; /* for blocks of another shape they perhaps can */
} tiles;

bool tiles_find(tiles *s); /* all of the kernel's shared memory is tiles that can be forwarded */
/* Puts what was stored in the place of all loads, and drops the tiles and the barriers. */
void tiles_forward(tiles *s);
/* Ids of blocks and in blocks become global ones, where they are sums that make such. */
void tiles_ids(ir_func *f);
#endif
