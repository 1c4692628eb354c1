/* Lays an object's sections out in one mapping, text first, gives externals a jump stub and a GOT
   slot (libm may be more than 2 GB away), applies the relocations, and makes the text executable.
   See loader.h for the contract. */
#include "npu/npu.h"
#include "rt/loader.h"
#include "rt/beside.h"
#include "rt/raise.h"
#include <dlfcn.h>
#include <elf.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_SECTIONS = 256, MAX_EXTERNALS = 256, STUB = 16 };

struct rt_code {
    unsigned char *base;
    size_t size;
    const unsigned char *object; /* copy: symbol names */
    size_t nsyms;
    struct {
        char *name;
        void *at;
    } *syms;
};

typedef struct {
    const unsigned char *o;
    size_t size;
    Elf64_Ehdr eh;
    Elf64_Shdr *sh;
    size_t nsh;
    uint64_t at[MAX_SECTIONS]; /* offset in the mapping, or UINT64_MAX */
    const Elf64_Sym *sym;
    size_t nsym;
    const char *str;
    size_t nstr;
    unsigned char *base;
    size_t total, text_end, stubs, got;
    size_t next; /* externals */
    uint32_t ext_sym[MAX_EXTERNALS];
    char *why;
    size_t whysize;
} load;

#define FN(f) {#f, (void *)(uintptr_t)f}
static const struct {
    const char *name;
    void *fn;
} externals[] = {
    FN(pyasc_npu),
    FN(pyasc_parallel),
    FN(pyasc_task),
    FN(pyasc_sync),
    FN(pyasc_pipeline),
    FN(pyasc_pause),
    FN(pyasc_poll),
    FN(pyasc_trap),
    FN(pyasc_touch),
    FN(pyasc_epoch),
    FN(pyasc_grow),
    FN(pyasc_free),
    FN(exp),
    FN(expf),
    FN(exp2),
    FN(exp2f),
    FN(expm1),
    FN(expm1f),
    FN(log),
    FN(logf),
    FN(log2),
    FN(log2f),
    FN(log10),
    FN(log10f),
    FN(log1p),
    FN(log1pf),
    FN(pow),
    FN(powf),
    FN(sin),
    FN(sinf),
    FN(cos),
    FN(cosf),
    FN(tan),
    FN(tanf),
    FN(asin),
    FN(asinf),
    FN(acos),
    FN(acosf),
    FN(atan),
    FN(atanf),
    FN(atan2),
    FN(atan2f),
    FN(sinh),
    FN(sinhf),
    FN(cosh),
    FN(coshf),
    FN(tanh),
    FN(tanhf),
    FN(asinh),
    FN(asinhf),
    FN(acosh),
    FN(acoshf),
    FN(atanh),
    FN(atanhf),
    FN(erf),
    FN(erff),
    FN(fmod),
    FN(fmodf),
    FN(floor),
    FN(floorf),
    FN(ceil),
    FN(ceilf),
    FN(trunc),
    FN(truncf),
    FN(rint),
    FN(rintf),
    FN(sqrt),
    FN(sqrtf),
    FN(memset),
    FN(memcpy),
    FN(memmove),
    FN(ldexp),
    FN(ldexpf),
    FN(nearbyint),
    FN(nearbyintf),
    FN(sincos),
    FN(sincosf),
};
#undef FN

static void *libmvec; /* opened once: its functions are as constant as the table above */
static void open_libmvec(void) { libmvec = dlopen("libmvec.so.1", RTLD_LAZY | RTLD_LOCAL); }

static void *external(const char *name) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    for (size_t i = 0; i < sizeof externals / sizeof *externals; i++)
        if (!strcmp(externals[i].name, name))
            return externals[i].fn;
    if (strncmp(name, "_ZGV", 4) && strncmp(name, "__", 2))
        return NULL;
    pthread_once(&once, open_libmvec);
    void *f = libmvec && name[2] == 'G' ? dlsym(libmvec, name) : NULL;
    static const char *const helpers[] = {"__truncsfhf2", "__extendhfsf2", "__truncdfhf2",
                                          "__truncsfbf2", "__truncdfbf2"};
    for (size_t i = 0; !f && i < sizeof helpers / sizeof *helpers; i++)
        if (!strcmp(helpers[i], name))
            f = dlsym(RTLD_DEFAULT, name);
    return f;
}

static bool refuse(load *l, const char *why, const char *what) {
    snprintf(l->why, l->whysize, "%s%s%s", why, what ? ": " : "", what ? what : "");
    return false;
}

static bool within(const load *l, uint64_t at, uint64_t n) {
    return at <= l->size && n <= l->size - at;
}

static bool read_headers(load *l) {
    if (l->size < sizeof l->eh)
        return refuse(l, "too short", NULL);
    memcpy(&l->eh, l->o, sizeof l->eh);
#if defined(__aarch64__)
    const unsigned machine = EM_AARCH64;
#else
    const unsigned machine = EM_X86_64;
#endif
    if (memcmp(l->eh.e_ident, ELFMAG, SELFMAG) || l->eh.e_ident[EI_CLASS] != ELFCLASS64 ||
        l->eh.e_ident[EI_DATA] != ELFDATA2LSB || l->eh.e_type != ET_REL ||
        l->eh.e_machine != machine)
        return refuse(l, "not an object of this machine", NULL);
    l->nsh = l->eh.e_shnum;
    if (l->eh.e_shentsize != sizeof(Elf64_Shdr) || !l->nsh || l->nsh > MAX_SECTIONS ||
        !within(l, l->eh.e_shoff, l->nsh * sizeof(Elf64_Shdr)))
        return refuse(l, "section headers out of range", NULL);
    l->sh = malloc(l->nsh * sizeof(Elf64_Shdr));
    if (!l->sh)
        return refuse(l, "out of memory", NULL);
    memcpy(l->sh, l->o + l->eh.e_shoff, l->nsh * sizeof(Elf64_Shdr));
    for (size_t i = 0; i < l->nsh; i++)
        if (l->sh[i].sh_type != SHT_NOBITS && !within(l, l->sh[i].sh_offset, l->sh[i].sh_size))
            return refuse(l, "a section out of range", NULL);
    return true;
}

static bool find_symbols(load *l) {
    for (size_t i = 0; i < l->nsh; i++) {
        const Elf64_Shdr *s = &l->sh[i];
        if (s->sh_type != SHT_SYMTAB)
            continue;
        if (s->sh_link >= l->nsh || l->sh[s->sh_link].sh_type != SHT_STRTAB || s->sh_offset % 8)
            return refuse(l, "symbol table without strings", NULL);
        l->sym = (const Elf64_Sym *)(const void *)(l->o + s->sh_offset);
        l->nsym = s->sh_size / sizeof(Elf64_Sym);
        l->str = (const char *)l->o + l->sh[s->sh_link].sh_offset;
        l->nstr = l->sh[s->sh_link].sh_size;
        if (!l->nstr || l->str[l->nstr - 1])
            return refuse(l, "strings without an end", NULL);
        return true;
    }
    return refuse(l, "no symbol table", NULL);
}

static bool place(load *l, bool text, size_t *end) {
    for (size_t i = 0; i < l->nsh; i++) {
        const Elf64_Shdr *s = &l->sh[i];
        if (!(s->sh_flags & SHF_ALLOC) || !!(s->sh_flags & SHF_EXECINSTR) != text)
            continue;
        uint64_t align = s->sh_addralign ? s->sh_addralign : 1;
        if (align > 4096 || (align & (align - 1)) || s->sh_size > (1u << 28))
            return refuse(l, "a section of unreasonable size", NULL);
        *end = (*end + align - 1) & ~(align - 1);
        l->at[i] = *end;
        *end += s->sh_size;
        if (*end > (1u << 30))
            return refuse(l, "too large", NULL);
    }
    return true;
}

static bool lay_out(load *l) {
    size_t end = 0, page = (size_t)sysconf(_SC_PAGESIZE);
    memset(l->at, 0xff, sizeof l->at);
    if (!place(l, true, &end))
        return false;
    l->stubs = (end + 15) & ~(size_t)15;
    l->text_end = (l->stubs + MAX_EXTERNALS * STUB + page - 1) & ~(page - 1);
    l->got = l->text_end;
    end = l->got + (l->nsym < MAX_EXTERNALS * 4 ? l->nsym : MAX_EXTERNALS * 4) * 8;
    if (!place(l, false, &end))
        return false;
    l->total = (end + page - 1) & ~(page - 1);
    void *p = mmap(NULL, l->total, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return refuse(l, "out of memory", NULL);
    l->base = p;
    for (size_t i = 0; i < l->nsh; i++)
        if (l->at[i] != UINT64_MAX && l->sh[i].sh_type != SHT_NOBITS && l->sh[i].sh_size)
            memcpy(l->base + l->at[i], l->o + l->sh[i].sh_offset, l->sh[i].sh_size);
    return true;
}

static bool symbol_name(const load *l, const Elf64_Sym *s, const char **name) {
    if (s->st_name >= l->nstr)
        return false;
    *name = l->str + s->st_name;
    return true;
}

/* Where a symbol is; for an external its stub. direct: the function itself, for GOT slots and
 * 64-bit addresses. */
static bool resolve(load *l, uint32_t index, bool direct, uint64_t *out) {
    if (index >= l->nsym)
        return refuse(l, "no such symbol", NULL);
    const Elf64_Sym *s = &l->sym[index];
    if (s->st_shndx == SHN_ABS)
        return *out = s->st_value, true;
    if (s->st_shndx != SHN_UNDEF) {
        if (s->st_shndx >= l->nsh || l->at[s->st_shndx] == UINT64_MAX ||
            s->st_value > l->sh[s->st_shndx].sh_size)
            return refuse(l, "a symbol outside its section", NULL);
        *out = (uint64_t)(uintptr_t)l->base + l->at[s->st_shndx] + s->st_value;
        return true;
    }
    const char *name;
    void *fn = symbol_name(l, s, &name) ? external(name) : NULL;
    if (!fn)
        return refuse(l, "unknown external", symbol_name(l, s, &name) ? name : "?");
    if (direct)
        return *out = (uint64_t)(uintptr_t)fn, true;
    size_t k = 0;
    while (k < l->next && l->ext_sym[k] != index)
        k++;
    if (k == MAX_EXTERNALS)
        return refuse(l, "too many externals", NULL);
    unsigned char *stub = l->base + l->stubs + k * STUB;
    if (k == l->next) {
        l->ext_sym[l->next++] = index;
        uint64_t to = (uint64_t)(uintptr_t)fn;
#if defined(__aarch64__)
        static const uint32_t code[] = {0x58000050, 0xd61f0200}; /* ldr x16, .+8; br x16 */
        memcpy(stub, code, 8);
        memcpy(stub + 8, &to, 8);
#else
        static const unsigned char code[] = {0xff, 0x25, 2, 0, 0, 0, 0, 0}; /* jmp *[rip + 2] */
        memcpy(stub, code, 8);
        memcpy(stub + 8, &to, 8);
#endif
    }
    *out = (uint64_t)(uintptr_t)stub;
    return true;
}

static bool got_slot(load *l, uint32_t index, uint64_t *out) {
    uint64_t v;
    if (index >= MAX_EXTERNALS * 4)
        return refuse(l, "too many symbols", NULL);
    if (!resolve(l, index, true, &v))
        return false;
    memcpy(l->base + l->got + index * 8, &v, 8);
    *out = (uint64_t)(uintptr_t)(l->base + l->got + index * 8);
    return true;
}

static bool put32(load *l, unsigned char *p, int64_t v) {
    if (v < INT32_MIN || v > INT32_MAX)
        return refuse(l, "a relocation out of reach", NULL);
    int32_t x = (int32_t)v;
    memcpy(p, &x, 4);
    return true;
}

#if defined(__aarch64__)
static void bits(unsigned char *p, uint32_t clear, uint32_t set) {
    uint32_t x;
    memcpy(&x, p, 4);
    x = (x & ~clear) | (set & clear);
    memcpy(p, &x, 4);
}
static void page(unsigned char *p, uint64_t to) {
    int64_t d = (int64_t)((to >> 12) - ((uint64_t)(uintptr_t)p >> 12));
    bits(p, 0x60ffffe0, ((uint32_t)(d & 3) << 29) | ((uint32_t)((d >> 2) & 0x7ffff) << 5));
}
static bool apply(load *l, unsigned type, uint32_t sym, unsigned char *p, int64_t add) {
    uint64_t s, at = (uint64_t)(uintptr_t)p;
    bool got = type == R_AARCH64_ADR_GOT_PAGE || type == R_AARCH64_LD64_GOT_LO12_NC;
    if (!(got ? got_slot(l, sym, &s) : resolve(l, sym, type == R_AARCH64_ABS64, &s)))
        return false;
    uint64_t v = got ? s : s + (uint64_t)add;
    unsigned lo = (unsigned)(v & 0xfff);
    switch (type) {
    case R_AARCH64_ABS64: memcpy(p, &v, 8); return true;
    case R_AARCH64_PREL64:
        v -= at;
        memcpy(p, &v, 8);
        return true;
    case R_AARCH64_PREL32: return put32(l, p, (int64_t)(v - at));
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26: bits(p, 0x03ffffff, (uint32_t)((int64_t)(v - at) >> 2)); return true;
    case R_AARCH64_ADR_PREL_PG_HI21:
    case R_AARCH64_ADR_GOT_PAGE: page(p, v); return true;
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC: bits(p, 0xfffu << 10, lo << 10); return true;
    case R_AARCH64_LDST16_ABS_LO12_NC: bits(p, 0xfffu << 10, (lo >> 1) << 10); return true;
    case R_AARCH64_LDST32_ABS_LO12_NC: bits(p, 0xfffu << 10, (lo >> 2) << 10); return true;
    case R_AARCH64_LDST64_ABS_LO12_NC:
    case R_AARCH64_LD64_GOT_LO12_NC: bits(p, 0xfffu << 10, (lo >> 3) << 10); return true;
    case R_AARCH64_LDST128_ABS_LO12_NC: bits(p, 0xfffu << 10, (lo >> 4) << 10); return true;
    default: return refuse(l, "a relocation of unknown type", NULL);
    }
}
#else
static bool apply(load *l, unsigned type, uint32_t sym, unsigned char *p, int64_t add) {
    uint64_t s, at = (uint64_t)(uintptr_t)p;
    switch (type) {
    case R_X86_64_NONE: return true;
    case R_X86_64_64:
        if (!resolve(l, sym, true, &s))
            return false;
        s += (uint64_t)add;
        memcpy(p, &s, 8);
        return true;
    case R_X86_64_PC64:
        if (!resolve(l, sym, true, &s))
            return false;
        s += (uint64_t)add - at;
        memcpy(p, &s, 8);
        return true;
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
        return resolve(l, sym, false, &s) && put32(l, p, (int64_t)(s + (uint64_t)add - at));
    case R_X86_64_GOTPCREL:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
        return got_slot(l, sym, &s) && put32(l, p, (int64_t)(s + (uint64_t)add - at));
    default: return refuse(l, "a relocation of unknown type", NULL);
    }
}
#endif

static bool relocate(load *l) {
    for (size_t i = 0; i < l->nsh; i++) {
        const Elf64_Shdr *s = &l->sh[i];
        if (s->sh_type == SHT_REL)
            return refuse(l, "REL relocations", NULL);
        if (s->sh_type != SHT_RELA || s->sh_info >= l->nsh || l->at[s->sh_info] == UINT64_MAX)
            continue;
        const Elf64_Shdr *target = &l->sh[s->sh_info];
        for (uint64_t k = 0; k < s->sh_size / sizeof(Elf64_Rela); k++) {
            Elf64_Rela r;
            memcpy(&r, l->o + s->sh_offset + k * sizeof r, sizeof r);
            if (r.r_offset > target->sh_size || target->sh_size - r.r_offset < 8) {
                if (r.r_offset > target->sh_size || target->sh_size - r.r_offset < 4 ||
                    ELF64_R_TYPE(r.r_info) == 1 /* 64 bits on x86-64 */)
                    return refuse(l, "a relocation outside its section", NULL);
            }
            if (!apply(l, (unsigned)ELF64_R_TYPE(r.r_info), (uint32_t)ELF64_R_SYM(r.r_info),
                       l->base + l->at[s->sh_info] + r.r_offset, r.r_addend))
                return false;
        }
    }
    return true;
}

static rt_code *finish(load *l) {
    rt_code *c = calloc(1, sizeof *c);
    if (!c || !(c->syms = calloc(l->nsym + 1, sizeof *c->syms)))
        return free(c), NULL;
    for (size_t i = 0; i < l->nsym; i++) {
        const Elf64_Sym *s = &l->sym[i];
        const char *name;
        uint64_t at;
        if (ELF64_ST_TYPE(s->st_info) != STT_FUNC || s->st_shndx == SHN_UNDEF ||
            !symbol_name(l, s, &name) || !resolve(l, (uint32_t)i, true, &at))
            continue;
        c->syms[c->nsyms].name = strdup(name);
        c->syms[c->nsyms++].at = (void *)(uintptr_t)at;
    }
    __builtin___clear_cache((char *)l->base, (char *)l->base + l->text_end);
    if (mprotect(l->base, l->text_end, PROT_READ | PROT_EXEC)) {
        rt_code_free(c);
        return NULL;
    }
    c->base = l->base;
    c->size = l->total;
    return c;
}

rt_code *rt_load(const void *object, size_t size, char *why, size_t whysize) {
    load l = {.o = object, .size = size, .why = why, .whysize = whysize};
    rt_code *c = NULL;
    if (read_headers(&l) && find_symbols(&l) && lay_out(&l) && relocate(&l) && !(c = finish(&l)))
        refuse(&l, "the mapping cannot be made executable", NULL);
    if (!c && l.base)
        munmap(l.base, l.total);
    free(l.sh);
    return c;
}

void *rt_code_symbol(const rt_code *c, const char *name) {
    for (size_t i = 0; i < c->nsyms; i++)
        if (c->syms[i].name && !strcmp(c->syms[i].name, name))
            return c->syms[i].at;
    return NULL;
}

void rt_code_free(rt_code *c) {
    if (!c)
        return;
    for (size_t i = 0; i < c->nsyms; i++)
        free(c->syms[i].name);
    free(c->syms);
    if (c->base)
        munmap(c->base, c->size);
    free(c);
}
