#include "base/asc.h"
#include <string.h>

const asc_row asc_rows[] = {
#define ASC(name, unit, result, run, code, forms, doc) {name, #unit, result, forms, doc},
#include "base/asc.def"
#undef ASC
};
const int asc_nrows = sizeof asc_rows / sizeof *asc_rows;

int asc_find(const char *name) {
    for (int i = 0; i < asc_nrows; i++)
        if (!strcmp(asc_rows[i].name, name))
            return i;
    return -1;
}
