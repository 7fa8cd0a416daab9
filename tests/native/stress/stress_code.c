/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Threads remember places of code that push each other out, and recall them: what is recalled is
 * right, however the words of two threads are mixed. */
#include "crew.h"
#include "unit/synthetic_vm.h"

enum { THREADS = 4, ROUNDS = 60000, PLACES = 64 };

static struct synthetic_vm *vm;
static _Atomic uint64_t recalled;

/* Places that share four slots of the table, in three blocks by turns. */
static uintptr_t place(uint32_t i, uint32_t *code) {
    *code = i % 3;
    uintptr_t base = vm_begin_of_code(vm->compiled[*code == 0 ? 1 : *code + 1]);
    return base + i % 4;
}

static void keep_and_recall(int number) {
    struct seeded seeded = {(uint64_t)number + 1};
    uint64_t count = 0;
    uint32_t code;
    for (int i = 0; i < ROUNDS; i++) {
        uintptr_t kept = place(seeded_below(&seeded, PLACES), &code);
        struct hs_blob blob = hs_code_find(&vm->walker.code, kept);
        hs_code_keep(&vm->walker.code, kept, &blob);
        uintptr_t pc = place(seeded_below(&seeded, PLACES), &code);
        struct hs_recall recall = hs_code_recall(&vm->walker.code, pc);
        if (recall.frame_words != 0) {
            struct hs_blob found = hs_code_find(&vm->walker.code, pc);
            HS_CHECK(vm->walker.code.base + recall.blob == found.address);
            HS_CHECK(recall.frame_words == found.frame_words);
            HS_CHECK(recall.compile_id == hs_code_compile_id(&vm->walker.code, &found));
            count++;
        }
    }
    atomic_fetch_add(&recalled, count);
}

Test(stress_code, what_is_recalled_is_right) {
    vm = vm_new(&VM_KINDS[0]);
    recalled = 0;
    crew_all(THREADS, keep_and_recall);
    cr_assert_geq(recalled, 1000);
    vm_free(vm);
}
