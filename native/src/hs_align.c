/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Forwards: the frames at which item i may begin, given the items before it. Backwards: which of
 * them also lead to the end. A set of frames is a row of bits. */
#include "hs_align.h"

#include <string.h>

static bool has(const uint64_t *row, uint32_t bit) {
    return (row[bit / 64] >> (bit % 64) & 1) != 0;
}

static void add(uint64_t *row, uint32_t bit) {
    row[bit / 64] |= UINT64_C(1) << (bit % 64);
}

/* Words of a row: those behind are not touched. */
static uint32_t words_of(const struct hs_align_problem *problem) {
    return problem->frame_count / 64 + 1;
}

static void copy(uint64_t *row, const uint64_t *other, uint32_t words) {
    for (uint32_t i = 0; i < words; i++) {
        row[i] = other[i];
    }
}

static void clear(uint64_t *row, uint32_t words) {
    for (uint32_t i = 0; i < words; i++) {
        row[i] = 0;
    }
}

static bool is_empty(const uint64_t *row, uint32_t words) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < words; i++) {
        all |= row[i];
    }
    return all == 0;
}

/* The lowest bit; *is_only: and the only one. The row is not empty. */
static uint32_t lowest(const uint64_t *row, uint32_t words, bool *is_only) {
    uint32_t i = 0;
    while (row[i] == 0) {
        i++;
    }
    *is_only = (row[i] & (row[i] - 1)) == 0 && is_empty(&row[i + 1], words - i - 1);
    return i * 64 + (uint32_t)__builtin_ctzll(row[i]);
}

static void move_up(uint64_t *row, uint32_t bits, uint32_t words) {
    for (uint32_t i = words; i-- > 0;) {
        uint64_t below = i > 0 ? row[i - 1] : 0;
        row[i] = bits == 64 ? below : row[i] << bits | below >> (64 - bits);
    }
}

static void move_down(uint64_t *row, uint32_t bits, uint32_t words) {
    for (uint32_t i = 0; i < words; i++) {
        uint64_t above = i + 1 < words ? row[i + 1] : 0;
        row[i] = bits == 64 ? above : row[i] >> bits | above << (64 - bits);
    }
}

static void unite(uint64_t *row, const uint64_t *other, uint32_t words) {
    for (uint32_t i = 0; i < words; i++) {
        row[i] |= other[i];
    }
}

static void intersect(uint64_t *row, const uint64_t *other, uint32_t words) {
    for (uint32_t i = 0; i < words; i++) {
        row[i] &= other[i];
    }
}

/* From begins to all ends that a run of an item may have, or back. */
static void spread(uint64_t *row, bool is_single, uint32_t words,
                   void (*move)(uint64_t *, uint32_t, uint32_t)) {
    uint64_t moved[HS_ALIGN_WORDS];
    move(row, 1, words);
    for (uint32_t reach = 1; !is_single && reach < HS_ALIGN_MAX_RUN; reach *= 2) {
        copy(moved, row, words);
        move(moved, reach, words);
        unite(row, moved, words);
    }
}

/* The ends at which a run may end, for its last method. */
static const uint64_t *find_roots(struct hs_align *scratch, const struct hs_align_problem *problem,
                                  uintptr_t root) {
    uint32_t place = (uint32_t)(root / sizeof root) % HS_ALIGN_ROOTS;
    uint64_t *row = scratch->roots[place].row;
    if (root != 0 && scratch->roots[place].root == root) {
        return row;
    }
    scratch->roots[place].root = root;
    clear(row, words_of(problem));
    for (uint32_t i = 0; i < problem->frame_count; i++) {
        if (problem->methods[i] == root) {
            add(row, i + 1);
        }
    }
    return row;
}

/* Takes out of a row of ends those at which a run may not end, for its last method. Where there is one end, as in
 * a stack of interpreted frames, only its method is inspected. */
static void keep_roots(struct hs_align *scratch, const struct hs_align_problem *problem,
                       uintptr_t root, uint64_t *ends) {
    uint32_t words = words_of(problem);
    bool is_only;
    if (is_empty(ends, words)) {
        return;
    }
    uint32_t end = lowest(ends, words, &is_only);
    if (!is_only) {
        intersect(ends, find_roots(scratch, problem, root), words);
    } else if (end == 0 || end > problem->frame_count || problem->methods[end - 1] != root) {
        clear(ends, words);
    }
}

/* How many frames of the known run are there from `begin` on, all as expected? All of them, fewer
 * where the frames were cut, or 0. */
static uint32_t known_frames(const struct hs_align_problem *problem,
                             const struct hs_align_item *item, uint32_t begin) {
    uint32_t left = problem->frame_count - begin;
    uint32_t looked = item->count < left ? item->count : left;
    for (uint32_t i = 0; i < looked; i++) {
        const struct hs_java_frame *frame = &problem->frames[begin + i];
        if (frame->method_id != item->run[i].method_id || frame->bci != item->run[i].bci) {
            return 0;
        }
    }
    return looked;
}

/* May the frames have been cut within the run that begins here, or just before it? */
static bool may_be_cut(const struct hs_align_problem *problem, const struct hs_align_item *item,
                       uint32_t begin) {
    uint32_t left = problem->frame_count - begin;
    if (!problem->frames_are_cut || left == 0) {
        return problem->frames_are_cut;
    }
    if (item->count > 0) {
        return item->count > left && known_frames(problem, item, begin) == left;
    }
    return !item->is_single && left < HS_ALIGN_MAX_RUN;
}

/* Where the item may end, given where it may begin. */
static void find_ends(struct hs_align *scratch, const struct hs_align_problem *problem,
                      const struct hs_align_item *item, const uint64_t *begins, uint64_t *ends) {
    uint32_t words = words_of(problem);
    if (item->count == 0) {
        copy(ends, begins, words);
        spread(ends, item->is_single, words, move_up);
        keep_roots(scratch, problem, item->root, ends);
        return;
    }
    clear(ends, words);
    for (uint32_t begin = 0; begin + item->count <= problem->frame_count; begin++) {
        if (has(begins, begin) && known_frames(problem, item, begin) == item->count) {
            add(ends, begin + item->count);
        }
    }
}

/* Where the item may begin, given where it may end. */
static void find_begins(struct hs_align *scratch, const struct hs_align_problem *problem,
                        const struct hs_align_item *item, const uint64_t *ends, uint64_t *begins) {
    uint32_t words = words_of(problem);
    if (item->count == 0) {
        copy(begins, ends, words);
        keep_roots(scratch, problem, item->root, begins);
        spread(begins, item->is_single, words, move_down);
        return;
    }
    clear(begins, words);
    for (uint32_t end = item->count; end <= problem->frame_count; end++) {
        if (has(ends, end) && known_frames(problem, item, end - item->count) == item->count) {
            add(begins, end - item->count);
        }
    }
}

static bool go_forwards(struct hs_align *scratch, const struct hs_align_problem *problem) {
    uint32_t words = words_of(problem);
    clear(scratch->reached[0], words);
    add(scratch->reached[0], 0);
    for (uint32_t i = 0; i < problem->item_count; i++) {
        find_ends(scratch, problem, &problem->items[i], scratch->reached[i],
                  scratch->reached[i + 1]);
        if (is_empty(scratch->reached[i + 1], words) && !problem->frames_are_cut) {
            return false;
        }
    }
    return true;
}

/* After the last item all frames must have been used, unless items are missing. */
static void set_end(const struct hs_align *scratch, const struct hs_align_problem *problem,
                    uint64_t *row) {
    const uint64_t *last = scratch->reached[problem->item_count];
    clear(row, words_of(problem));
    if (problem->items_are_cut) {
        copy(row, last, words_of(problem));
    } else if (has(last, problem->frame_count)) {
        add(row, problem->frame_count);
    }
}

/* The beginnings of an item from which the end can be reached. `after`: the same of the next one. */
static void step_back(struct hs_align *scratch, const struct hs_align_problem *problem, uint32_t i,
                      const uint64_t *after, uint64_t *row, bool *is_cut) {
    const struct hs_align_item *item = &problem->items[i];
    find_begins(scratch, problem, item, after, row);
    intersect(row, scratch->reached[i], words_of(problem));
    for (uint32_t begin = 0; problem->frames_are_cut && begin <= problem->frame_count; begin++) {
        if (has(scratch->reached[i], begin) && may_be_cut(problem, item, begin)) {
            add(row, begin);
            *is_cut = true;
        }
    }
}

static struct hs_span settle(const uint64_t *begins, const uint64_t *ends, uint32_t words) {
    struct hs_span span = {0, 0};
    bool one_begin;
    bool one_end;
    if (!is_empty(begins, words) && !is_empty(ends, words)) {
        uint32_t begin = lowest(begins, words, &one_begin);
        uint32_t end = lowest(ends, words, &one_end);
        if (one_begin && one_end) {
            span = (struct hs_span){begin, end};
        }
    }
    return span;
}

bool hs_align(struct hs_align *scratch, const struct hs_align_problem *problem,
              struct hs_span *spans) {
    uint64_t rows[2][HS_ALIGN_WORDS];
    memset(spans, 0, problem->item_count * sizeof *spans);
    for (int i = 0; i < HS_ALIGN_ROOTS; i++) {
        scratch->roots[i].root = 0;
    }
    if (!go_forwards(scratch, problem)) {
        return false;
    }
    uint64_t *after = rows[0];
    uint64_t *row = rows[1];
    uint32_t first_cut = problem->item_count;
    set_end(scratch, problem, after);
    for (uint32_t i = problem->item_count; i-- > 0;) {
        bool is_cut = false;
        step_back(scratch, problem, i, after, row, &is_cut);
        spans[i] = settle(row, after, words_of(problem));
        first_cut = is_cut ? i : first_cut;
        uint64_t *swap = after;
        after = row;
        row = swap;
    }
    /* Where the frames may end within an item, those behind it may have none at all. */
    memset(&spans[first_cut], 0, (problem->item_count - first_cut) * sizeof *spans);
    bool is_solved = has(after, 0);
    if (!is_solved) {
        memset(spans, 0, problem->item_count * sizeof *spans);
    }
    return is_solved;
}
