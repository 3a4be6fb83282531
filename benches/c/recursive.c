/* The plain bit-mask recursion in C, with mirror symmetry: what the scalar kernel is held against.
   cc -O3 recursive.c -o recursive && ./recursive 15 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t board;

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

int main(int arguments, char **argument)
{
    int n = arguments == 2 ? atoi(argument[1]) : 0;
    if (n < 2 || n > 31)
        return fprintf(stderr, "usage: %s N   with N from 2 to 31\n", argument[0]), 2;
    board = (1u << n) - 1;
    uint64_t half = 0;
    for (int column = 0; column < n / 2; column++) {
        uint32_t queen = 1u << column;
        half += count(queen, queen << 1, queen >> 1);
    }
    /* A first queen in the middle of an odd board: then the second stands to the left. */
    uint32_t middle = 1u << n / 2;
    for (int column = 0; n % 2 && column < n / 2 - 1; column++) {
        uint32_t queen = 1u << column;
        half += count(middle | queen, (middle << 1 | queen) << 1, (middle >> 1 | queen) >> 1);
    }
    printf("%llu\n", (unsigned long long)(2 * half));
    return 0;
}
