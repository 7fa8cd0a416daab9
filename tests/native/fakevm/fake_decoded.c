/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Lives with runs that the library finds in the debug information of code: those of price, into which steps are
 * inlined. */
#include "fake_life.h"
#include "hs_sampler_parts.h"
#include "hs_vm.h"

enum { MET = 4, NOT_MET = 9, MOST = 12 };

static struct hs_lookup *lookup(void) {
    return &hs_vm_sampler()->intake.lookup;
}

static uint64_t counted(enum hs_lookup_count what) {
    return hs_lookup_counted(lookup(), what);
}

/* Of main, which is interpreted. */
static jlocation main_bci = 10;

static void sample_in(const struct fake_frame *frames, uint32_t count) {
    static struct fake_frame all[MOST + 1];
    memcpy(all, frames, count * sizeof *frames);
    all[count] = (struct fake_frame){IS_MAIN, main_bci};
    fake_set_stack(all, count + 1);
    life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
}

/* At a place of price, the methods of which are these two steps. */
static void sample_place(jlocation place, uint32_t first, uint32_t second) {
    const struct fake_frame frames[] = {
        {IS_STEP + first, place + 1}, {IS_STEP + second, 5}, {IS_PRICE, place}};
    sample_in(frames, 3);
}

static void describe_place(jlocation place, uint32_t first, uint32_t second, jlocation off) {
    const struct fake_frame frames[] = {
        {IS_STEP + first, place + 1}, {IS_STEP + second, 5 + off}, {IS_PRICE, place}};
    fake_describe_price(place, frames, 3);
}

/* The ids of main, price and the first steps are known from stacks that the VM was requested for. */
static jint begin(void) {
    life.is_whole = true;
    life.feature = 21;
    life_load();
    life_configure();
    lookup()->layout.scopes = fake_scopes_layout();
    fake_point_to_bytecodes();
    jint all = life_open(false);
    for (uint32_t i = 0; i < MET; i++) {
        const struct fake_frame frames[] = {{IS_STEP + i, 2}, {IS_PRICE, 0}};
        sample_in(frames, 2);
    }
    fake_inline_steps();
    return all;
}

static void end(jint all) {
    life_control("close", all);
    life_unload();
}

static void check_decoded(uint64_t requested, uint64_t composed, const char *what) {
    cr_assert_eq(counted(HS_LOOKUP_ASKED), requested, "%s: %lu", what,
                 (unsigned long)counted(HS_LOOKUP_ASKED));
    cr_assert_eq(counted(HS_LOOKUP_COMPOSED), composed, "%s: %lu", what,
                 (unsigned long)counted(HS_LOOKUP_COMPOSED));
    cr_assert_eq(counted(HS_LOOKUP_MISMATCHES), 0, "%s", what);
    cr_assert(hs_lookup_is_on(lookup()), "%s", what);
}

static bool count_frame(void *context, struct hs_frame_id *frame) {
    ++*(uint32_t *)context;
    return frame->number != 0;
}

/* Of the runs that the next table of learned stacks would begin with. */
static uint32_t frames_in_use(void) {
    uint32_t count = 0;
    struct hs_kept_runs *kept =
        hs_stack_cache_keep(atomic_load(&hs_vm_sampler()->liveness.store->stack_cache));
    if (kept != NULL) {
        hs_kept_runs_renumber(kept, count_frame, &count);
    }
    hs_kept_runs_free(kept);
    return count;
}

/* The sample that a run is decoded in does not count: code that runs once is not handed on. */
static void used_life(void) {
    jint all = begin();
    uint32_t before = frames_in_use();
    describe_place(20, 0, 1, 0);
    sample_place(20, 0, 1);
    cr_assert_eq(frames_in_use(), before, "%u, %u", frames_in_use(), before);
    sample_place(20, 0, 1);
    cr_assert_eq(frames_in_use(), before + 3, "%u, %u", frames_in_use(), before);
    end(all);
}

void fake_decoded_use_life(void) {
    fake_run(used_life);
    life_check_all_is_back(0);
}

static void decoded_life(void) {
    jint all = begin();
    uint64_t requested = counted(HS_LOOKUP_ASKED);
    uint64_t composed = counted(HS_LOOKUP_COMPOSED);
    bool has_fault = fake_plan->function[0] != 0;
    describe_place(20, 0, 1, 0);
    describe_place(21, 2, 3, 0);
    describe_place(22, NOT_MET, 0, 0);
    describe_place(23, NOT_MET, 1, 0);
    fake_plan->is_armed = has_fault;
    sample_place(20, 0, 1);
    sample_place(21, 2, 3);
    if (!has_fault) {
        check_decoded(requested, composed + 2, "known methods");
        cr_assert_geq(counted(HS_LOOKUP_VERIFIED), 2);
    }
    sample_place(22, NOT_MET, 0);
    sample_place(23, NOT_MET, 1);
    sample_place(24, 1, 2);
    if (!has_fault) {
        check_decoded(requested + 2, composed + 3,
                      "one unknown method, and a place that is not described");
    }
    fake_plan->is_armed = false;
    sample_place(20, 0, 1);
    sample_place(21, 2, 3);
    cr_assert_eq(counted(HS_LOOKUP_MISMATCHES), 0);
    end(all);
}

/* As of methods that were replaced while they run. */
static void replaced_life(void) {
    jint all = begin();
    uint64_t requested = counted(HS_LOOKUP_ASKED);
    uint64_t composed = counted(HS_LOOKUP_COMPOSED);
    describe_place(20, 0, 1, 0);
    fake_redefine(true);
    sample_place(20, 0, 1);
    check_decoded(requested + 1, composed, "a replaced method");
    fake_redefine(false);
    end(all);
}

/* A method that was read already moves while the next one is queried: its id has led to the Method of the scope,
 * and does so no more. */
static void moved_life(void) {
    jint all = begin();
    uint64_t requested = counted(HS_LOOKUP_ASKED);
    uint64_t composed = counted(HS_LOOKUP_COMPOSED);
    describe_place(20, 0, 1, 0);
    fake_redefine_amid(IS_STEP + 1);
    sample_place(20, 0, 1);
    fake_redefine_amid(METHODS);
    check_decoded(requested + 1, composed, "a method that moved meanwhile");
    end(all);
}

void fake_moved_life(void) {
    fake_run(moved_life);
    life_check_all_is_back(0);
}

/* As the sweeper does, but nothing is handed on. */
static void forget_runs(void) {
    struct hs_sampler *sampler = hs_vm_sampler();
    hs_sampler_lock(sampler);
    hs_stack_cache_discard(atomic_load(&sampler->liveness.store->stack_cache));
    hs_sampler_renew_stack_cache(sampler);
    hs_sampler_leave(sampler);
}

/* Interpreted frames, native wrappers. Each hit is compared. */
static void all_kinds_life(void) {
    jint all = begin();
    const struct fake_frame native[] = {
        {IS_NATIVE, -1}, {IS_STEP, 21}, {IS_STEP + 1, 5}, {IS_PRICE, 20}};
    uint64_t requested = counted(HS_LOOKUP_ASKED);
    uint64_t composed = counted(HS_LOOKUP_COMPOSED);
    lookup()->verifies_all = true;
    describe_place(20, 0, 1, 0);
    main_bci++;
    sample_place(20, 0, 1);
    check_decoded(requested, composed + 1, "interpreted");
    main_bci = 60; /* behind its bytecodes */
    sample_place(20, 0, 1);
    check_decoded(requested + 1, composed + 1, "interpreted, but nowhere");
    main_bci = 10;
    sample_in(native, 4);
    check_decoded(requested + 2, composed + 1, "the id of a native method is not known");
    forget_runs();
    sample_in(native, 4);
    check_decoded(requested + 2, composed + 2, "native");
    end(all);
}

void fake_all_kinds_life(void) {
    fake_run(all_kinds_life);
    life_check_all_is_back(0);
}

/* Nine frames say that there are more than eight. What lies below them need not be known. */
static void cut_life(void) {
    jint all = begin();
    const struct fake_frame frames[] = {
        {IS_STEP, 21}, {IS_STEP + 1, 5}, {IS_PRICE, 20}, {IS_PRICE, 0}, {IS_PRICE, 0},
        {IS_PRICE, 0}, {IS_PRICE, 0},    {IS_PRICE, 0},  {IS_PRICE, 0}, {IS_PRICE, 24}};
    uint64_t requested = counted(HS_LOOKUP_ASKED);
    uint64_t composed = counted(HS_LOOKUP_COMPOSED);
    describe_place(20, 0, 1, 0);
    sample_in(frames, sizeof frames / sizeof frames[0]);
    check_decoded(requested, composed + 1, "beyond the depth");
    end(all);
}

void fake_decoded_cut_life(void) {
    fake_run(cut_life);
    life_check_all_is_back(0);
}

/* n = 1,600 hits with new runs, of which one in 16 is compared: 100 expected, deviation 10. If they were compared as all
 * others are, 2 would be. Bounds at 6 deviations, false alarm 2e-9. The seed is that of the thread. */
static void compared_life(void) {
    enum { HITS = 1600, EXPECTED = HITS / HS_LOOKUP_DECODED_EVERY, TOLERANCE = 60 };
    jint all = begin();
    describe_place(20, 0, 1, 0);
    atomic_store(&lookup()->agreed, HS_LOOKUP_PROBATION);
    atomic_store(&lookup()->checked_first, HS_LOOKUP_CHECKED_FIRST);
    uint64_t composed = counted(HS_LOOKUP_COMPOSED);
    uint64_t verified = counted(HS_LOOKUP_VERIFIED);
    for (int i = 0; i < HITS; i++) {
        forget_runs();
        sample_place(20, 0, 1);
    }
    cr_assert_eq(counted(HS_LOOKUP_COMPOSED), composed + HITS);
    verified = counted(HS_LOOKUP_VERIFIED) - verified;
    cr_assert_float_eq((double)verified, EXPECTED, TOLERANCE, "%u", (unsigned)verified);
    end(all);
}

void fake_compared_life(void) {
    fake_run(compared_life);
    life_check_all_is_back(0);
}

void fake_decoded_life(void) {
    fake_run(decoded_life);
    life_check_all_is_back(0);
}

void fake_replaced_life(void) {
    fake_run(replaced_life);
    life_check_all_is_back(0);
}

static void wrongly_decoded_life(void) {
    jint all = begin();
    describe_place(20, 0, 1, 1);
    sample_place(20, 0, 1);
    cr_assert_eq(counted(HS_LOOKUP_MISMATCHES), 1);
    cr_assert_not(hs_lookup_is_on(lookup()));
    end(all);
}

void fake_wrongly_decoded_life(void) {
    fake_run(wrongly_decoded_life);
    life_check_all_is_back(0);
}
