/* A compile on a thread of its own, so that the main thread can look at signals meanwhile. LLVM
   cannot be interrupted: a compile that nobody waits for any longer ends by itself and frees what
   it has. */
#include "py/py_compile.h"
#include "py/py_watch.h"
#include <errno.h>
#include <pthread.h>
#include <time.h>

typedef struct {
    pthread_mutex_t lock;
    pthread_cond_t change;
    bool done, abandoned;
    ir_func *f;
    drv_options o;
    diag d;
    drv_result code;
    status st;
    arena *mem;
    char *texts; /* of o: they outlive the module's state */
} job;

static void job_free(job *j) {
    pthread_mutex_destroy(&j->lock);
    pthread_cond_destroy(&j->change);
    free(j->texts);
    free(j);
}

static void *work(void *arg) {
    job *j = arg;
    status st = drv_compile(j->f, &j->o, &j->d, &j->code);
    pthread_mutex_lock(&j->lock);
    j->st = st;
    j->done = true;
    bool mine = j->abandoned;
    pthread_cond_signal(&j->change);
    pthread_mutex_unlock(&j->lock);
    if (mine) {
        rt_code_free(j->code.code);
        free(j->code.text);
        arena_free(j->mem);
        job_free(j);
    }
    return NULL;
}

/* The texts of o in memory of the job's own. */
static bool own_texts(job *j) {
    const char **t[] = {&j->o.cache_dir, &j->o.llvm_path, &j->o.build, &j->o.dump_dir, &j->o.stage};
    size_t size = 1;
    for (size_t i = 0; i < sizeof t / sizeof *t; i++)
        size += *t[i] ? strlen(*t[i]) + 1 : 0;
    char *p = j->texts = malloc(size);
    for (size_t i = 0; p && i < sizeof t / sizeof *t; i++) {
        if (!*t[i])
            continue;
        size_t n = strlen(*t[i]) + 1;
        *t[i] = memcpy(p, *t[i], n);
        p += n;
    }
    return j->texts != NULL;
}

/* Waits for the job, or for a signal's exception: then true. Without the GIL. */
static bool wait_for(job *j, py_watch *w) {
    bool stop = false;
    pthread_mutex_lock(&j->lock);
    while (!j->done && !stop) {
        struct timespec t;
        clock_gettime(CLOCK_REALTIME, &t);
        t.tv_nsec += 30000000;
        if (t.tv_nsec >= 1000000000) {
            t.tv_nsec -= 1000000000;
            t.tv_sec++;
        }
        if (pthread_cond_timedwait(&j->change, &j->lock, &t) != ETIMEDOUT)
            continue;
        pthread_mutex_unlock(&j->lock);
        stop = py_watch_poll(w);
        pthread_mutex_lock(&j->lock);
    }
    bool given_up = stop && !j->done;
    j->abandoned = given_up;
    pthread_mutex_unlock(&j->lock);
    return given_up;
}

static status here(ir_func *f, const drv_options *o, diag *d, drv_result *out) {
    status st;
    Py_BEGIN_ALLOW_THREADS st = drv_compile(f, o, d, out);
    Py_END_ALLOW_THREADS return st;
}

status py_compile_watched(const py_state *st, PyObject *fn, arena *mem, ir_func *f,
                          const drv_options *o, diag *d, drv_result *out, bool *abandoned) {
    py_watch w;
    pthread_t thread;
    pthread_attr_t attr;
    *abandoned = false;
    if (!py_watch_begin(&w, st, "compiling", fn))
        return here(f, o, d, out);
    job *j = calloc(1, sizeof *j);
    if (!j)
        return here(f, o, d, out);
    j->f = f, j->o = *o, j->d = *d, j->mem = mem;
    pthread_mutex_init(&j->lock, NULL);
    pthread_cond_init(&j->change, NULL);
    pthread_attr_init(&attr);
    pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attr, (size_t)16 << 20); /* LLVM recurses */
    bool started = own_texts(j) && !pthread_create(&thread, &attr, work, j);
    pthread_attr_destroy(&attr);
    if (!started) {
        job_free(j);
        return here(f, o, d, out);
    }
    Py_BEGIN_ALLOW_THREADS *abandoned = wait_for(j, &w);
    Py_END_ALLOW_THREADS py_watch_end(&w);
    if (*abandoned)
        return ERR;
    status r = j->st;
    *d = j->d;
    *out = j->code;
    job_free(j);
    return r;
}
