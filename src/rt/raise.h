/* Exceptions of a running kernel, and the race checker. The first by (block, item) is kept. */
#ifndef RT_RAISE_H
#define RT_RAISE_H
#include "base/dtype.h"
#include "rt/kernel.h"

enum { RT_TRAP_HEAD = 8, RT_TRAP_VALUES = 16, RT_INDEX_TYPE = DT_i64 };
/* values: block and item number, block's coordinates, local ids, then n values, each as a slot of a
   kernel's arguments and its dtype */
typedef struct rt_raised {
    atomic_flag lock;
    atomic_bool any;
    int64_t slot, n, values[RT_TRAP_HEAD + 2 * RT_TRAP_VALUES];
    int64_t other; /* a race: the access before, its slot; -1 */
    int64_t other_item;
    bool uninit;              /* memory that nobody has stored to */
    struct rt_shadow *shadow; /* of a checked launch */
} rt_raised;

void pyasc_trap(const rt_launch *l, int64_t slot, int64_t n, const int64_t *values);

/* mode: bit 0 write, 1 races, 2 stores before reads; bits 8 on: bytes of the element; 16 on: rank
 */
enum {
    RT_TOUCH_WRITE = 1,
    RT_TOUCH_RACE = 2,
    RT_TOUCH_INIT = 4,
    RT_TOUCH_IDS = 8,
    RT_TOUCH_ITEM = 16
};
void pyasc_touch(const rt_launch *l, const void *p, int64_t slot, int64_t mode, int64_t block,
                 int64_t item, const int64_t *index);
void pyasc_epoch(const rt_launch *l);
struct rt_shadow *rt_shadow_new(void);
void rt_shadow_free(struct rt_shadow *s);

/* Memory for op tmp, at least `bytes`: p itself while it suffices. NULL, and a stop of the launch,
   where there is none. */
void *pyasc_grow(rt_launch *l, void **p, int64_t *have, int64_t bytes);
void pyasc_free(void *p);
#endif
