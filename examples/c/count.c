/* Counts for N queens, and stops after some seconds if these are given:

       cargo build --release --package nqueens-c
       cc examples/c/count.c -o count -L target/release -lnqueens -Wl,-rpath,target/release
       ./count 18 10
*/
#include "nqueens.h"
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int is_over(double share, void *end)
{
    fprintf(stderr, "%.0f%%\r", 100 * share);
    return time(NULL) >= *(time_t *)end;
}

int main(int argc, char **argv)
{
    char text[NQUEENS_TEXT];
    if (argc < 2) {
        fprintf(stderr, "usage: %s N [SECONDS], with nqueens %s\n", argv[0], nqueens_version());
        return NQUEENS_FAILED;
    }
    time_t end = argc > 2 ? time(NULL) + atol(argv[2]) : 0;
    int code = nqueens_count(strtoul(argv[1], NULL, 10), 0, argc > 2 ? is_over : NULL, &end, text);
    fprintf(code == NQUEENS_COUNTED ? stdout : stderr, "%s\n", text);
    return code;
}
