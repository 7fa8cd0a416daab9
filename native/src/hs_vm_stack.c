/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_stack.h"

#include <string.h>

#include "hs_vm_ids.h"
#include "hs_vm_methods.h"
#include "hs_vm_number.h"
#include "hs_vm_scopes.h"
#include "hs_vm_walk.h"

/* Own frames lie right above the user's: deep enough to meet them, however small the depth. */
enum { FACADE_DEPTH = 64 };

static const char MISMATCH[] = "a stack that was looked up differed from the JVM's own";

enum how { NOT_TRIED, NO_WALK, UNKNOWN, KNOWN, COMPOSED };

/* What was found out without asking the VM. */
struct attempt {
    enum how how;
    hs_stack_cache *stack_cache;
    bool is_learning;         /* UNKNOWN: what the VM says is to be learned from */
    bool is_decoded;          /* COMPOSED: of runs that were not known before */
    struct hs_stack_id stack; /* KNOWN */
    uint32_t frame_count;     /* KNOWN, COMPOSED: frames inspected */
    uint64_t fingerprint;     /* KNOWN; of COMPOSED only where it is to be compared */
    struct hs_walk_items walk;
    struct hs_composed composed; /* COMPOSED: whole; UNKNOWN: what is known of it */
};

static bool is_hit(const struct attempt *attempt) {
    return attempt->how == KNOWN || attempt->how == COMPOSED;
}

/* ---- without the VM ---- */

static hs_stack_cache *learned_of(struct hs_store *store) {
    /* seq_cst: not before this thread has entered the phaser; see hs_store_renew_stack_cache. */
    hs_stack_cache *stack_cache = atomic_load_explicit(&store->stack_cache, memory_order_seq_cst);
    return stack_cache == NULL || hs_stack_cache_is_discarded(stack_cache) ? NULL : stack_cache;
}

static void try_without(const struct hs_vm_access *vm, struct hs_store *store, jthread thread,
                        struct attempt *attempt) {
    uint32_t wanted = store->limits.depth + 1;
    wanted = wanted < HS_ALIGN_MAX ? wanted : HS_ALIGN_MAX;
    attempt->how = NOT_TRIED;
    attempt->is_learning = attempt->is_decoded = false;
    if (!hs_lookup_is_on(vm->lookup) || (attempt->stack_cache = learned_of(store)) == NULL) {
        return;
    }
    attempt->how = NO_WALK;
    if (!hs_vm_walk_current(vm, thread, wanted, &attempt->walk)) {
        return;
    }
    struct hs_known_stack known;
    if (hs_stack_cache_stack(attempt->stack_cache, &attempt->walk, &known)) {
        attempt->how = KNOWN;
        attempt->stack = known.stack;
        attempt->frame_count = known.frame_count;
        attempt->fingerprint = known.fingerprint;
        return;
    }
    attempt->frame_count = hs_vm_scopes_compose(vm, store, attempt->stack_cache, &attempt->walk,
                                                wanted, &attempt->composed, &attempt->is_decoded);
    /* Where more frames are kept than can be put together, a stack that fills the room is no answer. */
    bool is_enough = attempt->frame_count != 0 && (attempt->frame_count < HS_ALIGN_MAX ||
                                                   attempt->frame_count > store->limits.depth);
    attempt->how = is_enough ? COMPOSED : UNKNOWN;
    attempt->is_learning =
        !is_enough && hs_stack_cache_is_worth_trying(attempt->stack_cache, &attempt->walk);
}

/* Remembers the stack of a walk that was put together, if all of it is in the table. */
static void remember(const struct attempt *attempt, const struct hs_intake_stack *found) {
    if (!found->is_shortened) {
        hs_stack_cache_put_stack(attempt->stack_cache, &attempt->walk, attempt->composed.frames,
                                 attempt->frame_count, attempt->composed.begins, found->stack);
    }
}

static enum hs_status finish(const struct hs_vm_access *vm, struct hs_store *store,
                             struct attempt *attempt, struct hs_intake_stack *found) {
    struct hs_frame_id ids[HS_ALIGN_MAX + 1];
    found->is_truncated = attempt->frame_count > store->limits.depth;
    if (attempt->how == KNOWN) {
        hs_lookup_count(vm->lookup, vm->self->stripe, HS_LOOKUP_KNOWN);
        found->stack = attempt->stack;
        return HS_OK;
    }
    hs_lookup_count(vm->lookup, vm->self->stripe, HS_LOOKUP_COMPOSED);
    ids[attempt->frame_count].number = 0;
    for (uint32_t i = 0; i < attempt->frame_count; i++) {
        ids[i] = attempt->composed.frames[i].frame;
    }
    enum hs_status status = hs_vm_number_stack(store, ids, attempt->frame_count, found);
    if (status == HS_OK) {
        remember(attempt, found);
    }
    return status;
}

/* ---- asking ---- */

/* The VM's own. */
struct answer {
    uint32_t asked;     /* frames that are requested from it */
    uint32_t wanted;    /* of which this many are inspected, where there are as many */
    uint32_t given;     /* frames */
    uint32_t looked;    /* of them */
    uint32_t learnable; /* of them: a run may begin among those inspected, and end behind */
    bool is_whole;      /* there are no more than were given */
    jvmtiFrameInfo infos[HS_MAX_DEPTH + 1];
    struct hs_vm_numbered numbered[HS_ALIGN_MAX]; /* those that are learnable; 0: not yet */
};

/* Asks the VM. False when it gives no frames, or what may be no ids. */
static bool fetch(const struct hs_vm_access *vm, struct answer *answer) {
    jint given = 0;
    if ((*vm->jvmti)
                ->GetStackTrace(vm->jvmti, NULL, 0, (jint)answer->asked, answer->infos, &given) !=
            JVMTI_ERROR_NONE ||
        given <= 0 || !hs_vm_are_method_ids(vm, answer->infos, (uint32_t)given)) {
        return false;
    }
    hs_vm_scopes_remember(vm, answer->infos, (uint32_t)given);
    answer->given = (uint32_t)given;
    answer->is_whole = answer->given < answer->asked;
    answer->looked = answer->given < answer->wanted ? answer->given : answer->wanted;
    answer->learnable = answer->given < HS_ALIGN_MAX ? answer->given : HS_ALIGN_MAX;
    return true;
}

/* ---- learning ---- */

/* An item that is settled, not known yet, and begins among the frames that count. */
static bool is_news(const struct hs_lookup_scratch *scratch, uint32_t i, uint32_t looked) {
    return scratch->spans[i].end != 0 && scratch->spans[i].begin < looked &&
           scratch->items[i].count == 0;
}

/* The number of frame `f`, as its method is now: what is learned must not have been true only of an earlier
 * version. */
static bool number_frame(const struct hs_vm_access *vm, struct hs_store *store,
                         struct hs_vm_owners *owners, struct hs_lookup_scratch *scratch,
                         struct answer *answer, uint32_t f) {
    struct hs_vm_numbered *numbered = &answer->numbered[f];
    bool is_numbered = numbered->frame.number != 0 && numbered->method == scratch->methods[f];
    if (!is_numbered &&
        hs_vm_frame(vm, store, owners, &answer->infos[f], false, numbered) != HS_OK) {
        return false;
    }
    scratch->frames[f].frame = numbered->frame;
    return true;
}

/* Numbers the frames of what is new. False when there is nothing new, or no room. */
static bool number_news(const struct hs_vm_access *vm, struct hs_store *store,
                        struct hs_lookup_scratch *scratch, struct answer *answer) {
    struct hs_vm_owners owners = {.count = 0};
    bool has_news = false;
    for (uint32_t i = 0; i < scratch->walk.count; i++) {
        for (uint32_t f = scratch->spans[i].begin;
             is_news(scratch, i, answer->looked) && f < scratch->spans[i].end; f++) {
            has_news = true;
            if (!number_frame(vm, store, &owners, scratch, answer, f)) {
                return false;
            }
        }
    }
    return has_news;
}

/* Is the VM's answer still the same, and are the names those of the same versions? A method that was redefined
 * since the first answer has another id now, and the names that were requested in between may be those of its next
 * version. */
static bool is_unchanged(const struct hs_vm_access *vm, const struct hs_lookup_scratch *scratch,
                         struct answer *answer, uint32_t count) {
    jvmtiFrameInfo *infos = answer->infos;
    jint given = 0;
    if ((*vm->jvmti)->GetStackTrace(vm->jvmti, NULL, 0, (jint)count, infos, &given) !=
            JVMTI_ERROR_NONE ||
        given != (jint)count) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_vm_numbered *numbered = &answer->numbered[i];
        if ((uintptr_t)infos[i].method != scratch->frames[i].method_id ||
            infos[i].location != scratch->frames[i].bci ||
            hs_vm_method(vm, infos[i].method) != scratch->methods[i] ||
            (numbered->method != 0 && !hs_vm_is_current(vm, infos[i].method, numbered))) {
            return false;
        }
    }
    return true;
}

/* Which frame does each item of the attempt's walk begin at? False when an interpreted one may begin at
 * one that counts, and it is unknown which. *is_open: the stack could not be put together. */
static bool find_begins(const struct hs_lookup_scratch *scratch, struct attempt *attempt,
                        uint32_t looked, bool *is_open) {
    bool is_behind = false;
    *is_open = false;
    for (uint32_t i = 0; i < attempt->walk.count; i++) {
        const struct hs_span *span = &scratch->spans[i];
        is_behind = is_behind || (span->end != 0 && span->begin >= looked);
        bool is_settled = span->end != 0 && !is_behind;
        attempt->composed.begins[i] = is_settled ? span->begin : HS_BEGIN_UNKNOWN;
        if (!is_settled && !is_behind) {
            *is_open = true;
            if (!hs_item_is_compiled(attempt->walk.words[attempt->walk.at[i]])) {
                return false;
            }
        }
    }
    return true;
}

/* Where a run is known, so are the numbers of its frames. */
static void take_known_numbers(struct hs_lookup_scratch *scratch) {
    for (uint32_t i = 0; i < scratch->walk.count; i++) {
        const struct hs_align_item *item = &scratch->items[i];
        struct hs_span span = scratch->spans[i];
        for (uint32_t f = span.begin; f < span.end && f - span.begin < item->count; f++) {
            scratch->frames[f].frame = item->run[f - span.begin].frame;
        }
    }
}

/* Numbers all frames that count, and the stack they make; 0 when there is none. */
static struct hs_stack_id number_stack(const struct hs_vm_access *vm, struct hs_store *store,
                                       struct hs_lookup_scratch *scratch, struct answer *answer) {
    struct hs_intake_stack found = {.is_truncated = answer->looked > store->limits.depth};
    struct hs_vm_owners owners = {.count = 0};
    struct hs_frame_id ids[HS_ALIGN_MAX + 1] = {{0}};
    take_known_numbers(scratch);
    for (uint32_t i = 0; i < answer->looked; i++) {
        if (scratch->frames[i].frame.number == 0 &&
            !number_frame(vm, store, &owners, scratch, answer, i)) {
            return (struct hs_stack_id){0};
        }
        ids[i] = scratch->frames[i].frame;
    }
    bool is_there =
        hs_vm_number_stack(store, ids, answer->looked, &found) == HS_OK && !found.is_shortened;
    return is_there ? found.stack : (struct hs_stack_id){0};
}

static void put_news(hs_stack_cache *stack_cache, const struct hs_lookup_scratch *scratch,
                     uint32_t looked) {
    for (uint32_t i = 0; i < scratch->walk.count; i++) {
        const struct hs_span *span = &scratch->spans[i];
        if (is_news(scratch, i, looked)) {
            hs_stack_cache_put_run(stack_cache, &scratch->walk, i, &scratch->frames[span->begin],
                                   span->end - span->begin);
        }
    }
}

/* Learns from the VM's answer, which is overwritten: the runs that are settled, and, where that is
 * not all, the whole walk. */
static void learn(const struct hs_vm_access *vm, struct hs_store *store, jthread thread,
                  struct attempt *attempt, struct answer *answer) {
    struct hs_lookup *lookup = vm->lookup;
    uint32_t looked = answer->looked;
    uint32_t count = answer->learnable;
    bool is_open = false;
    struct hs_lookup_room *room = looked > count ? NULL : hs_lookup_enter(lookup);
    if (room == NULL) {
        return;
    }
    struct hs_lookup_scratch *scratch = room->scratch;
    hs_stack_cache_count_try(attempt->stack_cache, &attempt->walk);
    hs_vm_put_frames(vm, scratch, answer->infos, count);
    if (hs_vm_walk_current(vm, thread, HS_WALK_MAX_ITEMS, &scratch->walk) &&
        hs_lookup_align(lookup, scratch, attempt->stack_cache, count,
                        answer->given >= HS_ALIGN_MAX)) {
        bool has_news = number_news(vm, store, scratch, answer);
        bool has_begins = find_begins(scratch, attempt, looked, &is_open);
        /* A walk that was cut does not say how many frames follow: all that are kept must be there. */
        bool is_enough = hs_walk_is_whole(attempt->walk.end) || looked > store->limits.depth;
        struct hs_stack_id stack = {0};
        if (is_open && has_begins && is_enough) {
            stack = number_stack(vm, store, scratch, answer);
        }
        if ((has_news || stack.number != 0) && is_unchanged(vm, scratch, answer, count)) {
            if (has_news) {
                put_news(attempt->stack_cache, scratch, looked);
            }
            if (stack.number != 0) {
                hs_stack_cache_put_stack(attempt->stack_cache, &attempt->walk, scratch->frames,
                                         looked, attempt->composed.begins, stack);
            }
        }
    }
    hs_lookup_leave(room);
}

/* ---- distrust ---- */

/* Was a method on the stack replaced while it runs? Then its id has changed under it. */
static bool has_obsolete(const struct hs_vm_access *vm, const jvmtiFrameInfo *infos,
                         uint32_t count) {
    jboolean is_obsolete;
    for (uint32_t i = 0; i < count; i++) {
        if ((*vm->jvmti)->IsMethodObsolete(vm->jvmti, infos[i].method, &is_obsolete) !=
                JVMTI_ERROR_NONE ||
            is_obsolete) {
            return true;
        }
    }
    return false;
}

static bool agrees(const struct attempt *attempt, const struct answer *answer) {
    struct hs_java_frame frames[HS_ALIGN_MAX];
    if (answer->looked != attempt->frame_count) {
        return false;
    }
    for (uint32_t i = 0; i < answer->looked; i++) {
        frames[i] = hs_vm_java_frame(&answer->infos[i]);
    }
    return hs_java_fingerprint(frames, answer->looked) == attempt->fingerprint;
}

/* Compares a hit with the VM's answer: methods, bytecode indexes, number of frames. A hit that does
 * not stand is one no more. Before lookups end for good the VM is called once more, for its first answer
 * may have been wrong (hs_vm_ids.h); of the own stack two right ones are the same. False: the VM gives
 * no second one. */
static bool verify(const struct hs_vm_access *vm, struct attempt *attempt, struct answer *answer) {
    if (agrees(attempt, answer)) {
        hs_lookup_agree(vm->lookup, vm->self->stripe);
        return true;
    }
    attempt->how = NOT_TRIED;
    if (!fetch(vm, answer)) {
        return false;
    }
    if (!agrees(attempt, answer) && !has_obsolete(vm, answer->infos, answer->looked)) {
        hs_lookup_count(vm->lookup, vm->self->stripe, HS_LOOKUP_MISMATCHES);
        hs_lookup_off(vm->lookup, MISMATCH);
    }
    return true;
}

/* Compares the numbers of a hit that agreed, and so names and lines, with those of the VM's answer.
 * They differ when a method was redefined in a way that changes its lines and nothing else: then
 * it is unknown what else has changed. */
static void compare_numbers(const struct attempt *attempt, const struct hs_frame_id *ids,
                            const struct hs_intake_stack *found) {
    bool is_same = attempt->how != KNOWN || attempt->stack.number == found->stack.number;
    for (uint32_t i = 0; attempt->how == COMPOSED && i < attempt->frame_count; i++) {
        is_same = is_same && attempt->composed.frames[i].frame.number == ids[i].number;
    }
    if (!is_same) {
        hs_stack_cache_discard(attempt->stack_cache);
    } else if (attempt->how == COMPOSED) {
        remember(attempt, found);
    }
}

/* ---- all together ---- */

/* The number of frame i of the VM's answer, where the walk knows it; else 0. */
static struct hs_frame_id known_number(const struct attempt *attempt, const struct answer *answer,
                                       uint32_t i) {
    const struct hs_composed *composed = &attempt->composed;
    const struct hs_java_frame *frame = NULL;
    uint32_t to_root = answer->given - i;
    if (i < composed->leaf_count) {
        frame = &composed->frames[i];
    } else if (answer->is_whole && to_root <= composed->root_count) {
        frame = &composed->frames[HS_ALIGN_MAX - to_root];
    }
    bool is_it = frame != NULL && frame->method_id == (uintptr_t)answer->infos[i].method &&
                 frame->bci == answer->infos[i].location;
    return is_it ? frame->frame : (struct hs_frame_id){0};
}

/* Is the VM queried for the names of frame `i` of `count`, though its method is known? For one frame of each stack
 * that was drawn: a wrong name would be noticed. */
static bool is_asked_anew(const struct hs_vm_access *vm, uint32_t i, uint32_t count) {
    return hs_lookup_is_drawn(vm->lookup, vm->random) &&
           i == vm->random / HS_LOOKUP_CHECK_EVERY % count;
}

/* Turns the VM's frames into numbers. A hit's are requested, all of them, because it is to be compared; so are
 * those of some other stacks. Where what the walk knows differs, a redefinition has changed a method that
 * was running. *named is how many have numbers. Fails: HS_FULL when the next one finds no room. */
static enum hs_status number_frames(const struct hs_vm_access *vm, struct hs_store *store,
                                    const struct attempt *attempt, struct answer *answer,
                                    struct hs_frame_id *ids, uint32_t *named) {
    struct hs_vm_owners owners = {.count = 0};
    struct hs_vm_numbered beyond = {0};
    bool is_compared = hs_lookup_is_drawn(vm->lookup, vm->random);
    for (uint32_t i = 0; i < answer->looked; i++) {
        hs_vm_expect_frame(vm, store, answer->infos[i].method);
    }
    for (uint32_t i = 0; i < answer->looked; i++) {
        struct hs_vm_numbered *numbered = i < HS_ALIGN_MAX ? &answer->numbered[i] : &beyond;
        struct hs_frame_id known = {0};
        if (attempt->how == UNKNOWN) {
            known = known_number(attempt, answer, i);
        }
        enum hs_status status = HS_OK;
        *named = i;
        ids[i] = known;
        if (known.number == 0 || is_compared) {
            bool anew = is_asked_anew(vm, i, answer->looked);
            status = hs_vm_frame(vm, store, &owners, &answer->infos[i], anew, numbered);
            ids[i] = numbered->frame;
        }
        if (status != HS_OK) {
            return status;
        }
        if (known.number != 0 && known.number != ids[i].number) {
            hs_stack_cache_discard(attempt->stack_cache);
        }
    }
    return HS_OK;
}

/* Numbers the VM's answer. */
static enum hs_status number_answer(const struct hs_vm_access *vm, struct hs_store *store,
                                    struct attempt *attempt, struct answer *answer,
                                    struct hs_intake_stack *found) {
    struct hs_frame_id ids[HS_MAX_DEPTH + 2] = {{0}};
    uint32_t named = 0;
    memset(answer->numbered, 0, answer->learnable * sizeof answer->numbered[0]);
    enum hs_status status = number_frames(vm, store, attempt, answer, ids, &named);
    if (status == HS_FULL) {
        return hs_vm_number_named(store, ids, named, found);
    }
    if (status == HS_OK) {
        status = hs_vm_number_stack(store, ids, answer->looked, found);
    }
    if (status == HS_OK && is_hit(attempt)) {
        compare_numbers(attempt, ids, found);
    }
    return status;
}

/* Asks the VM for at least `wanted` frames; verifies a hit, learns from a miss. */
static enum hs_status ask(const struct hs_vm_access *vm, struct hs_store *store, jthread thread,
                          uint32_t wanted, struct attempt *attempt, struct hs_intake_stack *found) {
    struct answer answer;
    enum hs_status status = HS_NO_STACK;
    answer.wanted = wanted;
    answer.asked = attempt->is_learning && wanted < HS_ALIGN_MAX ? HS_ALIGN_MAX : wanted;
    if (fetch(vm, &answer) && (!is_hit(attempt) || verify(vm, attempt, &answer))) {
        found->is_truncated = answer.given > store->limits.depth;
        status = number_answer(vm, store, attempt, &answer, found);
        if (attempt->is_learning) {
            learn(vm, store, thread, attempt, &answer);
        }
    }
    if (status == HS_NO_STACK) {
        found->is_truncated = false;
        found->is_missing = true;
        status = hs_vm_number_what_fits(store, NULL, 0, found);
    }
    return status;
}

enum hs_status hs_vm_find_stack(const struct hs_vm_access *vm, struct hs_store *store,
                                jthread thread, bool inside_facade, struct hs_intake_stack *found) {
    struct attempt attempt;
    uint32_t wanted = store->limits.depth + 1;
    memset(found, 0, sizeof *found);
    attempt.how = NOT_TRIED;
    attempt.is_learning = attempt.is_decoded = false;
    attempt.frame_count = 0;
    if (inside_facade && wanted <= FACADE_DEPTH) {
        wanted = FACADE_DEPTH + 1;
    } else {
        try_without(vm, store, thread, &attempt);
    }
    if (is_hit(&attempt)) {
        if (!hs_lookup_is_due(vm->lookup, vm->self->hits++, attempt.is_decoded, vm->random)) {
            return finish(vm, store, &attempt, found);
        }
        if (attempt.how == COMPOSED) {
            attempt.fingerprint = hs_java_fingerprint(attempt.composed.frames, attempt.frame_count);
        }
    }
    static const enum hs_lookup_count COUNTS[] = {
        [NO_WALK] = HS_LOOKUP_UNWALKABLE,
        [UNKNOWN] = HS_LOOKUP_ASKED,
        [KNOWN] = HS_LOOKUP_KNOWN,
        [COMPOSED] = HS_LOOKUP_COMPOSED,
    };
    if (attempt.how != NOT_TRIED) {
        hs_lookup_count(vm->lookup, vm->self->stripe, COUNTS[attempt.how]);
    }
    return ask(vm, store, thread, wanted, &attempt, found);
}
