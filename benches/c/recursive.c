/* The plain bit-mask recursion in C, with mirror symmetry: the baseline for the scalar kernel.
   cc -O3 recursive.c -o recursive && ./recursive 15
   `./recursive 22 5003` counts only under every 5003rd placement of the first queens. It prints that count times 5003,
   which should be near the real count. Its time times 5003 is near the time of the whole count. */
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

/* Places queens in `rows` more rows, and counts under each placement whose number is due. */
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
    /* The sample is drawn from the placements of so many rows below the first. */
    int rows = stride == 1 ? 0 : n / 3 - 1;
    uint64_t half = 0;
    for (int column = 0; column < n / 2; column++) {
        uint32_t queen = 1u << column;
        half += begin(rows, queen, queen << 1, queen >> 1);
    }
    /* If the first queen of an odd board stands in the middle, the second stands to the left. */
    uint32_t middle = 1u << n / 2;
    for (int column = 0; n % 2 && column < n / 2 - 1; column++) {
        uint32_t queen = 1u << column;
        half += begin(rows - 1, middle | queen, (middle << 1 | queen) << 1, (middle >> 1 | queen) >> 1);
    }
    printf("%llu\n", (unsigned long long)(2 * half * stride));
    return 0;
}
