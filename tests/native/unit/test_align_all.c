/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Small problems, with all their cuts tried one after the other: what all of them agree on must be
 * settled, and nothing else. A few methods and bytecode indexes, so that many cuts are possible. */
#include "hs_align.h"

#include <criterion/criterion.h>
#include <string.h>

#include "seeded.h"

enum { MAX_ITEMS = 7, MAX_FRAMES = 12, METHODS = 3, PLACES = 2, BEHIND = 1000 };

static struct hs_align scratch;

struct case_of {
    struct hs_align_problem problem;
    struct hs_align_item items[MAX_ITEMS];
    struct hs_java_frame runs[MAX_ITEMS][MAX_FRAMES];
    struct hs_java_frame frames[MAX_FRAMES];
    uintptr_t methods[MAX_FRAMES];
};

/* What all cuts so far say of an item. */
struct tally {
    uint32_t cuts;
    struct hs_span now[MAX_ITEMS];
    struct hs_span first[MAX_ITEMS];
    bool differs[MAX_ITEMS];
};

static void count_cut(const struct case_of *c, struct tally *tally) {
    for (uint32_t i = 0; i < c->problem.item_count; i++) {
        if (tally->cuts == 0) {
            tally->first[i] = tally->now[i];
        }
        if (memcmp(&tally->first[i], &tally->now[i], sizeof tally->now[i]) != 0) {
            tally->differs[i] = true;
        }
    }
    tally->cuts++;
}

/* May frame `f` be the one at place `at` of the item's run? */
static bool is_possible(const struct case_of *c, const struct hs_align_item *item, uint32_t at,
                        uint32_t f) {
    return item->count == 0 ||
           (at < item->count && c->frames[f].method_id == item->run[at].method_id &&
            c->frames[f].bci == item->run[at].bci);
}

static bool may_end(const struct case_of *c, const struct hs_align_item *item, uint32_t length,
                    uint32_t last) {
    if (item->count > 0) {
        return length == item->count;
    }
    return (!item->is_single || length == 1) && c->methods[last] == item->root;
}

static bool may_go_on(const struct hs_align_item *item, uint32_t length) {
    return item->count > 0 ? length < item->count : !item->is_single || length == 0;
}

/* Item i begins at `begin`; goes through all cuts of the rest. */
static void place(const struct case_of *c, uint32_t i, uint32_t begin, struct tally *tally) {
    const struct hs_align_problem *problem = &c->problem;
    if (i == problem->item_count) {
        if (begin == problem->frame_count || problem->items_are_cut) {
            count_cut(c, tally);
        }
        return;
    }
    uint32_t f = begin;
    for (; f < problem->frame_count && is_possible(c, &problem->items[i], f - begin, f); f++) {
        if (may_end(c, &problem->items[i], f + 1 - begin, f)) {
            tally->now[i] = (struct hs_span){begin, f + 1};
            place(c, i + 1, f + 1, tally);
        }
    }
    if (problem->frames_are_cut && f == problem->frame_count &&
        may_go_on(&problem->items[i], f - begin)) {
        for (uint32_t j = i; j < problem->item_count; j++) {
            tally->now[j] = (struct hs_span){BEHIND, BEHIND};
        }
        count_cut(c, tally);
    }
}

/* ---- problems ---- */

static struct hs_java_frame random_frame(struct seeded *seeded) {
    struct hs_java_frame frame = {0};
    frame.method_id = 8 * (1 + seeded_below(seeded, METHODS));
    frame.bci = (int32_t)seeded_below(seeded, PLACES);
    return frame;
}

/* Frames as a stack of such items would have them; returns whether there is room for one more. */
static bool add_true_item(struct case_of *c, struct seeded *seeded) {
    struct hs_align_problem *problem = &c->problem;
    struct hs_align_item *item = &c->items[problem->item_count];
    uint32_t length = 1 + (seeded_below(seeded, 2) == 0 ? seeded_below(seeded, 4) : 0);
    uint32_t begin = problem->frame_count;
    if (problem->item_count == MAX_ITEMS || begin + length > MAX_FRAMES) {
        return false;
    }
    for (uint32_t i = 0; i < length; i++) {
        c->frames[begin + i] = c->runs[problem->item_count][i] = random_frame(seeded);
    }
    item->root = c->frames[begin + length - 1].method_id + 1;
    item->is_single = length == 1 && seeded_below(seeded, 3) == 0;
    if (seeded_below(seeded, 4) == 0) {
        item->run = c->runs[problem->item_count];
        item->count = length;
    }
    problem->item_count++;
    problem->frame_count += length;
    return true;
}

/* Damages it a little, so that it may have no cut at all. */
static void damage(struct case_of *c, struct seeded *seeded) {
    if (c->problem.item_count > 0 && seeded_below(seeded, 2) == 0) {
        c->items[seeded_below(seeded, c->problem.item_count)].root =
            8 * (1 + seeded_below(seeded, METHODS)) + 1;
    } else if (c->problem.frame_count > 0) {
        c->frames[seeded_below(seeded, c->problem.frame_count)] = random_frame(seeded);
    }
}

static void make(struct case_of *c, struct seeded *seeded) {
    memset(c, 0, sizeof *c);
    uint32_t wanted = seeded_below(seeded, MAX_ITEMS + 1);
    for (uint32_t i = 0; i < wanted && add_true_item(c, seeded); i++) {
    }
    if (seeded_below(seeded, 4) == 0) {
        damage(c, seeded);
    }
    struct hs_align_problem *problem = &c->problem;
    if (problem->frame_count > 0 && seeded_below(seeded, 3) == 0) {
        problem->frames_are_cut = true;
        problem->frame_count -= seeded_below(seeded, problem->frame_count);
    }
    if (problem->item_count > 0 && seeded_below(seeded, 3) == 0) {
        problem->items_are_cut = true;
        problem->item_count -= seeded_below(seeded, problem->item_count);
    }
    for (uint32_t i = 0; i < problem->frame_count; i++) {
        c->methods[i] = c->frames[i].method_id + 1;
    }
    problem->items = c->items;
    problem->frames = c->frames;
    problem->methods = c->methods;
}

/* So that a failure can be drawn. */
static void describe(const struct case_of *c) {
    cr_log_error("frames%s:", c->problem.frames_are_cut ? ", cut" : "");
    for (uint32_t i = 0; i < c->problem.frame_count; i++) {
        cr_log_error("  %u: method %d, bytecode %d", i, (int)c->methods[i], (int)c->frames[i].bci);
    }
    cr_log_error("items%s:", c->problem.items_are_cut ? ", cut" : "");
    for (uint32_t i = 0; i < c->problem.item_count; i++) {
        cr_log_error("  %u: root %d, known %u%s", i, (int)c->items[i].root, c->items[i].count,
                     c->items[i].is_single ? ", single" : "");
    }
}

static void check_case(const struct case_of *c, const struct tally *tally, bool is_solved,
                       const struct hs_span *spans) {
    bool is_right = is_solved == (tally->cuts > 0);
    for (uint32_t i = 0; is_right && i < c->problem.item_count; i++) {
        bool is_settled = tally->cuts > 0 && !tally->differs[i] && tally->first[i].begin != BEHIND;
        struct hs_span wanted = is_settled ? tally->first[i] : (struct hs_span){0, 0};
        is_right = spans[i].begin == wanted.begin && spans[i].end == wanted.end;
        if (!is_right) {
            cr_log_error("item %u: %u to %u, not %u to %u", i, spans[i].begin, spans[i].end,
                         wanted.begin, wanted.end);
        }
    }
    if (!is_right) {
        describe(c);
    }
    cr_assert(is_right, "%u cuts, %s", tally->cuts, is_solved ? "solved" : "not solved");
}

/* At least this many of each sort, so that a test cannot become empty unseen. */
static void check_many(uint64_t seed, uint32_t rounds, bool is_cut, uint32_t wanted_of_each) {
    struct seeded seeded = {seed};
    uint32_t without = 0;
    uint32_t with_one = 0;
    uint32_t with_many = 0;
    for (uint32_t round = 0; round < rounds; round++) {
        struct case_of c;
        struct hs_span spans[MAX_ITEMS];
        struct tally tally = {0};
        make(&c, &seeded);
        if (c.problem.frames_are_cut != is_cut) {
            continue;
        }
        memset(spans, 0xAA, sizeof spans);
        place(&c, 0, 0, &tally);
        check_case(&c, &tally, hs_align(&scratch, &c.problem, spans), spans);
        without += tally.cuts == 0;
        with_one += tally.cuts == 1;
        with_many += tally.cuts > 1;
    }
    cr_assert(without > wanted_of_each && with_one > wanted_of_each && with_many > wanted_of_each,
              "%u without a cut, %u with one, %u with more", without, with_one, with_many);
}

/* About 213,000 problems. */
Test(align_all, settles_what_all_cuts_agree_on, .timeout = 100) {
    check_many(1, 300000, false, 10000);
}

/* About 87,000, of which more frames would follow. */
Test(align_all, settles_what_all_cuts_agree_on_where_frames_are_missing, .timeout = 100) {
    check_many(2, 300000, true, 1500);
}
