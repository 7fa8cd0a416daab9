/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Samples whose stack is known, over the fake VM, for callgrind: tests/native/bench/warm/count says how many
 * instructions and cache lines the core takes for one. The stack has 31 Java frames: 18 are compiled, 12 are inlined
 * into these, and the one at the root is interpreted. Before each sample 128 KiB are read, so that a cache of half the size holds
 * nothing of the last one.
 *
 *   bench_warm [version of Java [samples [classes [labels]]]]
 *      21, 100, and 1: how many classes the samples take turns with; 1: a set of labels is in force (0)
 *
 * Without callgrind it only checks that the samples are what they are meant to be; so does ctest. */
#include <stdlib.h>
#include <sys/mman.h>

#include "fakevm/fake_life.h"
#include "hs_label_scopes.h"
#include "hs_vm.h"

enum { COMPILED = 18, INLINED = 12, FRAMES = COMPILED + INLINED + 1, INLINED_BEFORE = 2 * INLINED };
enum { COLD_BYTES = 128 * 1024, LINE = 64, WARM_UP = 64, PER_COLLECTION = 8 };

/* The state of the generator before each sample. With it, none is the one in 1,024 that is compared with the VM's answer,
 * which takes a hundred times as many instructions. */
enum { UNCHECKED = 1 };

static uint32_t samples = 100;
static uint32_t classes = 1;
static bool has_labels;

/* Calls alternate between two methods, and step methods are inlined into some, each at a bytecode of its own. */
static void stand(void) {
    static struct fake_frame frames[FRAMES];
    uint32_t count = 0;
    for (uint32_t i = 0; i < COMPILED; i++) {
        if (i < INLINED) {
            frames[count++] = (struct fake_frame){IS_STEP + i, 6};
        }
        frames[count++] = (struct fake_frame){i % 2 == 0 ? IS_ADD : IS_PRICE, (jlocation)i};
    }
    frames[count++] = (struct fake_frame){IS_MAIN, 30};
    cr_assert_eq(count, (uint32_t)FRAMES);
    fake_inline_steps();
    fake_set_stack(frames, count);
}

static void chill(void) {
    static volatile unsigned char memory[COLD_BYTES];
    for (uint32_t i = 0; i < COLD_BYTES; i += LINE) {
        (void)memory[i];
    }
}

/* What callgrind counts begins and ends here. */
void bench_warm_sample(enum fake_class class);
__attribute__((noinline)) void bench_warm_sample(enum fake_class class) {
    life_sample(class, 24, &FAKE_PLATFORM_THREAD, true);
}

static uint64_t counted(enum hs_lookup_count what) {
    return hs_lookup_counted(&hs_vm_sampler()->intake.lookup, what);
}

static void warm_life(void) {
    static const enum fake_class CLASSES[] = {CLASS_CART, CLASS_BYTES, CLASS_MAIN, CLASS_ITEM};
    cr_assert(classes >= 1 && classes <= sizeof CLASSES / sizeof CLASSES[0]);
    life.is_whole = true;
    life.depth = FRAMES + 1;
    life_load();
    life_configure();
    jint all = life_open(false);
    stand();
    uint64_t word = 0;
    if (has_labels) {
        cr_assert_eq(hs_label_sets_add(&hs_vm_intake()->phaser, "tenant\0acme", 12, 1, &word),
                     HS_OK);
        (void)hs_label_scopes_open(hs_thread_state_current(), FAKE_PLATFORM_THREAD.java_id, word);
    }
    uint64_t known = 0;
    uint64_t verified = 0;
    for (uint32_t i = 0; i < WARM_UP + samples; i++) {
        if (i == WARM_UP) {
            known = counted(HS_LOOKUP_KNOWN);
            verified = counted(HS_LOOKUP_VERIFIED);
        }
        enum fake_class class = CLASSES[i % classes];
        if (i < WARM_UP) {
            life_sample(class, 24, &FAKE_PLATFORM_THREAD, true);
        } else {
            hs_thread_state_current()->random = UNCHECKED;
            chill();
            bench_warm_sample(class);
        }
        if (i % PER_COLLECTION == 0) {
            life_collect(); /* else the live table, which is small, would fill up */
        }
    }
    cr_assert_eq(counted(HS_LOOKUP_KNOWN) - known, samples);
    cr_assert_eq(counted(HS_LOOKUP_VERIFIED), verified);
    hs_label_scopes_close(hs_thread_state_current(), 0);
    (void)hs_label_sets_remove(&hs_vm_intake()->phaser, word);
    life_control("close", all);
    life_unload();
}

int main(int argc, char **argv) {
    life.feature = argc > 1 ? atoi(argv[1]) : 21;
    samples = argc > 2 ? (uint32_t)atoi(argv[2]) : samples;
    classes = argc > 3 ? (uint32_t)atoi(argv[3]) : classes;
    has_labels = argc > 4 && atoi(argv[4]) != 0;
    fake_plan =
        mmap(NULL, sizeof *fake_plan, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(fake_plan, MAP_FAILED);
    fake_run(warm_life);
    life_check_all_is_back(0);
    return 0;
}
