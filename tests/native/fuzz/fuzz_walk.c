/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Stacks that the input builds and damages, code that it frees and replaces: a walk reads nothing that
 * is not its own (the memory beside it cannot be read), ends, and finds the same along a last walk as
 * without one. The first byte chooses the VM; then four bytes say each step. */
#define PLAIN_WITHOUT_MAIN
#include "unit/synthetic_vm.h"

enum { STEP_BYTES = 4, KEPT_FREE = 64 * 1024 };

static void mend_code(struct synthetic_vm *vm) {
    for (uint32_t i = 0; i < VM_COMPILED_COUNT; i++) {
        uintptr_t block = vm->compiled[i] - vm->layout.block_bytes;
        *(unsigned char *)(block + vm->layout.block_used) = 1;
        vm_set_int(vm->compiled[i] + vm->layout.nmethod_compile_id, 1001 + (int32_t)i);
    }
}

static void damage_code(struct synthetic_vm *vm, const uint8_t *self) {
    uintptr_t blob = vm->compiled[self[1] % VM_COMPILED_COUNT];
    if (self[2] % 2 == 0) {
        *(unsigned char *)(blob - vm->layout.block_bytes + vm->layout.block_used) = 0;
    } else {
        vm_set_int(blob + vm->layout.nmethod_compile_id, (int8_t)self[3]);
    }
}

static void damage_stack(struct synthetic_vm *vm, const uint8_t *self) {
    uint32_t words = (uint32_t)(vm->base - vm->sp) / VM_WORD;
    uint32_t at = (uint32_t)(self[1] << 8 | self[2]) % words;
    uintptr_t below = self[3];
    const uintptr_t kinds[] = {vm_junk(vm),
                               vm->sp + below * VM_WORD,
                               below,
                               vm_begin_of_code(vm->compiled[below % VM_COMPILED_COUNT]) + below,
                               vm_begin_of_code(vm->interpreter) + below,
                               vm->base - below};
    vm_set_word(vm->sp + at * VM_WORD, kinds[below % (sizeof kinds / sizeof kinds[0])]);
}

static void take(struct synthetic_vm *vm, const uint8_t *self) {
    switch (self[0] % 9) {
    case 0:
    case 1: vm_push_compiled(vm, vm->compiled[self[1] % VM_COMPILED_COUNT], self[2]); break;
    case 2: vm_push_interpreted(vm, vm_method(self[1]), self[2], self[3] % 8); break;
    case 3: vm_push_sized(vm, vm->stub, vm_begin_of_code(vm->stub) + self[1]); break;
    case 4: vm_push_call_stub(vm, self[1] % 8 == 0, self[2] % 2 == 0); break;
    case 5: vm_push_compiled(vm, vm->native, self[1]); break;
    case 6:
        vm_deoptimise_leaf(vm, vm_deopt_handler(vm->compiled[self[1] % VM_COMPILED_COUNT]));
        break;
    case 7: damage_code(vm, self); break;
    default: damage_stack(vm, self); break;
    }
}

static void walk(struct synthetic_vm *vm, bool has_pc, uint32_t max_items) {
    static struct hs_walk_items items;
    struct hs_walk_start start = vm_leave_java(vm, has_pc);
    (void)vm_walk_all_ways(vm, &start, max_items, &items);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct synthetic_vm *vms[VM_KIND_COUNT];
    if (size == 0) {
        return 0;
    }
    uint8_t first = *data++;
    struct synthetic_vm **place = &vms[first % VM_KIND_COUNT];
    if (*place == NULL) {
        *place = vm_new(&VM_KINDS[first % VM_KIND_COUNT]);
    }
    struct synthetic_vm *vm = *place;
    mend_code(vm);
    hs_walker_init(&vm->walker, &vm->layout, vm->kind->shape,
                   (first & 64) != 0 ? vm_method(50) : 0);
    memset(&vm->last_walk, 0, sizeof vm->last_walk);
    vm->junk.state = 20261121;
    vm_clear(vm);
    for (size_t left = size - 1; left >= STEP_BYTES; left -= STEP_BYTES, data += STEP_BYTES) {
        if (data[0] == 255) {
            walk(vm, data[1] % 2 == 0, 1 + data[2]); /* there is a last walk from here on */
        } else if (vm->sp - vm->low > KEPT_FREE && vm->expected_count < VM_MAX_EXPECTED) {
            take(vm, data);
        }
    }
    walk(vm, (first & 128) != 0, HS_WALK_MAX_ITEMS);
    return 0;
}
