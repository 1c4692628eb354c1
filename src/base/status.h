#ifndef BASE_STATUS_H
#define BASE_STATUS_H
typedef enum { OK = 0, ERR, OOM, BUG } status;
#define TRY(e)                                                                                     \
    do {                                                                                           \
        status try_ = (e);                                                                         \
        if (try_ != OK)                                                                            \
            return try_;                                                                           \
    } while (0)
#endif
