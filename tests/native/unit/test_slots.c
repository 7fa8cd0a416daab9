/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Slots without the live table: their ownership, and the walker over slots that are broken. */
#include "hs_slots.h"

#include <criterion/criterion.h>

#include "hs_mem.h"

enum { CAPACITY = 6 };

static const struct hs_slot_meta META = {.level = 3, .extra = 2, .charge = 17, .is_full = true};

static struct hs_slot *fill(struct hs_slots *slots, hs_ref ref) {
    struct hs_slot *slot = hs_slots_take(slots);
    cr_assert_not_null(slot);
    slot->ref = ref;
    hs_slot_set_full(slot, META);
    return slot;
}

Test(slots, are_taken_once_and_come_back) {
    struct hs_slots slots;
    size_t before = hs_mem_used();
    cr_assert_eq(hs_slots_init(&slots, CAPACITY), HS_OK);
    for (hs_ref ref = 1; ref <= CAPACITY; ref++) {
        (void)fill(&slots, ref);
        cr_assert(hs_slots_is_valid(&slots));
    }
    cr_assert_null(hs_slots_take(&slots));
    cr_assert_eq(hs_slots_used(&slots), CAPACITY);
    struct hs_slot *slot = &slots.slots[2];
    struct hs_slot_meta meta = hs_slot_try_claim(slot);
    cr_assert(meta.is_full && meta.level == META.level && meta.extra == META.extra &&
              meta.charge == META.charge);
    cr_assert_not(hs_slot_try_claim(slot).is_full, "it is claimed");
    hs_slots_give_back(&slots, slot);
    cr_assert_not(hs_slot_claim(slot).is_full, "it is free");
    cr_assert(hs_slots_is_valid(&slots));
    cr_assert_eq(fill(&slots, 9), slot);
    cr_assert_null(hs_slots_take(&slots));
    hs_slots_destroy(&slots);
    cr_assert_eq(hs_mem_used(), before);
}

Test(slots, none_are_valid_and_never_given) {
    struct hs_slots slots;
    cr_assert_eq(hs_slots_init(&slots, 0), HS_OK);
    cr_assert_null(hs_slots_take(&slots));
    cr_assert(hs_slots_is_valid(&slots));
    hs_slots_destroy(&slots);
}

/* Three full ones, two free ones on the list, one never used. */
static void begin(struct hs_slots *slots) {
    cr_assert_eq(hs_slots_init(slots, CAPACITY), HS_OK);
    for (hs_ref ref = 1; ref <= 5; ref++) {
        (void)fill(slots, ref);
    }
    for (int i = 1; i < 5; i += 2) {
        cr_assert(hs_slot_claim(&slots->slots[i]).is_full);
        hs_slots_give_back(slots, &slots->slots[i]);
    }
    cr_assert(hs_slots_is_valid(slots));
}

static void lose_reference(struct hs_slots *slots) {
    slots->slots[0].ref = 0;
}

static void keep_reference(struct hs_slots *slots) {
    slots->slots[1].ref = 1;
}

static void miscount(struct hs_slots *slots) {
    slots->count++;
}

static void leave_busy(struct hs_slots *slots) {
    (void)hs_slot_claim(&slots->slots[0]);
}

static void lose_free_one(struct hs_slots *slots) {
    slots->slots[3].next = UINT32_MAX;
}

static void make_ring(struct hs_slots *slots) {
    slots->slots[1].next = 3;
}

static void list_full_one(struct hs_slots *slots) {
    slots->slots[1].next = 0;
}

static void list_what_was_never_used(struct hs_slots *slots) {
    slots->slots[1].next = CAPACITY - 1;
}

static void list_what_is_none(struct hs_slots *slots) {
    slots->slots[1].next = CAPACITY;
}

static void fill_what_was_never_used(struct hs_slots *slots) {
    slots->slots[CAPACITY - 1].ref = 1;
    slots->slots[CAPACITY - 1].state = slots->slots[0].state;
    slots->count++;
}

Test(slots, the_walker_finds_what_is_broken) {
    static void (*const BREAK[])(struct hs_slots *) = {lose_reference,    keep_reference,
                                                       miscount,          leave_busy,
                                                       lose_free_one,     make_ring,
                                                       list_full_one,     list_what_was_never_used,
                                                       list_what_is_none, fill_what_was_never_used};
    for (size_t i = 0; i < sizeof BREAK / sizeof BREAK[0]; i++) {
        struct hs_slots slots;
        begin(&slots);
        BREAK[i](&slots);
        cr_assert_not(hs_slots_is_valid(&slots), "%zu", i);
        hs_slots_destroy(&slots);
    }
}
