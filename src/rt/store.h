/* Tensor memory: aligned to 64 bytes, in size classes, freed blocks kept for the next tensor of the
   class. Thread-safe; a child of fork starts with its parent's blocks. */
#ifndef RT_STORE_H
#define RT_STORE_H
#include <stddef.h>
#include <stdint.h>

typedef struct {
    int64_t in_use, peak, cached; /* bytes given out now, at most, and kept for reuse */
    int64_t live, allocs, reused; /* blocks given out now, in all, and of these from the cache */
} rt_store_stats;

void *rt_store_alloc(size_t bytes); /* NULL when memory ran out; not zeroed */
void rt_store_free(void *p, size_t bytes);
void rt_store_trim(void); /* gives what is cached back to the system */
void rt_store_stats_get(rt_store_stats *out);
void rt_store_peak_reset(void);
#endif
