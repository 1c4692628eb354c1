/* What machine code calls for work beside other work: in the loader's table under these names. A
   body is void(args, launch, first, end, scratch, env); env is the caller's values. */
#ifndef RT_BESIDE_H
#define RT_BESIDE_H
#include "rt/kernel.h"

typedef void (*rt_body)(const int64_t *args, rt_launch *l, int64_t first, int64_t end,
                        char *scratch, const int64_t *env);
void pyasc_parallel(rt_body body, const int64_t *args, rt_launch *l, int64_t n, const int64_t *env);
void pyasc_task(rt_body body, const int64_t *args, rt_launch *l, int64_t words, const int64_t *env);
void pyasc_sync(rt_launch *l);
void pyasc_pipeline(const rt_body *stages, int64_t nstages, const int64_t *args, rt_launch *l,
                    int64_t n, const int64_t *const *envs);
int64_t pyasc_pause(rt_launch *l); /* a lock is taken by another thread; not 0: stop */
/* The credit that a body begins with is 1; each round of a loop takes one, and when none is left
   this gives some more (granted: what it gave last), or 0: stop. */
int64_t pyasc_poll(rt_launch *l, int64_t granted);
#endif
