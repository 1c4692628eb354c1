/* The table of package asc's operations; base/asc.def says what the columns are. */
#ifndef BASE_ASC_H
#define BASE_ASC_H
typedef struct {
    const char *name, *unit, *result, *forms, *doc;
} asc_row;
extern const asc_row asc_rows[];
extern const int asc_nrows;
int asc_find(const char *name); /* -1: no such operation */
#endif
