// A wrong clock, loaded by LD_PRELOAD: CLOCK_AHEAD seconds fast and, if CLOCK_BACK is set, going back at each look.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>

int clock_gettime(clockid_t clock, struct timespec *now) {
    static int (*real)(clockid_t, struct timespec *);
    static long looks;
    if (!real) real = dlsym(RTLD_NEXT, "clock_gettime");
    int failed = real(clock, now);
    if (clock == CLOCK_REALTIME) now->tv_sec += atol(getenv("CLOCK_AHEAD")) - (getenv("CLOCK_BACK") ? 100000 * looks++ : 0);
    return failed;
}
