def solutions(board, columns=0, left=0, right=0):
    if columns == board:
        return 1
    found, free = 0, board & ~(columns | left | right)
    while free:
        queen = free & -free
        free ^= queen
        found += solutions(board, columns | queen, (left | queen) << 1, (right | queen) >> 1)
    return found

print(solutions(0b1111_1111))
