/* Counts the solutions of the N-Queens problem. count.c is an example. */
#ifndef NQUEENS_H
#define NQUEENS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The size of a text, in bytes. */
#define NQUEENS_TEXT 512

/* What nqueens_count returns. */
enum { NQUEENS_COUNTED = 0, NQUEENS_STOPPED = 1, NQUEENS_FAILED = 2, NQUEENS_WRONG = 3 };

/* Called about twenty times a second, by the thread that called nqueens_count, with the share of the count that is done,
   from 0 to 1. Returns 0, or another number to stop the count. Must return, and not by longjmp. */
typedef int nqueens_progress(double share, void *data);

/* Counts the solutions for 1 to 28 queens. The number of threads is at most 1024; 0 stands for all CPUs. `progress` may be
   NULL, and gets `data`. `text`, which is not NULL, gets the total in decimal digits, as totals have up to 128 bits, or
   else the reason why there is none. A total that contradicts the published one is NQUEENS_WRONG; the text then has both. Any threads may call this, also at the same time. */
int nqueens_count(size_t queens, size_t threads, nqueens_progress *progress, void *data, char text[NQUEENS_TEXT]);

/* Returns the version of the library. */
const char *nqueens_version(void);

#ifdef __cplusplus
}
#endif

#endif
