from collections import Counter

def placements(n, colour):
    """Counts the placements on the squares of a colour, by the rows and the columns that they fill."""
    found = Counter()

    def fill(row, queens):
        if row == n:
            found[frozenset(i for i, j in queens), frozenset(j for i, j in queens)] += 1
            return
        fill(row + 1, queens)  # this row gets a queen of the other colour
        for column in range((row + colour) % 2, n, 2):
            if all(column != j and row - i != abs(column - j) for i, j in queens):
                fill(row + 1, [*queens, (row, column)])

    fill(0, [])
    return found

def solutions(n):
    """Adds up w · b: each way to place the white queens goes with each way to place the black ones."""
    lines, black = frozenset(range(n)), placements(n, 1)
    return sum(w * black[lines - rows, lines - columns] for (rows, columns), w in placements(n, 0).items())

print(solutions(8))
