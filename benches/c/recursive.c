/* The plain bit-mask recursion in C, with mirror symmetry: what the scalar kernel is held against.
   cc -O3 recursive.c -o recursive && ./recursive 15
   `./recursive 22 5003` counts under every 5003rd placement of the first queens only, and prints that count times 5003,
   which should be near the real one. Times 5003, its time is near that of the whole count. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t board;
static uint64_t stride = 1, placements;

static uint64_t count(uint32_t columns, uint32_t falling, uint32_t rising)
{
    if (columns == board)
        return 1;
    uint64_t solutions = 0;
    uint32_t free = board & ~(columns | falling | rising);
    while (free) {
        uint32_t queen = free & -free;
        free ^= queen;
        solutions += count(columns | queen, (falling | queen) << 1, (rising | queen) >> 1);
    }
    return solutions;
}

/* Places the queens of so many rows more, and counts under every placement in turn whose number is due. */
static uint64_t begin(int rows, uint32_t columns, uint32_t falling, uint32_t rising)
{
    if (rows <= 0)
        return placements++ % stride == stride / 2 ? count(columns, falling, rising) : 0;
    uint64_t solutions = 0;
    uint32_t free = board & ~(columns | falling | rising);
    for (; free; free &= free - 1) {
        uint32_t queen = free & -free;
        solutions += begin(rows - 1, columns | queen, (falling | queen) << 1, (rising | queen) >> 1);
    }
    return solutions;
}

int main(int arguments, char **argument)
{
    int n = arguments >= 2 ? atoi(argument[1]) : 0;
    if (arguments == 3)
        stride = strtoull(argument[2], NULL, 10);
    if (n < 2 || n > 31 || arguments > 3 || stride < 1)
        return fprintf(stderr, "usage: %s N [STRIDE]   with N from 2 to 31\n", argument[0]), 2;
    board = (1u << n) - 1;
    /* The rows below the first one from which a sample is drawn. */
    int rows = stride == 1 ? 0 : n / 3 - 1;
    uint64_t half = 0;
    for (int column = 0; column < n / 2; column++) {
        uint32_t queen = 1u << column;
        half += begin(rows, queen, queen << 1, queen >> 1);
    }
    /* A first queen in the middle of an odd board: then the second stands to the left. */
    uint32_t middle = 1u << n / 2;
    for (int column = 0; n % 2 && column < n / 2 - 1; column++) {
        uint32_t queen = 1u << column;
        half += begin(rows - 1, middle | queen, (middle << 1 | queen) << 1, (middle >> 1 | queen) >> 1);
    }
    printf("%llu\n", (unsigned long long)(2 * half * stride));
    return 0;
}
