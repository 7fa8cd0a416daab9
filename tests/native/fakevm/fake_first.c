/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What a stack costs when it is met for the first time: calls of JNI and JVMTI within one sample. */
#include <stdio.h>

#include "fake_life.h"
#include "hs_vm.h"

/* For a stack of FAKE_STEPS frames of new methods, of FAKE_STEP_CLASSES new classes. */
enum { CALLS_ON_17 = 200, CALLS_ON_25 = 150 };

/* Of one sample: the stack, three times at most, and its thread, class and weak reference. */
enum { CALLS_BESIDE = 8 };

/* With what is given back: name and descriptor of a method; class and file. */
enum { CALLS_FOR_NAMES = 3, CALLS_FOR_CLASS = 6 };

static uint32_t calls_of(const char *function) {
    for (int i = 0; i < FAKE_MAX_FUNCTIONS; i++) {
        if (strcmp(fake_plan->functions[i].name, function) == 0) {
            return fake_plan->functions[i].called;
        }
    }
    return 0;
}

/* The calls of a sample on a stack of FAKE_STEPS frames, each at this bytecode. */
static uint64_t calls_in(jlocation bci) {
    static struct fake_frame frames[FAKE_STEPS];
    for (uint32_t i = 0; i < FAKE_STEPS; i++) {
        frames[i] = (struct fake_frame){IS_STEP + i, bci};
    }
    fake_set_stack(frames, FAKE_STEPS);
    uint64_t before = fake_plan->calls;
    life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
    return fake_plan->calls - before;
}

/* price has more lines than are kept: only these are requested again. */
static void check_long_table(void) {
    static const struct fake_frame FIRST[] = {{IS_PRICE, 1}, {IS_MAIN, 30}};
    static const struct fake_frame SECOND[] = {{IS_PRICE, 2}, {IS_MAIN, 30}};
    fake_set_stack(FIRST, 2);
    life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
    uint32_t names = calls_of("GetMethodName");
    uint32_t lines = calls_of("GetLineNumberTable");
    fake_set_stack(SECOND, 2);
    life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
    cr_assert_eq(calls_of("GetMethodName"), names);
    cr_assert_gt(calls_of("GetLineNumberTable"), lines);
}

/* Up to the first stack, with the class and the thread. */
static jint begin_unproved(void) {
    life.is_whole = true;
    life.depth = FAKE_STEPS + 1;
    life_load();
    life_configure();
    jint all = life_open(false);
    life_stand(IN_CART);
    life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
    life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, true);
    return all;
}

/* And as if enough names had been read as the VM says them. */
static jint begin(void) {
    jint all = begin_unproved();
    for (int i = 0; i < HS_LOOKUP_NAMES_PROOF; i++) {
        hs_lookup_compare_names(&hs_vm_sampler()->intake.lookup, 0, true);
    }
    return all;
}

static void end(jint all) {
    life_snapshot(all, false);
    life_control("close", all);
    life_unload();
}

static void first_life(void) {
    jint all = begin();
    uint32_t names = calls_of("GetMethodName");
    uint32_t classes = calls_of("GetMethodDeclaringClass");
    uint64_t first = calls_in(0);
    /* Of 31 new methods each is compared with the chance 1 / 64: more than 6 are once in 3 million runs. */
    uint32_t compared = calls_of("GetMethodName") - names;
    cr_assert_leq(compared, 6);
    uint32_t asked = calls_of("GetMethodDeclaringClass") - classes;
    cr_assert(asked >= FAKE_STEP_CLASSES && asked <= FAKE_STEP_CLASSES + compared, "%u", asked);
    first -= (uint64_t)compared * CALLS_FOR_NAMES;
    first -= (uint64_t)(asked - FAKE_STEP_CLASSES) * CALLS_FOR_CLASS;
    uint64_t second = calls_in(6);
    uint64_t again = calls_in(6);
    cr_log_info("Java %d: %d new frames of new methods %lu calls, of known methods %lu, again %lu",
                (int)life.feature, FAKE_STEPS, (unsigned long)first, (unsigned long)second,
                (unsigned long)again);
    (void)fflush(stdout);
    cr_assert_leq(first, life.feature < 25 ? CALLS_ON_17 : CALLS_ON_25, "%lu",
                  (unsigned long)first);
    cr_assert_leq(second, CALLS_BESIDE, "%lu", (unsigned long)second);
    check_long_table();
    end(all);
}

void fake_first_life_on_17(void) {
    life.feature = 17;
    fake_run(first_life);
    life_check_all_is_back(0);
}

void fake_first_life_on_25(void) {
    life.feature = 25;
    fake_run(first_life);
    life_check_all_is_back(0);
}

/* The class of the first step is queried by it, and again by the first one of the next version. */
static void redefined_amid_life(void) {
    jint all = begin();
    uint32_t classes = calls_of("GetMethodDeclaringClass");
    fake_redefine_amid(IS_STEP + 1);
    (void)calls_in(0);
    fake_redefine_amid(METHODS);
    cr_assert_gt(calls_of("GetMethodDeclaringClass"), classes + FAKE_STEP_CLASSES);
    end(all);
}

void fake_redefined_amid_life(void) {
    life.feature = 21;
    fake_run(redefined_amid_life);
    life_check_all_is_back(0);
}

static uint64_t counted(enum hs_lookup_count what) {
    return hs_lookup_counted(&hs_vm_sampler()->intake.lookup, what);
}

/* The first step has its number before its lines change, and its item is learned after that. */
static void reused_amid_life(void) {
    jint all = begin();
    fake_rewrite_amid(IS_STEP + 1, IS_STEP);
    (void)calls_in(0);
    uint64_t asked = counted(HS_LOOKUP_ASKED);
    (void)calls_in(0);
    cr_assert_eq(counted(HS_LOOKUP_ASKED), asked + 1, "lines of two versions were learned");
    (void)calls_in(0);
    cr_assert_eq(counted(HS_LOOKUP_ASKED), asked + 1, "nothing is learned here at all");
    end(all);
}

void fake_reused_amid_life(void) {
    life.feature = 21;
    fake_run(reused_amid_life);
    life_check_all_is_back(0);
}

/* Samples of the thread in the newest table, which has moved only some threads, and those of all threads. */
static uint64_t samples_of(jlong java_id, uint64_t *all) {
    const struct hs_session *session = atomic_load(&hs_vm_sampler()->intake.session);
    const struct hs_store *store = session->store;
    const struct hs_recording *recording = session->recordings[0];
    struct hs_thread_id id = hs_threads_find(store->threads, java_id);
    struct hs_total total = {0};
    if (id.number != HS_THREAD_OTHER) {
        (void)hs_thread_sums_read(recording->sums[store->thread_generation].threads, id, &total);
    }
    *all = hs_tally_sum(&recording->samples);
    return total.samples;
}

static uint32_t thread_generation(void) {
    return atomic_load(&hs_vm_sampler()->intake.session)->store->thread_generation;
}

/* Of `samples` some stand for nothing, and are not counted. */
static void sample_as(jlong java_id, int samples) {
    FAKE_PLATFORM_THREAD.java_id = java_id;
    for (int i = 0; i < samples; i++) {
        life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, false);
    }
}

/* With the last thread the table fills up. In the next table it has another number, or none yet. */
static void renewed_threads_life(void) {
    enum { FIRST = 100, LAST = 104, SAMPLES = 16 };
    jint all = begin();
    jlong java_id = FAKE_PLATFORM_THREAD.java_id;
    uint32_t generation = thread_generation();
    for (jlong id = FIRST; id < LAST; id++) {
        sample_as(id, 1);
    }
    cr_assert_eq(thread_generation(), generation, "replaced before the last thread");
    sample_as(LAST, SAMPLES);
    life_collect(); /* a round that had begun before may end here */
    life_collect();
    cr_assert_neq(thread_generation(), generation, "the table of threads was not replaced");
    uint64_t sum_before;
    uint64_t sum;
    uint64_t before = samples_of(LAST, &sum_before);
    sample_as(LAST, SAMPLES);
    cr_assert_eq(samples_of(LAST, &sum) - before, sum - sum_before, "they are another thread's");
    cr_assert_gt(sum, sum_before);
    FAKE_PLATFORM_THREAD.java_id = java_id;
    end(all);
}

void fake_renewed_threads_life(void) {
    life.feature = 21;
    fake_run(renewed_threads_life);
    life_check_all_is_back(0);
}

/* The first comparison ends all lookups, and so the reading of names. */
static void mixed_names_life(void) {
    fake_mix_names();
    life.has_mismatch = true;
    jint all = begin();
    uint32_t names = calls_of("GetMethodName");
    uint32_t classes = calls_of("GetMethodDeclaringClass");
    (void)calls_in(0);
    cr_assert_geq(calls_of("GetMethodName"), names + FAKE_STEPS);
    cr_assert_geq(calls_of("GetMethodDeclaringClass"), classes + FAKE_STEPS);
    end(all);
}

void fake_mixed_names_life(void) {
    life.feature = 21;
    fake_run(mixed_names_life);
    life_check_all_is_back(0);
}

static uint64_t mismatches(void) {
    return counted(HS_LOOKUP_MISMATCHES);
}

/* What was read of the steps was wrong, and then one comparison says so: each of them is requested again. */
static void distrusted_names_life(void) {
    life.has_mismatch = true;
    jint all = begin();
    fake_mix_names();
    uint32_t before = calls_of("GetMethodName");
    (void)calls_in(0);
    uint32_t first = calls_of("GetMethodName");
    uint32_t right = 0;
    if (mismatches() == 0) {
        hs_lookup_compare_names(&hs_vm_sampler()->intake.lookup, 0, false);
    } else {
        right = first - before - 1; /* requested after the comparison */
    }
    (void)calls_in(0);
    uint32_t second = calls_of("GetMethodName");
    cr_assert_eq(second, first + FAKE_STEPS - right);
    (void)calls_in(0);
    cr_assert_eq(calls_of("GetMethodName"), second, "right ones are kept");
    end(all);
}

void fake_distrusted_names_life(void) {
    life.feature = 21;
    fake_run(distrusted_names_life);
    life_check_all_is_back(0);
}

/* All steps seem to be of one class. */
static void mixed_owners_life(void) {
    life.has_mismatch = true;
    jint all = begin_unproved();
    cr_assert_eq(mismatches(), 0);
    fake_share_pools();
    (void)calls_in(0);
    cr_assert_eq(mismatches(), 1);
    end(all);
}

void fake_mixed_owners_life(void) {
    life.feature = 21;
    fake_run(mixed_owners_life);
    life_check_all_is_back(0);
}

/* As above, and the classes have one name; every second one differs as said. `text`, `file`: NULL where it does not.
 * Are they distinguished? */
static void check_owners(const char *text, const char *file, bool are_told_apart) {
    life.has_mismatch = are_told_apart;
    jint all = begin_unproved();
    for (uint32_t i = 0; i < FAKE_STEP_CLASSES; i++) {
        struct fake_object *class = &FAKE_CLASSES[CLASS_STEPS + i];
        class->text = i % 2 == 0 || text == NULL ? "Lshop/Step;" : text;
        class->file = i % 2 == 0 ? NULL : file;
    }
    fake_share_pools();
    (void)calls_in(0);
    cr_assert_eq(mismatches(), are_told_apart ? 1 : 0);
    end(all);
}

static void same_owners_life(void) {
    check_owners(NULL, NULL, false);
}

static void mixed_files_life(void) {
    check_owners(NULL, "Other.java", true);
}

/* A hidden class, whose normalised name is that of the others. */
static void mixed_flags_life(void) {
    check_owners("Lshop/Step.0x0000000800c01000;", NULL, true);
}

void fake_same_owners_life(void) {
    life.feature = 21;
    fake_run(same_owners_life);
    life_check_all_is_back(0);
}

void fake_mixed_files_life(void) {
    life.feature = 21;
    fake_run(mixed_files_life);
    life_check_all_is_back(0);
}

void fake_mixed_flags_life(void) {
    life.feature = 21;
    fake_run(mixed_flags_life);
    life_check_all_is_back(0);
}
