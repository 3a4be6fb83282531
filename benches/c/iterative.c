/* The classic iterative form: the masks of every row in arrays, without recursion. This is the second C baseline.
   cc -O3 iterative.c -o iterative && ./iterative 15 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint32_t columns[33], falling[33], rising[33], untried[33];

/* The solutions below the node in row `row`, whose queens are tried in the columns of untried[row]. */
static uint64_t count(int row, int n)
{
    const uint32_t board = (1u << n) - 1;
    const int top = row;
    uint64_t solutions = 0;
    while (row >= top) {
        if (!untried[row]) {
            row--;
            continue;
        }
        uint32_t queen = untried[row] & -untried[row];
        untried[row] ^= queen;
        if (row == n - 1) {
            solutions++;
            continue;
        }
        columns[row + 1] = columns[row] | queen;
        falling[row + 1] = (falling[row] | queen) << 1;
        rising[row + 1] = (rising[row] | queen) >> 1;
        row++;
        untried[row] = board & ~(columns[row] | falling[row] | rising[row]);
    }
    return solutions;
}

int main(int arguments, char **argument)
{
    int n = arguments == 2 ? atoi(argument[1]) : 0;
    if (n < 2 || n > 31)
        return fprintf(stderr, "usage: %s N   with N from 2 to 31\n", argument[0]), 2;
    const uint32_t left = (1u << n / 2) - 1;
    untried[0] = left;
    uint64_t half = count(0, n);
    if (n % 2) {
        /* If the first queen of an odd board stands in the middle, the second stands to the left. */
        uint32_t middle = 1u << n / 2;
        columns[1] = middle;
        falling[1] = middle << 1;
        rising[1] = middle >> 1;
        untried[1] = left & ~(columns[1] | falling[1] | rising[1]);
        half += count(1, n);
    }
    printf("%llu\n", (unsigned long long)(2 * half));
    return 0;
}
