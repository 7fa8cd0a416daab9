/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <criterion/criterion.h>
#include <string.h>

#include "hs_slices.h"

/* `NEW` more: an element that takes the place of another one. */
enum { MOST = 1000, ARRAY = 7, PLACES = 400000, NEW = PLACES + 1 };

static int elements[PLACES]; /* 0: null */
static int64_t length;
static int sought;
static uint32_t looked;

static bool look(void *context, int64_t index) {
    (void)context;
    cr_assert_geq(index, 0);
    cr_assert_lt(index, length);
    looked++;
    return elements[index] == sought;
}

static int64_t find(struct hs_slices_search *search, int64_t index, int element) {
    sought = element;
    return hs_slices_find(search, index, length, look, NULL);
}

static bool was_read[PLACES + 1]; /* by element */
static uint32_t slices_read;
static void (*between)(void);     /* after a slice was read, before it is looked for again */
static void (*before_next)(void); /* after that */

static void fill(int64_t count, int64_t first, int64_t after) {
    length = count;
    between = NULL;
    before_next = NULL;
    memset(was_read, 0, sizeof was_read);
    for (int64_t i = 0; i < count; i++) {
        elements[i] = i >= first && i < after ? (int)i + 1 : 0;
    }
}

/* As the application does: those from `at` on move by this many places; what moves out of the array is gone. */
static void move(int64_t at, int64_t by) {
    static int before[PLACES];
    for (int64_t i = 0; i < length; i++) {
        before[i] = elements[i];
    }
    for (int64_t i = at; i < length; i++) {
        int64_t from = i - by;
        elements[i] = from >= at && from < length ? before[from] : 0;
    }
}

/* ---- where an element is ---- */

Test(slices, an_element_is_found_where_it_was_or_near) {
    struct hs_slices_search search = {0};
    fill(5000, 0, 5000);
    cr_assert_eq(find(&search, 4000, 4001), 4000);
    cr_assert_eq(looked, 1);
    move(0, -HS_SLICES_SHIFT);
    cr_assert_eq(find(&search, 4000, 4001), 4000 - HS_SLICES_SHIFT);
    looked = 0;
    cr_assert_eq(find(&search, 3000, 3001), 3000 - HS_SLICES_SHIFT);
    cr_assert_eq(looked, 1, "as far as the one before");
    move(0, 1);
    cr_assert_eq(find(&search, 3000, 3001), 3001 - HS_SLICES_SHIFT);
    cr_assert_eq(find(&search, 100, 101), -1, "it is gone");
    cr_assert_eq(search.shift, 1 - HS_SLICES_SHIFT);
    cr_assert_eq(find(&search, 3000, 3001), 3001 - HS_SLICES_SHIFT);
}

/* Each of these is found, but far away from where the one before was. */
Test(slices, all_looks_of_a_pass_are_counted) {
    struct hs_slices_search search = {0};
    fill(5000, 0, 5000);
    for (int64_t i = 0; i < 200; i++) {
        (void)find(&search, i % 2 == 0 ? 2000 : 2900, 2451);
    }
    cr_assert_leq(looked, HS_SLICES_LOOKS + 200, "%u", looked);
    cr_assert_gt(looked, HS_SLICES_LOOKS / 2, "%u", looked);
    int64_t now = 2000 + search.shift;
    cr_assert_eq(find(&search, 2000, (int)now + 1), now, "one look is always left");
}

Test(slices, no_index_is_too_large) {
    struct hs_slices_search search = {0};
    length = INT32_MAX;
    sought = 1;
    looked = 0;
    search.looks = HS_SLICES_LOOKS;
    cr_assert_eq(hs_slices_find(&search, INT32_MAX, length, look, NULL), -1);
    cr_assert_eq(looked, 0, "beyond the array");
    cr_assert_eq(hs_slices_most(INT32_MAX - 1, length), INT32_MAX);
    cr_assert_eq(hs_slices_most(0, length), HS_SLICES_READ);
}

/* ---- slices of a whole array ---- */

/* As hs_vm_passes.c does. Returns false where there are more slices than hs_slices_next says. */
static bool read_all(void) {
    struct hs_slices slices = {0};
    int64_t next = 0;
    for (slices_read = 0; slices_read <= 2 * length / MOST + 1; slices_read++) {
        struct hs_slices_search search = {0};
        if (slices.array == ARRAY) {
            int64_t place = slices.index < 0 ? -1 : find(&search, slices.index, (int)slices.tag);
            next = hs_slices_next(&slices, place, MOST);
        }
        static int64_t indexes[MOST];
        static int read[MOST];
        int count = 0;
        int64_t at = next;
        int64_t end = hs_slices_most(at, length);
        for (; at < end && count < MOST; at++) {
            if (elements[at] != 0) {
                was_read[elements[at] % NEW] = true;
                indexes[count] = at;
                read[count++] = elements[at];
            }
        }
        if (at >= length) {
            return true;
        }
        hs_slices_read(&slices, ARRAY, next, at);
        if (between != NULL) {
            between();
        }
        search.shift = 0;
        for (int i = 0; i < count; i++) {
            hs_slices_see(&slices, indexes[i], find(&search, indexes[i], read[i]), read[i]);
        }
        if (before_next != NULL) {
            before_next();
        }
    }
    return false;
}

/* From this element on, all are read. */
static void check_read(int first, int last) {
    for (int i = first; i <= last; i++) {
        cr_assert(was_read[i], "%d", i);
    }
}

Test(slices, a_long_run_of_nulls_is_read_once) {
    fill(300000, 0, 1000);
    cr_assert(read_all());
    check_read(1, 1000);
    cr_assert_leq(slices_read, 1 + 300000 / HS_SLICES_READ + 1, "%u", slices_read);
    fill(300000, 299000, 300000);
    cr_assert(read_all());
    check_read(299001, 300000);
    fill(300000, 0, 0);
    cr_assert(read_all());
    elements[0] = 1; /* fewer than a slice has, and then nulls */
    elements[299999] = 300000;
    cr_assert(read_all());
    cr_assert(was_read[300000]);
}

static void remove_all_read(void) {
    for (int64_t i = 0; i < length; i++) {
        elements[i] = was_read[elements[i] % NEW] ? 0 : elements[i];
    }
}

Test(slices, there_is_an_end_without_survivors) {
    fill(50000, 0, 50000);
    between = remove_all_read;
    cr_assert(read_all());
    check_read(1, 50000);
    cr_assert_leq(slices_read, 2 * 50000 / MOST, "%u", slices_read);
}

static void replace_all(void) {
    for (int64_t i = 0; i < length; i++) {
        elements[i] += NEW;
    }
}

Test(slices, there_is_an_end_where_nothing_stays) {
    fill(50000, 0, 50000);
    between = replace_all;
    cr_assert(read_all());
    check_read(1, 50000);
}

/* All but the first of a slice. */
static void remove_most_read(void) {
    bool is_first = true;
    for (int64_t i = 0; i < length; i++) {
        bool is_read = elements[i] != 0 && was_read[elements[i] % NEW];
        elements[i] = is_read && !is_first ? 0 : elements[i];
        is_first = is_first && !is_read;
    }
}

Test(slices, there_is_an_end_with_few_survivors) {
    fill(50000, 0, 50000);
    between = remove_most_read;
    cr_assert(read_all());
    check_read(1, 50000);
}

static void move_far(void) {
    move(0, 2 * HS_SLICES_SHIFT);
}

static void move_far_back(void) {
    move(0, -2 * HS_SLICES_SHIFT);
}

Test(slices, there_is_an_end_where_all_moves_far) {
    fill(50000, 0, 50000);
    between = move_far;
    cr_assert(read_all());
    fill(50000, 0, 50000);
    between = move_far_back;
    cr_assert(read_all());
}

static void move_back(void) {
    move(0, -300);
}

static void move_on(void) {
    move(0, 300);
}

/* Of a queue. Those that are removed before they are read are the first ones only. */
Test(slices, no_element_is_left_out_where_all_move_back) {
    fill(50000, 0, 50000);
    between = move_back;
    cr_assert(read_all());
    check_read(1, 50000);
    fill(50000, 0, 50000);
    before_next = move_back;
    cr_assert(read_all());
    check_read(1, 50000);
}

Test(slices, no_element_is_left_out_where_all_move_on) {
    fill(50000, 0, 20000);
    between = move_on;
    cr_assert(read_all());
    check_read(1, 20000);
}

/* Those in the middle of a slice and at its end go, and those after them take their places. */
static void remove_last_read(void) {
    int64_t last = 0;
    for (int64_t i = 0; i < length; i++) {
        last = elements[i] != 0 && was_read[elements[i] % NEW] ? i : last;
    }
    int64_t at = last > 200 ? last - 200 : 0;
    for (int64_t i = at; i < length; i++) {
        elements[i] = i + last - at + 1 < length ? elements[i + last - at + 1] : 0;
    }
}

Test(slices, no_element_is_left_out_where_the_last_ones_go) {
    fill(50000, 0, 50000);
    between = remove_last_read;
    cr_assert(read_all());
    check_read(1, 50000);
}
