/* Collects diagnostics in the order met. */
#include "base/diag.h"

status diag_error(diag *d, loc at, const char *advice, const char *format, ...) {
    diag_item *item = ARENA_NEW(d->mem, diag_item);
    va_list ap;
    va_start(ap, format);
    *item = (diag_item){.at = at, .kind = "CompileError", .advice = advice};
    item->text = arena_vprintf(d->mem, format, ap);
    va_end(ap);
    if (d->last)
        d->last->next = item;
    else
        d->first = item;
    d->last = item;
    return ERR;
}
