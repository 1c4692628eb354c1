/* The disk cache: one file a kernel, named by key; written aside, then renamed; bounded, least
   recently used go first. A damaged or foreign file is a miss and is removed. */
#ifndef RT_CACHE_H
#define RT_CACHE_H
#include "rt/kernel.h"
typedef struct {
    char hex[33];
} rt_key;
rt_key rt_key_of(const void *data, size_t n, const void *more, size_t nmore); /* 128-bit hash */
/* 0 and a malloc'ed object, or -1 for a miss. dir NULL: no cache. The file holds a header with
 * version, length, a checksum, the meta, then the object. */
int rt_cache_get(const char *dir, const rt_key *key, rt_meta *meta, void **object, size_t *size);
int rt_cache_put(const char *dir, const rt_key *key, const rt_meta *meta, const void *object,
                 size_t size, int64_t max_bytes);
#endif
