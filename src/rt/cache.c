/* See cache.h. Layout of a file: header, meta, object. */
#include "rt/cache.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
    char magic[8];
    uint64_t meta, size, check;
} header;
static const char MAGIC[8] = "pyasc01";

static uint64_t mix(uint64_t h, const unsigned char *p, size_t n) {
    for (; n >= 8; p += 8, n -= 8) {
        uint64_t k;
        memcpy(&k, p, 8);
        h = (h ^ k) * 0x9e3779b97f4a7c15u;
        h ^= h >> 29;
    }
    uint64_t k = n;
    for (size_t i = 0; i < n; i++)
        k = k << 8 | p[i];
    h = (h ^ k) * 0xbf58476d1ce4e5b9u;
    h ^= h >> 32;
    h *= 0x94d049bb133111ebu;
    return h ^ h >> 29;
}

rt_key rt_key_of(const void *data, size_t n, const void *more, size_t nmore) {
    rt_key key;
    uint64_t a = mix(mix(n, data, n), more, nmore), b = mix(mix(~a, data, n) + n, more, nmore);
    snprintf(key.hex, sizeof key.hex, "%016llx%016llx", (unsigned long long)a,
             (unsigned long long)b);
    return key;
}

static void path_of(char *out, size_t size, const char *dir, const rt_key *key) {
    snprintf(out, size, "%s/%s.o", dir, key->hex);
}

static int read_all(int fd, void *p, size_t n) {
    for (char *at = p; n;) {
        ssize_t k = read(fd, at, n);
        if (k <= 0)
            return -1;
        at += k;
        n -= (size_t)k;
    }
    return 0;
}

static uint64_t checksum(const rt_meta *meta, const void *object, size_t size) {
    return mix(mix(size, (const unsigned char *)meta, sizeof *meta), object, size);
}

static void *read_entry(int fd, rt_meta *meta, size_t *size) {
    header h;
    struct stat st;
    if (read_all(fd, &h, sizeof h) || fstat(fd, &st) || memcmp(h.magic, MAGIC, sizeof MAGIC) ||
        h.meta != sizeof *meta || st.st_size < 0 ||
        (uint64_t)st.st_size != sizeof h + h.meta + h.size || read_all(fd, meta, sizeof *meta))
        return NULL;
    void *object = malloc(h.size + 1);
    if (object && (read_all(fd, object, h.size) || checksum(meta, object, h.size) != h.check)) {
        free(object);
        return NULL;
    }
    *size = h.size;
    return object;
}

int rt_cache_get(const char *dir, const rt_key *key, rt_meta *meta, void **object, size_t *size) {
    char path[4096];
    if (!dir)
        return -1;
    path_of(path, sizeof path, dir, key);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    *object = read_entry(fd, meta, size);
    if (*object)
        futimens(fd, NULL);
    close(fd);
    if (!*object)
        unlink(path);
    return *object ? 0 : -1;
}

static void make_dirs(const char *dir) {
    char path[4096];
    snprintf(path, sizeof path, "%s", dir);
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            mkdir(path, 0777);
            *p = '/';
        }
    mkdir(path, 0777);
}

typedef struct {
    char name[64];
    int64_t size;
    struct timespec used;
} entry;

static int older(const void *a, const void *b) {
    const struct timespec *x = &((const entry *)a)->used, *y = &((const entry *)b)->used;
    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? -1 : 1;
    return x->tv_nsec < y->tv_nsec ? -1 : x->tv_nsec > y->tv_nsec;
}

/* Of rt_cache_put, whole or left by a process that died over it: nothing else is removed. */
static bool is_ours(const char *name) {
    return strspn(name, "0123456789abcdef") == sizeof(rt_key) - 1 &&
           !strncmp(name + sizeof(rt_key) - 1, ".o", 2);
}

static void bound(const char *dir, int64_t max_bytes) {
    DIR *d = opendir(dir);
    entry *list = NULL;
    size_t n = 0, cap = 0;
    int64_t total = 0;
    for (struct dirent *e; d && (e = readdir(d));) {
        struct stat st;
        if (!is_ours(e->d_name) || strlen(e->d_name) >= sizeof list->name ||
            fstatat(dirfd(d), e->d_name, &st, 0))
            continue;
        if (n == cap) {
            entry *p = realloc(list, (cap = cap ? 2 * cap : 64) * sizeof *p);
            if (!p)
                break;
            list = p;
        }
        entry x = {.size = st.st_size, .used = st.st_mtim};
        strcpy(x.name, e->d_name);
        list[n++] = x;
        total += st.st_size;
    }
    if (total > max_bytes) {
        qsort(list, n, sizeof *list, older);
        for (size_t i = 0; i < n && total > max_bytes / 4 * 3; i++) {
            unlinkat(dirfd(d), list[i].name, 0);
            total -= list[i].size;
        }
    }
    free(list);
    if (d)
        closedir(d);
}

int rt_cache_put(const char *dir, const rt_key *key, const rt_meta *meta, const void *object,
                 size_t size, int64_t max_bytes) {
    char path[4096], tmp[4200];
    if (!dir)
        return -1;
    make_dirs(dir);
    path_of(path, sizeof path, dir, key);
    snprintf(tmp, sizeof tmp, "%s.XXXXXX", path);
    int fd = mkstemp(tmp);
    if (fd < 0)
        return -1;
    header h = {.meta = sizeof *meta, .size = size, .check = checksum(meta, object, size)};
    memcpy(h.magic, MAGIC, sizeof MAGIC);
    int ok = write(fd, &h, sizeof h) == (ssize_t)sizeof h &&
             write(fd, meta, sizeof *meta) == (ssize_t)sizeof *meta &&
             write(fd, object, size) == (ssize_t)size;
    close(fd);
    if (!ok || rename(tmp, path)) {
        unlink(tmp);
        return -1;
    }
    bound(dir, max_bytes);
    return 0;
}
