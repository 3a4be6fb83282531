// A loader of OpenCL that passes calls on to the true one until one call goes wrong. FALSE_OPENCL is FUNCTION:NUMBER:KIND,
// such as `clFlush:3:once`: the third call of clFlush fails. With `lost` it fails and so does every call after it, and
// with `hang` it does not return. The file FALSE_OPENCL_MARK is made when it goes wrong.
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// All arguments are integers or addresses, and a function ignores those that it does not have.
typedef long any;
typedef any function(any, any, any, any, any, any, any, any, any, any, any, any);

enum { OUT_OF_RESOURCES = -5 };

static atomic_int is_lost;

static int goes_wrong(const char *name, int number) {
    char function[64], kind[8];
    int wanted;
    const char *wrong = getenv("FALSE_OPENCL");
    if (atomic_load(&is_lost)) return 1;
    if (!wrong || sscanf(wrong, "%63[^:]:%d:%7s", function, &wanted, kind) != 3) return 0;
    if (strcmp(function, name) || number != wanted) return 0;
    const char *mark = getenv("FALSE_OPENCL_MARK");
    if (mark) close(open(mark, O_CREAT | O_WRONLY, 0600));
    if (!strcmp(kind, "hang"))
        for (;;) pause();
    atomic_store(&is_lost, !strcmp(kind, "lost"));
    return 1;
}

static function *true_function(const char *name) {
    static void *library;
    if (!library) library = dlopen("libOpenCL.so.1", RTLD_NOW);
    return library ? (function *)dlsym(library, name) : NULL;
}

// A function that returns an error, or, if `error` is not 0, that writes it to its last argument, which has this number.
#define PASS_ON(name, error)                                                                       \
    any name(any a, any b, any c, any d, any e, any f, any g, any h, any i, any j, any k, any l) { \
        static atomic_int calls;                                                                   \
        any arguments[] = {0, a, b, c, d, e, f};                                                   \
        function *real = true_function(#name);                                                     \
        if (!real || goes_wrong(#name, atomic_fetch_add(&calls, 1) + 1)) {                         \
            if (!error) return OUT_OF_RESOURCES;                                                   \
            if (arguments[error]) *(int *)arguments[error] = OUT_OF_RESOURCES;                     \
            return 0;                                                                              \
        }                                                                                          \
        return real(a, b, c, d, e, f, g, h, i, j, k, l);                                           \
    }

PASS_ON(clGetPlatformIDs, 0)
PASS_ON(clGetPlatformInfo, 0)
PASS_ON(clGetDeviceIDs, 0)
PASS_ON(clGetDeviceInfo, 0)
PASS_ON(clCreateContext, 6)
PASS_ON(clReleaseContext, 0)
PASS_ON(clCreateProgramWithSource, 5)
PASS_ON(clBuildProgram, 0)
PASS_ON(clGetProgramInfo, 0)
PASS_ON(clGetProgramBuildInfo, 0)
PASS_ON(clReleaseProgram, 0)
PASS_ON(clCreateKernel, 3)
PASS_ON(clGetKernelInfo, 0)
PASS_ON(clSetKernelArg, 0)
PASS_ON(clReleaseKernel, 0)
PASS_ON(clCreateCommandQueue, 4)
PASS_ON(clCreateCommandQueueWithProperties, 4)
PASS_ON(clReleaseCommandQueue, 0)
PASS_ON(clCreateBuffer, 5)
PASS_ON(clReleaseMemObject, 0)
PASS_ON(clEnqueueWriteBuffer, 0)
PASS_ON(clEnqueueReadBuffer, 0)
PASS_ON(clEnqueueFillBuffer, 0)
PASS_ON(clEnqueueNDRangeKernel, 0)
PASS_ON(clFlush, 0)
PASS_ON(clWaitForEvents, 0)
PASS_ON(clGetEventInfo, 0)
PASS_ON(clReleaseEvent, 0)
