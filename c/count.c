/* Counts for N queens. Ctrl-C stops the count, and so do some seconds if these are given. In a checkout:

       cargo build --release --package nqueens-c
       cc c/count.c -o count -L target/release -lnqueens -Wl,-rpath,"$PWD/target/release"
       ./count 18 10 two-color

   A program that needs no libnqueens.so contains the static library:

       cc c/count.c -o count target/release/libnqueens.a -lm -lpthread -ldl

   Where the library is installed (docs/packaging.md), the command is:

       cc count.c -o count $(pkg-config --cflags --libs nqueens)
*/
#define _POSIX_C_SOURCE 200112L
#include "nqueens.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static nqueens_job *job;

static void stop(int number)
{
    (void)number;
    nqueens_cancel(job);
}

int main(int argc, char **argv)
{
    nqueens_result result;
    int code;
    if (argc < 2) {
        fprintf(stderr, "usage: %s N [SECONDS [ENGINE]], with nqueens %s\n", argv[0], nqueens_version());
        return NQUEENS_FAILED;
    }
    job = nqueens_new(strtoul(argv[1], NULL, 10));
    nqueens_set_engine(job, argc > 3 ? argv[3] : "auto");
    signal(SIGINT, stop);
    signal(SIGALRM, stop);
    alarm(argc > 2 ? strtoul(argv[2], NULL, 10) : 0);
    code = nqueens_run(job, &result);
    if (code == NQUEENS_COUNTED) {
        printf("%s\n", result.total);
        fprintf(stderr, "%s, by %s in %.3g s\n", result.verdict, result.engine, result.seconds);
    } else if (code == NQUEENS_CANCELLED) {
        fprintf(stderr, "%s (%.0f%% done)\n", result.error, 100 * nqueens_share(job));
    } else {
        fprintf(stderr, "%s\n", result.error);
    }
    nqueens_free(job);
    return code;
}
