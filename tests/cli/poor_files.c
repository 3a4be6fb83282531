// Files that lack one thing, loaded by LD_PRELOAD. FILES_LACK names it: `fdatasync`, `flock`, `append`, or `number`, where
// each look at a file gives it another inode number. A line with a unit takes more than a second to write.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static int lacks(const char *what) {
    const char *lack = getenv("FILES_LACK");
    if (!lack || strcmp(lack, what)) return 0;
    errno = EOPNOTSUPP;
    return 1;
}

int fdatasync(int file) {
    return lacks("fdatasync") ? -1 : 0;
}

int flock(int file, int operation) {
    return lacks("flock") ? -1 : 0;
}

int open64(const char *path, int flags, ...) {
    static int (*real)(const char *, int, ...);
    va_list rest;
    va_start(rest, flags);
    if (!real) real = dlsym(RTLD_NEXT, "open64");
    return flags & O_APPEND && lacks("append") ? -1 : real(path, flags, va_arg(rest, mode_t));
}

int statx(int folder, const char *path, int flags, unsigned mask, struct statx *found) {
    static int (*real)(int, const char *, int, unsigned, struct statx *);
    static int looks;
    if (!real) real = dlsym(RTLD_NEXT, "statx");
    int failed = real(folder, path, flags, mask, found);
    if (lacks("number")) found->stx_ino += ++looks;
    return failed;
}

ssize_t write(int file, const void *bytes, size_t length) {
    static ssize_t (*real)(int, const void *, size_t);
    if (!real) real = dlsym(RTLD_NEXT, "write");
    if (memmem(bytes, length, "\"unit\"", 6)) usleep(1100000);
    return real(file, bytes, length);
}
