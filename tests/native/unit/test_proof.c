/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <criterion/criterion.h>

#include "hs_proof.h"

static struct hs_proof proof;

static void set_up(void) {
    proof = (struct hs_proof){0};
}

TestSuite(proof, .init = set_up);

Test(proof, is_done_with_32_objects_for_each_word) {
    for (uint32_t i = 1; i <= HS_PROOF_OBJECTS; i++) {
        cr_assert_not(hs_proof_is_done(&proof), "%u", i);
        cr_assert(hs_proof_add(&proof.to, i, 16 * i));
    }
    cr_assert_not(hs_proof_is_done(&proof), "the other word is not proved");
    for (uint32_t i = 1; i <= HS_PROOF_OBJECTS; i++) {
        cr_assert_not(hs_proof_is_done(&proof), "%u", i);
        cr_assert(hs_proof_add(&proof.from, i, 16 * i));
    }
    cr_assert(hs_proof_is_done(&proof));
}

Test(proof, an_object_at_the_same_address_counts_once) {
    for (int i = 0; i < 2 * HS_PROOF_OBJECTS; i++) {
        cr_assert(hs_proof_add(&proof.to, 7, 112));
    }
    cr_assert_eq(proof.to.count, 1);
}

Test(proof, two_objects_at_one_address_are_wrong) {
    cr_assert(hs_proof_add(&proof.to, 7, 112));
    cr_assert_not(hs_proof_add(&proof.to, 8, 112));
    cr_assert_eq(proof.to.count, 1);
}

Test(proof, one_object_at_two_addresses_is_wrong) {
    cr_assert(hs_proof_add(&proof.to, 7, 112));
    cr_assert_not(hs_proof_add(&proof.to, 7, 128));
    cr_assert_eq(proof.to.count, 1);
}

Test(proof, a_later_object_takes_the_slot_of_an_earlier_one) {
    enum { OTHER = 7 + HS_PROOF_SHOWN };
    cr_assert_eq(hs_proof_shown(&proof, 7), 0);
    hs_proof_show(&proof, 7, 112);
    cr_assert_eq(hs_proof_shown(&proof, 7), 112);
    cr_assert_eq(hs_proof_shown(&proof, OTHER), 0);
    hs_proof_show(&proof, OTHER, 128);
    cr_assert_eq(hs_proof_shown(&proof, 7), 0);
    cr_assert_eq(hs_proof_shown(&proof, OTHER), 128);
}
