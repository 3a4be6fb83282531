/* Counts the solutions of the N-Queens problem. count.c is an example. */
#ifndef NQUEENS_H
#define NQUEENS_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A count to be made. Threads may share it. With NULL for a job, nqueens_run fails, and other functions do nothing. */
typedef struct nqueens_job nqueens_job;

/* Texts end with a zero. They are empty, and the numbers are 0, where there is nothing to say. */
typedef struct nqueens_result {
    char total[40];   /* the number of solutions in decimal digits, as it may have more than 64 bits */
    char verdict[16]; /* the total "matches" or "contradicts" the published one, is "not published", or "impossible" */
    char engine[16];  /* what counted: "backtrack" or "two-color" */
    char kernel[16];  /* the instruction set, such as "avx2" */
    char error[512];  /* why there is no total, or why it is wrong */
    double seconds;   /* the time of the count */
    size_t threads;   /* the threads that counted */
} nqueens_result;

/* What nqueens_run returns. Do not use a total that is NQUEENS_WRONG: it contradicts the published one, or is impossible. */
enum { NQUEENS_COUNTED = 0, NQUEENS_CANCELLED = 1, NQUEENS_FAILED = 2, NQUEENS_WRONG = 3 };

/* Returns a job for 1 to 32 queens, which nqueens_free ends. Above 28, only a named engine begins to count. */
nqueens_job *nqueens_new(size_t queens);

/* Ends a job. No thread and no signal handler may use the job meanwhile or afterwards. */
void nqueens_free(nqueens_job *job);

/* Set what counts, until the next call. 0 threads, and the name "auto" or NULL, stand for what is fastest, which is the
   default. If there is no such engine or kernel, nqueens_run says so, with the names that there are. */
void nqueens_set_threads(nqueens_job *job, size_t threads);
void nqueens_set_engine(nqueens_job *job, const char *engine);
void nqueens_set_kernel(nqueens_job *job, const char *kernel);

/* Counts, and fills the result; fails if this is NULL. Must not be called by a signal handler. */
int nqueens_run(nqueens_job *job, nqueens_result *result);

/* Ends all counts of the job within a second or two, also those that are not begun yet. Any thread and any signal handler
   may call this. */
void nqueens_cancel(nqueens_job *job);

/* Returns the share of the last count that is done, 0 to 1. Any thread and any signal handler may call this. */
double nqueens_share(const nqueens_job *job);

/* Returns the version of the library. */
const char *nqueens_version(void);

#ifdef __cplusplus
}
#endif

#endif
