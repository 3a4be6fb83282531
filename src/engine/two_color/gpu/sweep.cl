// The kernels of a GPU, in OpenCL C 1.2: mod.rs says what they do, and in which words.
//
// The host defines DENSE or SPARSE for the colour that is swept, and PANEL, the number of slots of a panel. Threads work
// in *teams* of 32. If the device runs a team in step, the host defines IN_STEP, and threads of a team exchange values
// without memory (NVIDIA, from Volta on).

#define THREADS 256
#define TEAMS (THREADS / 32)
// The number of words of 32 bits that a thread has in each table entry.
#define WORDS 2
// The number of items of a slice, a byte each.
#define ITEMS (128 * WORDS)
// The number of records that a team takes at a time.
#define BATCH 16

#define KERNEL __kernel __attribute__((reqd_work_group_size(THREADS, 1, 1))) void
#define BARRIER barrier(CLK_LOCAL_MEM_FENCE)

#ifdef IN_STEP
inline uint byte_perm(uint a, uint b, uint selector) {
    uint bytes;
    __asm("prmt.b32 %0, %1, %2, %3;" : "=r"(bytes) : "r"(a), "r"(b), "r"(selector));
    return bytes;
}
// Returns a bit for each thread of the team: 1 if its x is not 0.
inline uint ballot(uint x) {
    uint threads;
    __asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(threads) : "r"(x));
    return threads;
}
// Returns the x of the first thread of the team.
inline uint first_of_team(uint x) {
    uint first;
    __asm volatile("shfl.sync.idx.b32 %0, %1, 0, 31, 0xffffffff;" : "=r"(first) : "r"(x));
    return first;
}
// Returns byte number j of each argument but the last.
inline uint pick(uint a, uint b, uint c, uint d, uint j) {
    const uint selector = j | (j + 4) << 4;
    return byte_perm(byte_perm(a, b, selector), byte_perm(c, d, selector), 0x5410);
}
#define BYTE(x, n) byte_perm(x, 0, 0x4440 + (n))
// Keeps the compiler from computing x anew at each use.
#define COMPUTED(x) __asm volatile("" : "+r"(x))
#else
// Each thread votes as a team of its own.
inline uint ballot(uint x) { return x != 0; }
inline uint pick(uint a, uint b, uint c, uint d, uint j) {
    const uint shift = 8 * j;
    return (a >> shift & 255) | (b >> shift & 255) << 8 | (c >> shift & 255) << 16 | (d >> shift & 255) << 24;
}
#define BYTE(x, n) ((x) >> 8 * (n) & 255)
#define COMPUTED(x)
#endif

inline uint count_ones(ulong x) { return popcount((uint)x) + popcount((uint)(x >> 32)); }

// Returns the number of ones in each byte.
inline uint count_in_bytes(uint x) {
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    return (x + (x >> 4)) & 0x0f0f0f0fu;
}

// Finds for each segment where its visited records begin and end, the rows of its list, and its list.
KERNEL find_visited(uint segments, const __global uint2 *restrict starts, const __global uint *restrict records,
                    const __global uint *restrict list_end, const __global uint *restrict list_rows,
                    __global uint4 *restrict visited) {
    const uint segment = get_global_id(0);
    if (segment >= segments) return;
    const uint list = starts[segment].x, start = starts[segment].y, end = list_end[list];
    uint low = start, high = starts[segment + 1].y;
    while (low < high) {
        const uint middle = (low + high) / 2;
        if (records[middle] >> 20 < end) low = middle + 1; else high = middle;
    }
    visited[segment] = (uint4)(start, low, list_rows[list], list);
}

// The length of survivors that are not stored because they do not fit.
#define NONE 0xffff

// The number of words for the stored survivors of a slot of `length` words.
#define CAPACITY(length, shift) (((length) >> (shift) & ~7u) + 8)

// Stores the words of a slot that have no bit of a mask. Returns their number, or NONE if it exceeds the capacity.
inline uint thin(const __global ulong *from, uint length, ulong mask, __global ulong *to, uint capacity) {
    uint count = 0;
    for (uint position = 0; position < length; position += 8) {
        ulong word[8];
        #pragma unroll
        for (uint i = 0; i < 8; i++) word[i] = from[32 * (position + i)];
        #pragma unroll
        for (uint i = 0; i < 8; i++)
            if (position + i < length && !(word[i] & mask)) {
                if (count < capacity) to[32 * count] = word[i];
                count++;
            }
    }
    return count > capacity || count > NONE ? NONE : count;
}

// The entry of the one-row table for a place in the row whose first entry begins at `row`.
#define ENTRY(row, place) ((const __local uint *)((const __local uchar *)squares + ((row) + (place) * (128 * WORDS))))

// The numbers of a sweep.
typedef struct {
    // The groups of the build side, the prefixes, and the rows and columns of the squares.
    uint groups, prefixes, rows, columns;
    // The number of levels of survivors that are stored for the prefixes that share them: if not 0, the survivors of
    // all queens but the last; if 2, those of all but the last two as well. The room for the latter and for both, in
    // words, and the shifts by which the room of a slot is less than its number of words.
    uint levels, far_words, scratch_words, far_shift, shift;
    // The slots of a row of the matrix, its rows for each list, and the words of the one-row table.
    uint stride, height, square_words;
} SweepSizes;

// Sweeps the prefixes over one panel of a build side. With SPARSE, adds the counts to the count matrices, by list, rank
// and slot. With DENSE, multiplies the counts with the entries of the transposed matrices, by list, rank and slot, and
// adds the products to the sum of the work-group.
KERNEL sweep(
    // The build side: by group of 32 slots where its words begin and how many each slot has; word j of slot s is number
    // 32 j + s % 32 of its group.
    const __global ulong *words, const __global uint *restrict groups,
    // The prefixes: the diagonals without the last two queens, without the last, and with all; the columns, and in the upper
    // half the rows of the squares to be tabulated; the first segment.
    const __global ulong *restrict prefix_far_above, const __global ulong *restrict prefix_above,
    const __global ulong *restrict prefix_mask,
    const __global uint *restrict prefix_lines, const __global uint *restrict prefix_segment,
    const __global uint4 *restrict visited, const __global uint *restrict records,
    // By row and column, 16 to a row, the bits of the square's diagonal and anti-diagonal.
    const __global ushort *restrict diagonals,
    __global ulong *scratch, __global uint *restrict matrix, __global ulong *restrict sums,
    const SweepSizes sizes,
    // The one-row table, and the bits from which it is made.
    __local uint *squares)
{
    const uint prefixes = sizes.prefixes, rows = sizes.rows, columns = sizes.columns, levels = sizes.levels;
    const uint far_words = sizes.far_words, far_shift = sizes.far_shift, shift = sizes.shift;
    const uint stride = sizes.stride, height = sizes.height;
    __local uint free_columns[16], row_start[17], flags[2];
    __local ushort square_bits[200], item_slot[ITEMS], slot_length[PANEL], far_length[PANEL];
    __local ulong totals[THREADS];
    const uint thread = get_local_id(0), lane = thread & 31, team = thread >> 5;
    const uint panel = get_group_id(0), work_group = get_group_id(1) * get_num_groups(0) + panel;
    __local uint *blocks = squares + sizes.square_words;
    const uint first_group = panel * (PANEL / 32);
    const uint end_group = min(first_group + PANEL / 32, sizes.groups);
    const uint panel_start = groups[2 * first_group];
    scratch += (ulong)sizes.scratch_words * work_group;
    // A thread reads and writes the words of its own slots only. No placement has bit 63; words that pad a slot have
    // all bits.
    #define START(group) (groups[2 * (group)] - panel_start)
    #define LENGTH(group) groups[2 * (group) + 1]
    #define FAR(group) (scratch + (START(group) >> far_shift) + 256 * ((group) - first_group) + lane)
    #define NEAR(group) (scratch + far_words + (START(group) >> shift) + 256 * ((group) - first_group) + lane)
    for (uint group = first_group + team; group < end_group; group += TEAMS) {
        const uint slot = 32 * (group - first_group) + lane;
        slot_length[slot] = far_length[slot] = NONE;
    }
    ulong total = 0;
    const uint share = (prefixes + get_num_groups(1) - 1) / get_num_groups(1);
    const uint from_prefix = share * get_group_id(1), to_prefix = min(from_prefix + share, prefixes);
    for (uint prefix = from_prefix; prefix < to_prefix; prefix++) {
        const uint is_first = prefix == from_prefix;
        const uint is_far = levels > 1 && (is_first || prefix_far_above[prefix] != prefix_far_above[prefix - 1]);
        // Different queens may attack the same diagonals: then only `far_above` differs.
        if (levels && (is_first || is_far || prefix_above[prefix] != prefix_above[prefix - 1])) {
            const ulong padding = (ulong)1 << 63;
            const ulong far_above = prefix_far_above[prefix] | padding, above = prefix_above[prefix] | padding;
            for (uint group = first_group + team; group < end_group; group += TEAMS) {
                const uint slot = 32 * (group - first_group) + lane, length = LENGTH(group);
                const __global ulong *all = words + groups[2 * group] + lane;
                if (is_far) far_length[slot] = thin(all, length, far_above, FAR(group), CAPACITY(length, far_shift));
                const uint far = far_length[slot];
                const __global ulong *from = far == NONE ? all : FAR(group);
                const uint from_length = far == NONE ? length : far;
                slot_length[slot] = thin(from, from_length, above, NEAR(group), CAPACITY(length, shift));
            }
        }
        const ulong mask = prefix_mask[prefix] | (ulong)1 << 63;
        const uint lines = prefix_lines[prefix];
        const uint first = prefix_segment[prefix], last = prefix_segment[prefix + 1];
        BARRIER;
        if (thread < 2) flags[thread] = 0;
        BARRIER;
        for (uint segment = first + thread; segment < last; segment += THREADS)
            if (visited[segment].y > visited[segment].x) flags[0] = 1;
        if (thread < 16) {
            uint free = 0;
            if (thread < rows && (lines >> 16 >> thread & 1))
                for (uint column = 0; column < columns; column++) {
                    const uint bits = diagonals[16 * thread + column];
                    if (!(lines >> column & 1) && !(mask >> (bits & 255) & 1) && !(mask >> (bits >> 8) & 1)) free |= 1u << column;
                }
            free_columns[thread] = free;
        }
        BARRIER;
        const uint is_visited = flags[0];
        if (thread <= 16) {
            // Entry 0 has all placements.
            uint start = 1;
            for (uint row = 0; row < thread; row++) start += popcount(free_columns[row]);
            row_start[thread] = start;
        }
        BARRIER;
        {
            const uint free = free_columns[thread >> 4], column = thread & 15;
            if (free >> column & 1) square_bits[row_start[thread >> 4] + popcount(free & ((1u << column) - 1))] = diagonals[thread];
        }
        const uint end_of_squares = row_start[16];
        uint group = is_visited ? first_group + team : end_group, position = 0, is_found = 0;
        ulong survivors = 0;
        for (;;) {
            BARRIER;
            if (thread < 2) flags[thread] = 0;
            for (uint i = thread; i < 32 * WORDS; i += THREADS) squares[i] = 0;
            for (uint i = thread; i < ITEMS; i += THREADS) item_slot[i] = 0;
            BARRIER;
            // Take items until the slice is full: up to eight survivors of one slot are an item.
            while (group < end_group) {
                const uint slot = 32 * (group - first_group) + lane;
                uint length = slot_length[slot];
                const __global ulong *from = NEAR(group);
                if (length == NONE) {
                    length = far_length[slot];
                    from = FAR(group);
                    if (length == NONE) {
                        length = LENGTH(group);
                        from = words + groups[2 * group] + lane;
                    }
                }
                if (!is_found) {
                    // Find which of the next 64 placements survive.
                    for (uint i = 0; i < 64 && position + i < length; i += 8) {
                        ulong word[8];
                        #pragma unroll
                        for (uint j = 0; j < 8; j++) word[j] = from[32 * (position + i + j)];
                        uint bits = 0;
                        #pragma unroll
                        for (uint j = 0; j < 8; j++) bits |= (uint)!(word[j] & mask) << j;
                        survivors |= (ulong)bits << i;
                    }
                    if (survivors && position + 64 > length) survivors &= ((ulong)1 << (length - position)) - 1;
                    is_found = 1;
                }
                const uint count = min(count_ones(survivors), 8u);
                const uint takers = ballot(count);
                if (!takers) {
                    is_found = 0;
                    position += 64;
                    if (!ballot(position < length)) { group += TEAMS; position = 0; }
                    continue;
                }
                uint item = 0;
                #ifdef IN_STEP
                if (lane == 0) item = atomic_add(&flags[0], popcount(takers));
                item = first_of_team(item);
                #else
                item = atomic_inc(&flags[0]);
                #endif
                if (item + popcount(takers) > ITEMS) { flags[1] = 1; break; }
                #ifdef IN_STEP
                item += popcount(takers & ((1u << lane) - 1));
                #endif
                if (!count) continue;
                uint low[8], high[8];
                #pragma unroll
                for (uint i = 0; i < 8; i++) {
                    low[i] = high[i] = 0xffffffffu;
                    if (survivors) {
                        const ulong lowest = survivors & -survivors;
                        survivors ^= lowest;
                        const ulong word = from[32 * (position + count_ones(lowest - 1))];
                        low[i] = (uint)word;
                        high[i] = (uint)(word >> 32);
                    }
                }
                // This is the byte of the item in an entry. Neighbouring items belong to neighbouring threads.
                const uint at = (item >> 7) * 128 + (item & 31) * 4 + (item >> 5 & 3);
                item_slot[item] = slot;
                ((__local uchar *)squares)[at] = (1u << count) - 1;
                #pragma unroll
                for (uint j = 0; j < 7; j++) {
                    uint x, y;
                    if (j < 4) {
                        x = pick(low[0], low[1], low[2], low[3], j);
                        y = pick(low[4], low[5], low[6], low[7], j);
                    } else {
                        x = pick(high[0], high[1], high[2], high[3], j - 4);
                        y = pick(high[4], high[5], high[6], high[7], j - 4);
                    }
                    // Transposes 8 by 8 bits (H. S. Warren, Hacker's Delight, section 7-3).
                    uint t;
                    t = (x ^ (x >> 7)) & 0x00AA00AAu; x = x ^ t ^ (t << 7);
                    t = (y ^ (y >> 7)) & 0x00AA00AAu; y = y ^ t ^ (t << 7);
                    t = (x ^ (x >> 14)) & 0x0000CCCCu; x = x ^ t ^ (t << 14);
                    t = (y ^ (y >> 14)) & 0x0000CCCCu; y = y ^ t ^ (t << 14);
                    t = (x & 0x0F0F0F0Fu) | (y << 4 & 0xF0F0F0F0u);
                    y = (x >> 4 & 0x0F0F0F0Fu) | (y & 0xF0F0F0F0u);
                    #pragma unroll
                    for (uint b = 0; b < 4; b++) {
                        ((__local uchar *)blocks)[(8 * j + b) * (128 * WORDS) + at] = t >> 8 * b;
                        ((__local uchar *)blocks)[(8 * j + 4 + b) * (128 * WORDS) + at] = y >> 8 * b;
                    }
                }
            }
            BARRIER;
            const uint is_full = flags[1];
            if (!flags[0]) break;
            for (uint square = 1 + team; square < end_of_squares; square += TEAMS) {
                const uint diagonal = square_bits[square] & 255, anti_diagonal = square_bits[square] >> 8;
                #pragma unroll
                for (uint w = 0; w < WORDS; w++) {
                    const uint attacked = blocks[(diagonal * WORDS + w) * 32 + lane] | blocks[(anti_diagonal * WORDS + w) * 32 + lane];
                    squares[(square * WORDS + w) * 32 + lane] = squares[w * 32 + lane] & ~attacked;
                }
            }
            uint column[4 * WORDS];
            #pragma unroll
            for (uint i = 0; i < 4 * WORDS; i++) column[i] = item_slot[32 * i + lane];
            BARRIER;
            uint turn = team;
            uint4 ahead = visited[first];
            for (uint segment = first; segment < last; segment++) {
                const uint start = ahead.x, end = ahead.y, tail_rows = ahead.z, list = ahead.w;
                if (segment + 1 < last) ahead = visited[segment + 1];
                // Teams take batches of records in turn.
                for (uint batch = start + BATCH * turn; batch < end; batch += BATCH * TEAMS) {
                    const uint tail = tail_rows >> 20;
                    #define ROW(n) ((tail > n ? row_start[tail_rows >> 4 * n & 15] : 0) * (128 * WORDS) + 4 * lane)
                    uint row0 = ROW(0), row1 = ROW(1), row2 = ROW(2), row3 = ROW(3), row4 = ROW(4);
                    COMPUTED(row0); COMPUTED(row1); COMPUTED(row2); COMPUTED(row3); COMPUTED(row4);
                    #define ENTRIES(entry, record) { \
                        const uint row = ((record) >> 20) * stride; \
                        _Pragma("unroll") \
                        for (uint i = 0; i < 4 * WORDS; i++) entry[i] = strip[row + column[i]]; \
                    }
                    __global uint *strip = matrix + (ulong)list * height * stride + PANEL * panel;
                    uint counts[WORDS];
                    #pragma unroll
                    for (uint w = 0; w < WORDS; w++) counts[w] = 0;
                    const __global uint *at = records + batch;
                    // Two records are read ahead.
                    uint next = at[0], after = at[1];
                    uint left = min(end - batch, (uint)BATCH);
                    #ifdef DENSE
                    uint entry[4 * WORDS];
                    ENTRIES(entry, next)
                    #endif
                    for (;;) {
                        const uint record = next;
                        next = after;
                        after = at[2];
                        at++;
                        const __local uint *one = ENTRY(row0, record & 15), *two = ENTRY(row1, record >> 4 & 15);
                        const __local uint *three = ENTRY(row2, record >> 8 & 15);
                        uint compatible[WORDS];
                        #pragma unroll
                        for (uint w = 0; w < WORDS; w++) compatible[w] = one[32 * w] & two[32 * w] & three[32 * w];
                        if (tail > 3) {
                            const __local uint *four = ENTRY(row3, record >> 12 & 15), *five = ENTRY(row4, record >> 16 & 15);
                            #pragma unroll
                            for (uint w = 0; w < WORDS; w++) compatible[w] &= four[32 * w] & five[32 * w];
                        }
                        // The counts of up to 16 records of one rank are added up: a byte has room for 31.
                        const uint is_last = !(--left & 15) || (record ^ next) >> 20;
                        #pragma unroll
                        for (uint w = 0; w < WORDS; w++) counts[w] += count_in_bytes(compatible[w]);
                        if (!is_last) continue;
                        #ifndef DENSE
                        const uint row = (record >> 20) * stride;
                        #endif
                        #pragma unroll
                        for (uint w = 0; w < WORDS; w++) {
                            #pragma unroll
                            for (uint k = 0; k < 4; k++) {
                                const uint count = BYTE(counts[w], k);
                                #ifdef DENSE
                                total += (ulong)entry[4 * w + k] * count;
                                #else
                                if (count) atomic_add(&strip[row + column[4 * w + k]], count);
                                #endif
                            }
                            counts[w] = 0;
                        }
                        if (!left) break;
                        #ifdef DENSE
                        // The entries for the next rank are fetched before its records are counted.
                        ENTRIES(entry, next)
                        #endif
                    }
                }
                turn = (turn - (end - start + BATCH - 1) / BATCH) & (TEAMS - 1);
            }
            if (!is_full) break;
        }
    }
    totals[thread] = total;
    BARRIER;
    if (thread == 0) {
        ulong sum = 0;
        for (uint i = 0; i < THREADS; i++) sum += totals[i];
        sums[work_group] += sum;
    }
}

// Transposes the count matrices, 32 by 32 entries at a time, and multiplies them with the weights. Rows go by the ranks
// of the sparse colour's build slots, columns by the dense colour's build slots.
//
// For each list, `class_ends` has the ends of the three weight classes of the dense colour's buckets, and of those of
// its records. `weights` goes by list, weight class of the record and weight class of the bucket.
KERNEL transpose(
    const __global uint *restrict from, uint from_stride, uint from_height, const __global ushort *restrict from_rank,
    __global uint *restrict to, uint to_stride, uint to_height, const __global ushort *restrict to_rank,
    const __global uint *restrict class_ends, const __global uint *restrict weights)
{
    __local uint tile[32 * 33];
    const uint lane = get_local_id(0) & 31, team = get_local_id(0) >> 5, list = get_group_id(2);
    const __global uint *end = class_ends + 6 * list;
    const uint i0 = get_group_id(0) * 32, j0 = get_group_id(1) * 32;
    const uint record = from_rank[i0 + lane];
    const uint record_class = (record >= end[3]) + (record >= end[4]);
    for (uint j = team; j < 32; j += TEAMS) {
        const uint build = to_rank[j0 + j];
        const uint build_class = (build >= end[0]) + (build >= end[1]);
        uint entry = 0;
        if (build < end[2] && record < end[5])
            entry = from[((ulong)list * from_height + build) * from_stride + i0 + lane]
                * weights[9 * list + 3 * record_class + build_class];
        tile[33 * j + lane] = entry;
    }
    BARRIER;
    for (uint i = team; i < 32; i += TEAMS) {
        const uint rank = from_rank[i0 + i];
        if (rank != 0xffff) to[((ulong)list * to_height + rank) * to_stride + j0 + lane] = tile[33 * lane + i];
    }
}
