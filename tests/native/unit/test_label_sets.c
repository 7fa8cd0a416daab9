/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_label_sets.h"

#include "hs_check.h"
#include "hs_mem.h"
#include "labelled.h"
#include "tier.h"

static size_t used_before;

static void set_up(void) {
    fake_reset();
    memset(&labelled_phaser, 0, sizeof labelled_phaser);
    used_before = hs_mem_used();
}

static void tear_down(void) {
    cr_assert_eq(hs_label_sets_count(), 0);
    cr_assert_eq(hs_mem_used(), used_before);
}

TestSuite(label_sets, .init = set_up, .fini = tear_down);

/* As many bytes as the literal has, without its own end. */
#define BYTES(literal) (literal), (uint32_t)(sizeof(literal) - 1)

Test(label_sets, are_keys_and_values_in_order) {
    static const struct {
        const char *bytes;
        uint32_t count;
        bool is_valid;
    } CASES[] = {
        {BYTES("a\0b\0"), true},
        {BYTES("a\0b\0c\0d\0"), true},
        {BYTES("route\0/o\0tenant\0acme\0"), true},
        {BYTES("\xc3\xa4\0\xe2\x82\xac\0"), true},
        {BYTES("z\0b\0\xc3\xa4\0d\0"), true}, /* unsigned bytes */
        {BYTES("\xc3\xa4\0d\0z\0b\0"), false},
        {BYTES(""), false},
        {BYTES("\0"), false},
        {BYTES("\0\0"), false},
        {BYTES("a\0\0"), false},
        {BYTES("\0b\0"), false},
        {BYTES("a\0b"), false},
        {BYTES("a"), false},
        {BYTES("a\0"), false},
        {BYTES("a\0b\0c\0"), false},
        {BYTES("a\0b\0c\0d"), false},
        {BYTES("a\0b\0a\0c\0"), false}, /* twice */
        {BYTES("c\0b\0a\0c\0"), false},
        {BYTES("a\0b\nc\0"), false},
        {BYTES("a\177\0b\0"), false},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        cr_assert_eq(hs_label_bytes_are_valid(CASES[i].bytes, CASES[i].count), CASES[i].is_valid,
                     "case %zu", i);
    }
}

/* One set of `labels` labels with keys and values of these lengths. */
static uint32_t make_long(char *bytes, uint32_t labels, uint32_t key, uint32_t value) {
    char *to = bytes;
    for (uint32_t i = 0; i < labels; i++) {
        memset(to, 'a' + (int)i, key);
        memset(to + key + 1, 'v', value);
        to[key] = to[key + 1 + value] = '\0';
        to += key + value + 2;
    }
    return (uint32_t)(to - bytes);
}

Test(label_sets, have_a_largest_size) {
    static char bytes[2 * HS_MAX_LABEL_SET];
    uint32_t count = make_long(bytes, HS_MAX_LABELS_OF_SET, HS_MAX_LABEL_KEY, HS_MAX_LABEL_VALUE);
    cr_assert_eq(count, (uint32_t)HS_MAX_LABEL_SET);
    cr_assert(hs_label_bytes_are_valid(bytes, count));
    cr_assert_not(hs_label_bytes_are_valid(bytes, make_long(bytes, 17, 1, 1)));
    cr_assert_not(hs_label_bytes_are_valid(bytes, make_long(bytes, 1, HS_MAX_LABEL_KEY + 1, 1)));
    cr_assert_not(hs_label_bytes_are_valid(bytes, make_long(bytes, 1, 1, HS_MAX_LABEL_VALUE + 1)));
}

Test(label_sets, is_found_by_its_word_until_it_is_removed) {
    uint64_t first = labelled_add(1);
    uint64_t second = labelled_add(2);
    cr_assert(labelled_is(hs_label_sets_find(first), 1));
    cr_assert(labelled_is(hs_label_sets_find(second), 2));
    cr_assert_eq(hs_label_sets_count(), 2);
    cr_assert_eq(hs_label_sets_remove(&labelled_phaser, first), 1, "its owner is the caller's");
    cr_assert_null(hs_label_sets_find(first));
    cr_assert(labelled_is(hs_label_sets_find(second), 2));
    cr_assert_eq(hs_label_sets_remove(&labelled_phaser, first), 0, "there is none any more");
    cr_assert_eq(hs_label_sets_remove(&labelled_phaser, second), 1);
}

Test(label_sets, the_other_set_is_always_there) {
    const struct hs_label_set *other = hs_label_sets_find(HS_LABELS_OTHER);
    cr_assert_not_null(other);
    cr_assert_eq(other->bytes, 1);
    cr_assert_eq(other->text[0], '\0');
    cr_assert_eq(hs_label_sets_remove(&labelled_phaser, HS_LABELS_OTHER), 0);
    cr_assert_eq(hs_label_sets_find(HS_LABELS_OTHER), other);
    cr_assert_null(hs_label_sets_find(HS_LABELS_NONE));
    cr_assert_null(hs_label_sets_find(HS_LABELS_OTHER | UINT64_C(1) << 12), "no such serial");
}

Test(label_sets, refuses_what_is_no_set_and_has_then_taken_nothing) {
    uint64_t word = 77;
    cr_assert_eq(hs_label_sets_add(&labelled_phaser, "a", 1, 1, &word), HS_INVALID);
    cr_assert_eq(word, 0);
    cr_assert_eq(hs_label_sets_add(&labelled_phaser, "", 0, 1, &word), HS_INVALID);
}

/* A slot that is used again has another word each time. */
Test(label_sets, an_old_word_never_finds_another_set) {
    enum { ROUNDS = 5000 };
    static uint64_t words[ROUNDS];
    for (uint32_t i = 0; i < ROUNDS; i++) {
        words[i] = labelled_add(i);
        for (uint32_t j = i < 100 ? 0 : i - 100; j < i; j++) {
            cr_assert_null(hs_label_sets_find(words[j]));
        }
        cr_assert(labelled_is(hs_label_sets_find(words[i]), i));
        (void)hs_label_sets_remove(&labelled_phaser, words[i]);
    }
    for (uint32_t i = 0; i < ROUNDS; i++) {
        cr_assert_null(hs_label_sets_find(words[i]));
    }
}

/* After 2^40 uses of a slot. */
Test(label_sets, a_word_has_52_bits_however_often_its_slot_was_used) {
    uint64_t last = 0;
    hs_label_sets_age((UINT64_C(1) << 40) - 3);
    for (uint32_t i = 0; i < 6; i++) {
        uint64_t word = labelled_add(i);
        cr_assert_lt(word, UINT64_C(1) << 52);
        cr_assert_geq(word, UINT64_C(1) << 12, "its slot was used at least once");
        cr_assert_neq(word, last);
        cr_assert(labelled_is(hs_label_sets_find(word), i));
        (void)hs_label_sets_remove(&labelled_phaser, word);
        last = word;
    }
    cr_assert_eq(last >> 12, 4, "it began anew");
}

Test(label_sets, a_full_table_takes_sets_again_when_some_are_removed) {
    static uint64_t words[HS_MAX_LABEL_SETS];
    for (uint32_t i = 0; i < HS_MAX_LABEL_SETS; i++) {
        words[i] = labelled_add(i);
        cr_assert_neq(words[i], 0, "set %u", i);
    }
    size_t used = hs_mem_used();
    for (uint32_t i = 0; i < 100; i++) {
        cr_assert_eq(labelled_add(5000 + i), 0, "it is full");
    }
    cr_assert_eq(hs_mem_used(), used, "what finds no room leaves nothing");
    for (uint32_t i = 0; i < HS_MAX_LABEL_SETS; i += 2) {
        (void)hs_label_sets_remove(&labelled_phaser, words[i]);
        words[i] = 0;
    }
    for (uint32_t i = 0; i < HS_MAX_LABEL_SETS; i += 2) {
        words[i] = labelled_add(10000 + i);
        cr_assert_neq(words[i], 0);
    }
    cr_assert_eq(labelled_add(1), 0, "and full again");
    for (uint32_t i = 0; i < HS_MAX_LABEL_SETS; i++) {
        cr_assert(labelled_is(hs_label_sets_find(words[i]), i % 2 == 0 ? 10000 + i : i));
        (void)hs_label_sets_remove(&labelled_phaser, words[i]);
    }
}

Test(label_sets, long_sets_find_room_for_some_megabytes) {
    static char bytes[HS_MAX_LABEL_SET];
    static uint64_t words[HS_MAX_LABEL_SETS];
    uint32_t count = make_long(bytes, HS_MAX_LABELS_OF_SET, HS_MAX_LABEL_KEY, HS_MAX_LABEL_VALUE);
    uint32_t added = 0;
    while (hs_label_sets_add(&labelled_phaser, bytes, count, 1, &words[added]) == HS_OK) {
        added++;
    }
    cr_assert_eq(added, HS_MAX_LABEL_BYTES / count);
    (void)hs_label_sets_remove(&labelled_phaser, words[--added]);
    cr_assert_eq(hs_label_sets_add(&labelled_phaser, bytes, count, 1, &words[added++]), HS_OK);
    while (added > 0) {
        (void)hs_label_sets_remove(&labelled_phaser, words[--added]);
    }
}

/* A callback that entered before the removal reads the set until it leaves. */
Test(label_sets, a_removed_set_stays_until_callbacks_have_left) {
    uint64_t word = labelled_add(1);
    uint32_t token = hs_phaser_enter(&labelled_phaser, 3);
    const struct hs_label_set *seen = hs_label_sets_find(word);
    size_t used = hs_mem_used();
    (void)hs_label_sets_remove(&labelled_phaser, word);
    cr_assert_null(hs_label_sets_find(word));
    cr_assert_geq(hs_mem_used(), used);
    cr_assert(labelled_is(seen, 1));
    uint64_t next = labelled_add(2);
    cr_assert(labelled_is(seen, 1), "its memory is not used again");
    hs_phaser_exit(&labelled_phaser, token);
    (void)hs_label_sets_remove(&labelled_phaser, next);
}

/* As with a debugger. Removed sets count until then, so memory is bounded; then all is as before. */
Test(label_sets, a_callback_that_stays_fills_the_table_and_no_more) {
    uint32_t token = hs_phaser_enter(&labelled_phaser, 0);
    uint32_t added = 0;
    for (uint64_t word; added < 2 * HS_MAX_LABEL_SETS && (word = labelled_add(added)) != 0;
         added++) {
        (void)hs_label_sets_remove(&labelled_phaser, word);
    }
    cr_assert_eq(added, (uint32_t)HS_MAX_LABEL_SETS);
    cr_assert_eq(labelled_add(1), 0);
    hs_phaser_exit(&labelled_phaser, token);
    uint64_t word = labelled_add(2);
    cr_assert_neq(word, 0);
    (void)hs_label_sets_remove(&labelled_phaser, word);
}

/* Weeks of a service that makes sets without end and loses them. */
Test(label_sets, a_million_sets_one_after_the_other_take_no_memory) {
    enum { AT_A_TIME = 64 };
    const uint32_t sets = tier_is_long() ? 10000000 : 1000000;
    static uint64_t words[AT_A_TIME];
    size_t most = 0;
    for (uint32_t i = 0; i < sets; i++) {
        uint64_t *word = &words[i % AT_A_TIME];
        if (*word != 0) {
            (void)hs_label_sets_remove(&labelled_phaser, *word);
        }
        *word = labelled_add(i);
        HS_CHECK(*word != 0);
        most = hs_mem_used() > most ? hs_mem_used() : most;
    }
    cr_assert_lt(most - used_before, AT_A_TIME * 200);
    for (uint32_t i = 0; i < AT_A_TIME; i++) {
        (void)hs_label_sets_remove(&labelled_phaser, words[i]);
    }
}

/* A copy of the Java classes is collected, and with it all that could remove its sets. */
Test(label_sets, sets_of_collected_owners_are_removed) {
    uint64_t words[20];
    hs_ref owners[20];
    for (uint32_t i = 0; i < 20; i++) {
        char bytes[LABELLED_BYTES];
        uint32_t count = labelled_bytes(i, bytes);
        owners[i] = fake_ref();
        cr_assert_eq(hs_label_sets_add(&labelled_phaser, bytes, count, owners[i], &words[i]),
                     HS_OK);
        if (i % 3 == 0) {
            fake_clear(owners[i]);
        }
    }
    hs_label_sets_remove_orphans(&labelled_phaser, &FAKE_OPS, FAKE_ENV);
    for (uint32_t i = 0; i < 20; i++) {
        cr_assert_eq(hs_label_sets_find(words[i]) == NULL, i % 3 == 0);
        hs_ref owner = hs_label_sets_remove(&labelled_phaser, words[i]);
        cr_assert_eq(owner, i % 3 == 0 ? 0 : owners[i]);
        if (owner != 0) {
            fake_release(FAKE_ENV, owner);
        }
    }
    cr_assert_eq(fake_outstanding(), 0);
}

/* ---- while orphans are searched, the VM is called without the lock: other threads may add and remove meanwhile ---- */

static uint64_t words_of_owners[2];
static uint64_t word_meanwhile;

static uint64_t add_for(uint32_t tenant, hs_ref owner) {
    char bytes[LABELLED_BYTES];
    uint64_t word;
    uint32_t count = labelled_bytes(tenant, bytes);
    cr_assert_eq(hs_label_sets_add(&labelled_phaser, bytes, count, owner, &word), HS_OK);
    return word;
}

static bool meddle(void *env, hs_ref owner) {
    if (word_meanwhile == 0) {
        /* Both sets go, one of a living owner and one of a collected one; and another takes a slot. */
        cr_assert_eq(hs_label_sets_remove(&labelled_phaser, words_of_owners[0]), 0);
        cr_assert_eq(hs_label_sets_remove(&labelled_phaser, words_of_owners[1]), 0);
        word_meanwhile = add_for(7, fake_ref());
        /* A second search checks the new owner alone. */
        hs_label_sets_remove_orphans(&labelled_phaser, &FAKE_OPS, env);
    }
    return FAKE_OPS.is_cleared(env, owner);
}

Test(label_sets, sets_that_are_removed_while_orphans_are_searched_lose_their_owners_once) {
    struct hs_ops meddling = FAKE_OPS;
    hs_ref owner = fake_ref();
    hs_ref collected = fake_ref();
    meddling.is_cleared = meddle;
    words_of_owners[0] = add_for(0, owner);
    words_of_owners[1] = add_for(1, collected);
    fake_clear(collected);
    hs_label_sets_remove_orphans(&labelled_phaser, &meddling, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 1, "each owner but that of the new set was released");
    cr_assert(labelled_is(hs_label_sets_find(word_meanwhile), 7));
    fake_release(FAKE_ENV, hs_label_sets_remove(&labelled_phaser, word_meanwhile));
}
