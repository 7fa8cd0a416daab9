/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_scopes.h"

#include <string.h>

#include "hs_hash.h"
#include "hs_scopes.h"
#include "hs_version.h"
#include "hs_vm_methods.h"

enum { SET_BITS = 11, WAYS = 4 };

/* By Method, ids that lead to it: 64 KiB for the process. Another Method of the same set displaces one. Relaxed: each word is an id, so
 * it can be read through, and the reader compares the Method that it leads to. */
static _Atomic uintptr_t ids[1 << SET_BITS][WAYS];

static uint64_t hash_of(uintptr_t method) {
    return hs_hash_word(HS_HASH_BEGIN, method);
}

static void remember(uintptr_t method, uintptr_t id) {
    uint64_t hash = hash_of(method);
    _Atomic uintptr_t *set = ids[hash >> (64 - SET_BITS)];
    uint32_t free = WAYS;
    for (uint32_t i = WAYS; i > 0; i--) {
        uintptr_t known = atomic_load_explicit(&set[i - 1], memory_order_relaxed);
        if (known == id) {
            return;
        }
        free = known == 0 ? i - 1 : free;
    }
    free = free < WAYS ? free : (hash >> SET_BITS) % WAYS;
    atomic_store_explicit(&set[free], id, memory_order_relaxed);
}

void hs_vm_scopes_remember(const struct hs_vm_access *vm, const jvmtiFrameInfo *infos,
                           uint32_t count) {
    bool is_used = hs_lookup_is_on(vm->lookup);
    for (uint32_t i = 0; is_used && i < count; i++) {
        uintptr_t method = hs_vm_method(vm, infos[i].method);
        if (method != 0) {
            remember(method, (uintptr_t)infos[i].method);
        }
    }
}

/* The id that leads to the Method; 0: unknown. The Method is not read. */
static uintptr_t id_of(uintptr_t method) {
    _Atomic uintptr_t *set = ids[hash_of(method) >> (64 - SET_BITS)];
    for (uint32_t i = 0; i < WAYS; i++) {
        uintptr_t id = atomic_load_explicit(&set[i], memory_order_relaxed);
        if (id != 0 && hs_version_method(id) == method) {
            return id;
        }
    }
    return 0;
}

_Static_assert((int)HS_SCOPES_MAX == (int)HS_ALIGN_MAX_RUN, "a run has room in the stack cache");

/* A run, and the Method of each of its frames. */
struct found {
    uint32_t count;
    struct hs_scope scopes[HS_SCOPES_MAX];
    struct hs_java_frame frames[HS_SCOPES_MAX];
};

#ifdef HS_BREAKABLE
struct hs_vm_scopes_flaws hs_vm_scopes_flaws;

static void spoil(struct found *found) {
    if (hs_vm_scopes_flaws.moves_index) {
        found->scopes[found->count - 1].bci++;
    }
    if (hs_vm_scopes_flaws.drops_inlined && found->count > 1) {
        memmove(&found->scopes[0], &found->scopes[1], --found->count * sizeof found->scopes[0]);
    }
}
#endif

/* The compile id is that of the item before and after: no other code has been read. */
static bool decode_compiled(struct hs_code *code, uint64_t word, struct found *found) {
    uintptr_t pc = code->base + (uint32_t)word;
    struct hs_blob blob = hs_code_find(code, pc);
    if ((blob.kind != HS_CODE_COMPILED && blob.kind != HS_CODE_NATIVE) ||
        hs_code_compile_id(code, &blob) != hs_item_compile_id(word)) {
        return false;
    }
    uintptr_t root = hs_code_method(code, &blob);
    if (blob.kind == HS_CODE_NATIVE) {
        found->count = 1;
        found->scopes[0] = (struct hs_scope){root, 0};
    } else {
        const struct hs_scopes_code all = {blob.address, hs_code_bytes(code, &blob)};
        found->count = hs_scopes_decode(&code->layout->scopes, &all, pc, root, found->scopes);
    }
#ifdef HS_BREAKABLE
    spoil(found);
#endif
    return found->count != 0 && hs_code_compile_id(code, &blob) == hs_item_compile_id(word);
}

static bool decode_interpreted(const struct hs_layout *layout, const uint64_t *key,
                               struct found *found) {
    struct hs_scope *scope = &found->scopes[0];
    scope->method = (uintptr_t)key[0];
    found->count = 1;
    uintptr_t id = id_of(scope->method);
    return id != 0 && hs_version_bci(layout, id, scope->method, (uintptr_t)key[1], &scope->bci);
}

/* The frames of the scopes, as JVMTI gives them: the bytecode index of a native method is -1. False where an id is not known,
 * or its method was replaced. */
static bool find_ids(const struct hs_vm_access *vm, struct found *found) {
    const struct hs_layout *layout = &vm->lookup->layout;
    for (uint32_t i = 0; i < found->count; i++) {
        const struct hs_scope *scope = &found->scopes[i];
        uintptr_t id = id_of(scope->method);
        jboolean is_obsolete = JNI_TRUE;
        /* Before the call: where the walk has lost its way, nothing keeps the Method during one. */
        bool is_native = id != 0 && hs_version_is_native(layout, scope->method);
        if (id == 0 ||
            (*vm->jvmti)->IsMethodObsolete(vm->jvmti, (jmethodID)id, &is_obsolete) !=
                JVMTI_ERROR_NONE ||
            is_obsolete) {
            return false;
        }
        found->frames[i] =
            (struct hs_java_frame){.method_id = id, .bci = is_native ? -1 : scope->bci};
    }
    return true;
}

static bool number(const struct hs_vm_access *vm, struct hs_store *store,
                   struct hs_vm_owners *owners, struct found *found) {
    for (uint32_t i = 0; i < found->count; i++) {
        hs_vm_expect_frame(vm, store, (jmethodID)found->frames[i].method_id);
    }
    for (uint32_t i = 0; i < found->count; i++) {
        struct hs_java_frame *frame = &found->frames[i];
        const jvmtiFrameInfo info = {(jmethodID)frame->method_id, frame->bci};
        struct hs_vm_numbered numbered;
        if (hs_vm_frame(vm, store, owners, &info, false, &numbered) != HS_OK ||
            numbered.method != found->scopes[i].method ||
            !hs_vm_is_current(vm, info.method, &numbered)) {
            return false;
        }
        frame->frame = numbered.frame;
    }
    return true;
}

/* Puts the runs that are not known, until there are `wanted` frames. False when one cannot be found out. */
static bool learn(const struct hs_vm_access *vm, struct hs_store *store,
                  hs_stack_cache *stack_cache, const struct hs_walk_items *walk, uint32_t wanted) {
    struct found found;
    struct hs_vm_owners owners = {.count = 0};
    struct hs_lookup *lookup = vm->lookup;
    uint32_t count = 0;
    for (uint32_t i = 0; i < walk->count && count < wanted; i++) {
        const uint64_t *key = &walk->words[walk->at[i]];
        struct hs_run run = hs_stack_cache_run(stack_cache, walk, i);
        count += run.count;
        if (run.count > 0) {
            continue;
        }
        bool is_found = hs_item_is_compiled(*key)
                            ? decode_compiled(&lookup->walker.code, *key, &found)
                            : decode_interpreted(&lookup->layout, key, &found);
        if (!is_found || !find_ids(vm, &found) || !number(vm, store, &owners, &found)) {
            return false;
        }
        hs_stack_cache_put_run(stack_cache, walk, i, found.frames, found.count);
        count += found.count;
    }
    return true;
}

uint32_t hs_vm_scopes_compose(const struct hs_vm_access *vm, struct hs_store *store,
                              hs_stack_cache *stack_cache, const struct hs_walk_items *walk,
                              uint32_t wanted, struct hs_composed *composed, bool *is_new) {
    uint32_t count = hs_lookup_compose(stack_cache, walk, wanted, composed);
    *is_new = count == 0 && vm->lookup->layout.scopes.pc_desc_bytes != 0 &&
              hs_stack_cache_takes_runs(stack_cache) && learn(vm, store, stack_cache, walk, wanted);
    return *is_new ? hs_lookup_compose_learned(stack_cache, walk, wanted, composed) : count;
}
