/* CHECK counts; main prints and returns the counts. */
#ifndef UNIT_CHECK_H
#define UNIT_CHECK_H
#include <stdio.h>

static int passed, failed;
#define CHECK(e)                                                                                   \
    do {                                                                                           \
        if (e)                                                                                     \
            passed++;                                                                              \
        else {                                                                                     \
            failed++;                                                                              \
            printf("%s:%d: %s\n", __FILE__, __LINE__, #e);                                         \
        }                                                                                          \
    } while (0)
#endif
