/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Every frame with compiled code has the return address in the word below its end and the caller's
 * frame pointer in the word below that; an interpreter's frame has both at its frame pointer, and the
 * caller's stack pointer one word below it (the adapters between compiled and interpreted code move
 * the stack pointer, so no other word will do). */
#include "hs_walk.h"

#include "hs_hash.h"

enum { WORD = sizeof(uintptr_t) };

const struct hs_frame_shape HS_SHAPE_X86_64 = {
    .interpreter_method = -3,
    .interpreter_bcp = -8,
    .call_wrapper = -6,
    .pc_mask = UINTPTR_MAX,
};

const struct hs_frame_shape HS_SHAPE_AARCH64 = {
    .interpreter_method = -3,
    .interpreter_bcp = -9,
    .call_wrapper = -8,
    .pc_mask = (UINT64_C(1) << 48) - 1, /* the signature lies above the address */
    .has_weak_order = true,
    .has_reserve = true,
};

const struct hs_frame_shape *hs_walk_shape(void) {
#if defined(__x86_64__)
    return &HS_SHAPE_X86_64;
#elif defined(__aarch64__)
    return &HS_SHAPE_AARCH64;
#else
    return NULL;
#endif
}

#ifdef HS_BREAKABLE
struct hs_walk_flaws hs_walk_flaws;
#define FLAW(name) hs_walk_flaws.name
#else
#define FLAW(name) false
#endif

/* The frame we are at, and the bounds. */
struct cursor {
    uintptr_t sp;
    uintptr_t fp;
    uintptr_t pc;
    uintptr_t low;
    uintptr_t base;
    /* Of the last walk's frames, `ahead` are still ahead, the next one last; from there to `met_end` are those that
     * were met again and may stay. What was met apart from these, leaf first, is in `changed`. */
    const struct hs_last_walk_frame *frames; /* NULL: nothing is remembered */
    uint32_t ahead;
    uint32_t met_end;
    uint32_t changed_count;
    struct hs_last_walk_frame *changed;
    /* What there is of the key. Here, since nothing that is written to it can change it. */
    uint32_t items;
    uint32_t words;
    uint64_t hash;
};

void hs_walker_init(struct hs_walker *walker, const struct hs_layout *layout,
                    const struct hs_frame_shape *shape, uintptr_t continuation_root) {
    walker->layout = layout;
    walker->shape = shape;
    walker->continuation_root = continuation_root;
    hs_code_init(&walker->code, layout);
}

bool hs_walk_begin(const struct hs_layout *layout, uintptr_t java_thread, uintptr_t low,
                   struct hs_walk_start *start) {
    uintptr_t anchor = java_thread + layout->thread_anchor;
    start->sp = *(const uintptr_t *)(anchor + layout->anchor_sp);
    start->fp = *(const uintptr_t *)(anchor + layout->anchor_fp);
    start->pc = *(const uintptr_t *)(anchor + layout->anchor_pc);
    start->base = *(const uintptr_t *)(java_thread + layout->thread_stack_base);
    start->low = low;
    start->last_walk = NULL;
    uintptr_t size = *(const uintptr_t *)(java_thread + layout->thread_stack_size);
    return start->sp > low && start->sp < start->base && start->base - low <= size;
}

/* The word at an address, if that lies on the stack. */
static bool read(const struct cursor *cursor, uintptr_t address, uintptr_t *word) {
    if (address < cursor->low || address % WORD != 0 || address >= cursor->base ||
        cursor->base - address < WORD) {
        return false;
    }
    *word = *(const uintptr_t *)address;
    return true;
}

static bool read_at(const struct cursor *cursor, uintptr_t from, int words, uintptr_t *word) {
    return read(cursor, from + (uintptr_t)(words * WORD), word);
}

static void begin_item(struct cursor *cursor, struct hs_walk_items *items) {
    items->at[cursor->items++] = (uint16_t)cursor->words;
}

static void add_word(struct cursor *cursor, struct hs_walk_items *items, uint64_t word) {
    items->words[cursor->words++] = word;
    cursor->hash = hs_hash_word(cursor->hash, word);
}

/* A frame with compiled code has no fields but its size: the caller's place follows from that. */
static enum hs_walk_end leave_sized_frame(const struct hs_walker *walker, struct cursor *cursor,
                                          uint32_t words) {
    uintptr_t sender_sp = cursor->sp + (uintptr_t)words * WORD;
    if (sender_sp % WORD != 0 || sender_sp > cursor->base ||
        sender_sp < cursor->low + 2 * sizeof(uintptr_t)) {
        return HS_WALK_ODD_FRAME;
    }
    const uintptr_t *end = (const uintptr_t *)sender_sp;
    cursor->sp = sender_sp;
    cursor->fp = end[-2];
    cursor->pc = end[-1] & walker->shape->pc_mask;
    return HS_WALK_CUT;
}

/* ---- the last walk ---- */

static void pick_up(struct cursor *cursor, struct hs_last_walk *last_walk) {
    cursor->frames = last_walk->frames;
    cursor->ahead = last_walk->count;
    cursor->met_end = last_walk->count;
}

static void add_changed(struct cursor *cursor, const struct hs_last_walk_frame *frame) {
    if (cursor->changed_count < HS_LAST_WALK_FRAMES) {
        cursor->changed[cursor->changed_count++] = *frame;
    }
}

/* The frames that were met again cannot stay where they are, since others follow. */
static void move_met(struct cursor *cursor) {
    for (uint32_t i = cursor->met_end; i > cursor->ahead; i--) {
        add_changed(cursor, &cursor->frames[i - 1]);
    }
    cursor->met_end = cursor->ahead;
}

/* Frames of the last walk that this one has passed are no more. */
static void skip_passed(struct cursor *cursor) {
    if (cursor->ahead > 0 && cursor->frames[cursor->ahead - 1].sp < cursor->sp) {
        move_met(cursor);
        while (cursor->ahead > 0 && cursor->frames[cursor->ahead - 1].sp < cursor->sp) {
            cursor->ahead--;
        }
        cursor->met_end = cursor->ahead;
    }
}

/* Nothing is written where all frames were met again. Frames nearest to the leaf find no room if there are too many. */
static void leave_behind(struct cursor *cursor, struct hs_last_walk *last_walk) {
    if (cursor->ahead > 0) {
        move_met(cursor);
        cursor->met_end = 0;
    }
    uint32_t count = cursor->met_end;
    for (uint32_t i = cursor->changed_count; i > 0 && count < HS_LAST_WALK_FRAMES; i--) {
        last_walk->frames[count++] = cursor->changed[i - 1];
    }
    if (last_walk->count != count) {
        last_walk->count = count;
    }
}

/* How many of the frames ahead may be followed at once. */
static uint32_t room_to_follow(const struct cursor *cursor, uint32_t max_items) {
    uint32_t room = max_items - cursor->items;
    return room < cursor->ahead ? room : cursor->ahead;
}

/* Follows the last walk as far as it is still there. This is where the time of a walk goes: no frame waits
 * for the one before it, since the last walk says where it ought to be. Apart from the rest, so that what
 * the loop needs stays in registers. */
__attribute__((noinline)) static void follow(const struct hs_walker *walker, struct cursor *cursor,
                                             uint32_t max_items, struct hs_walk_items *items) {
    const struct hs_code_marks marks = hs_code_marks(&walker->code);
    skip_passed(cursor);
    const struct hs_last_walk_frame *frame =
        cursor->frames + cursor->ahead; /* its predecessor is next */
    uint64_t *words = items->words + cursor->words;
    /* So the two words are as well, that each frame has at least. */
    bool is_inside =
        cursor->sp >= cursor->low && cursor->sp <= cursor->base && cursor->sp % WORD == 0;
    uint32_t room = is_inside && !FLAW(drops_compile_id) ? room_to_follow(cursor, max_items) : 0;
    const uintptr_t pc_mask = walker->shape->pc_mask;
    uintptr_t sp = cursor->sp;
    uintptr_t pc = cursor->pc;
    uint64_t hash = cursor->hash;
    uint32_t i = 0;
    for (; i < room && frame[-1].sp == sp && marks.base + (uint32_t)frame[-1].word == pc &&
           hs_code_is(&marks, frame[-1].blob, hs_item_compile_id(frame[-1].word), frame[-1].reach);
         i++, frame--) {
        uintptr_t sender_sp = sp + (uintptr_t)frame[-1].frame_words * WORD;
        if (sender_sp > cursor->base) {
            break;
        }
        sp = sender_sp;
        pc = ((const uintptr_t *)sp)[-1] & pc_mask;
        hash = hs_hash_word(hash, frame[-1].word);
        words[i] = frame[-1].word;
    }
    for (uint32_t k = 0; k < i; k++) {
        items->at[cursor->items + k] = (uint16_t)(cursor->words + k);
    }
    if (i > 0) {
        cursor->fp = ((const uintptr_t *)sp)[-2];
    }
    cursor->sp = sp;
    cursor->pc = pc;
    cursor->hash = hash;
    cursor->ahead -= i;
    cursor->items += i;
    cursor->words += i;
}

static enum hs_walk_end add_known(const struct hs_walker *walker, struct cursor *cursor,
                                  const struct hs_recall *known, struct hs_walk_items *items) {
    uint64_t id = FLAW(drops_compile_id) ? 1 : known->compile_id;
    uint64_t word = HS_ITEM_COMPILED | id << 32 | (cursor->pc - walker->code.base);
    struct hs_last_walk_frame frame = {cursor->sp, word, known->blob, known->frame_words,
                                       known->reach};
    begin_item(cursor, items);
    add_word(cursor, items, word);
    enum hs_walk_end end = leave_sized_frame(walker, cursor, known->frame_words);
    if (end == HS_WALK_CUT && cursor->frames != NULL) {
        move_met(cursor);
        add_changed(cursor, &frame);
    }
    return end;
}

/* ---- frames ---- */

/* The pc that counts: where the VM has put the deoptimisation handler in its place, the frame keeps
 * the real one. */
static bool real_pc(struct hs_walker *walker, const struct cursor *cursor,
                    const struct hs_blob *blob, uintptr_t *pc) {
    *pc = cursor->pc;
    if (FLAW(ignores_deoptimisation) || !hs_code_is_deoptimised(&walker->code, blob, cursor->pc)) {
        return true;
    }
    if (walker->shape->has_weak_order) {
        return false; /* the real pc may be seen later than the handler that stands for it */
    }
    return read(cursor, cursor->sp + hs_code_orig_pc_offset(&walker->code, blob), pc) &&
           hs_code_find(&walker->code, *pc).address == blob->address &&
           !hs_code_is_deoptimised(&walker->code, blob, *pc);
}

static enum hs_walk_end add_compiled(struct hs_walker *walker, struct cursor *cursor,
                                     const struct hs_blob *blob, struct hs_walk_items *items) {
    uintptr_t pc;
    if (walker->continuation_root != 0 && blob->kind == HS_CODE_NATIVE &&
        hs_code_method(&walker->code, blob) == walker->continuation_root) {
        return HS_WALK_CONTINUATION;
    }
    if (!real_pc(walker, cursor, blob, &pc) || pc <= blob->address) {
        return HS_WALK_ODD_FRAME;
    }
    uint64_t distance = pc - walker->code.base;
    uint64_t id = hs_code_compile_id(&walker->code, blob);
    if (distance > UINT32_MAX || id == 0 || id > INT32_MAX) {
        return HS_WALK_ODD_CODE;
    }
    if (blob->kind == HS_CODE_COMPILED && pc == cursor->pc) {
        hs_code_keep(&walker->code, pc, blob);
    }
    id = FLAW(drops_compile_id) ? 1 : id;
    begin_item(cursor, items);
    add_word(cursor, items, HS_ITEM_COMPILED | id << 32 | distance);
    return leave_sized_frame(walker, cursor, blob->frame_words);
}

/* From an interpreted frame to its caller, of whom the frame notes the stack pointer. On aarch64 an
 * interpreted caller has moved its own down, to have room for all expressions it may need, and the frame
 * begins within that: what it notes says nothing then, and it is not queried, since the caller is
 * found by its frame pointer. */
static enum hs_walk_end leave_interpreted_frame(struct hs_walker *walker, struct cursor *cursor,
                                                uintptr_t sender_sp, uintptr_t sender_fp,
                                                uintptr_t sender_pc) {
    sender_pc &= walker->shape->pc_mask;
    if (sender_sp <= cursor->fp) {
        if (!walker->shape->has_reserve ||
            hs_code_find(&walker->code, sender_pc).kind != HS_CODE_INTERPRETER) {
            return HS_WALK_ODD_FRAME;
        }
        sender_sp = cursor->fp + 2 * sizeof(uintptr_t);
    }
    cursor->sp = sender_sp;
    cursor->fp = sender_fp;
    cursor->pc = sender_pc;
    return HS_WALK_CUT;
}

static enum hs_walk_end add_interpreted(struct hs_walker *walker, struct cursor *cursor,
                                        struct hs_walk_items *items) {
    const struct hs_frame_shape *shape = walker->shape;
    uintptr_t method;
    uintptr_t bcp;
    uintptr_t sender_sp;
    uintptr_t sender_fp;
    uintptr_t sender_pc;
    if (cursor->fp < cursor->sp ||
        !read_at(cursor, cursor->fp, shape->interpreter_method, &method) ||
        !read_at(cursor, cursor->fp, shape->interpreter_bcp, &bcp) ||
        !read_at(cursor, cursor->fp, -1, &sender_sp) ||
        !read_at(cursor, cursor->fp, 0, &sender_fp) ||
        !read_at(cursor, cursor->fp, 1, &sender_pc)) {
        return HS_WALK_ODD_FRAME;
    }
    if (method == 0 || method % WORD != 0 || hs_item_is_compiled(method)) {
        return HS_WALK_ODD_FRAME;
    }
    enum hs_walk_end end = leave_interpreted_frame(walker, cursor, sender_sp, sender_fp, sender_pc);
    if (end == HS_WALK_CUT) {
        begin_item(cursor, items);
        add_word(cursor, items, method);
        add_word(cursor, items, bcp);
    }
    return end;
}

/* The VM called Java here: what Java it came from is in an anchor of the call. */
static enum hs_walk_end cross_call_stub(const struct hs_walker *walker, struct cursor *cursor) {
    const struct hs_layout *layout = walker->layout;
    uintptr_t wrapper;
    uintptr_t sp;
    uintptr_t fp;
    uintptr_t pc;
    if (!read_at(cursor, cursor->fp, walker->shape->call_wrapper, &wrapper)) {
        return HS_WALK_ODD_FRAME;
    }
    uintptr_t anchor = wrapper + layout->wrapper_anchor;
    if (!read(cursor, anchor + layout->anchor_sp, &sp) ||
        !read(cursor, anchor + layout->anchor_fp, &fp) ||
        !read(cursor, anchor + layout->anchor_pc, &pc)) {
        return HS_WALK_ODD_FRAME;
    }
    if (sp == 0) {
        return HS_WALK_BOTTOM;
    }
    if (sp <= cursor->sp || (pc == 0 && !read_at(cursor, sp, -1, &pc))) {
        return HS_WALK_ODD_FRAME;
    }
    cursor->sp = sp;
    cursor->fp = fp;
    cursor->pc = pc & walker->shape->pc_mask;
    return HS_WALK_CUT;
}

/* One frame further. HS_WALK_CUT: and so on. */
static enum hs_walk_end advance(struct hs_walker *walker, struct cursor *cursor,
                                struct hs_walk_items *items) {
    if (cursor->pc == walker->layout->call_stub_return) {
        return cross_call_stub(walker, cursor);
    }
    struct hs_recall known = hs_code_recall(&walker->code, cursor->pc);
    if (known.frame_words != 0) {
        return add_known(walker, cursor, &known, items);
    }
    struct hs_blob blob = hs_code_find(&walker->code, cursor->pc);
    switch (blob.kind) {
    case HS_CODE_COMPILED:
    case HS_CODE_NATIVE: return add_compiled(walker, cursor, &blob, items);
    case HS_CODE_INTERPRETER: return add_interpreted(walker, cursor, items);
    case HS_CODE_STUB: return leave_sized_frame(walker, cursor, blob.frame_words);
    case HS_CODE_NONE: return HS_WALK_FOREIGN_PC;
    case HS_CODE_OTHER: break;
    }
    return HS_WALK_ODD_CODE;
}

enum hs_walk_end hs_walk(struct hs_walker *walker, const struct hs_walk_start *start,
                         uint32_t max_items, struct hs_walk_items *items) {
    struct hs_last_walk_frame changed[HS_LAST_WALK_FRAMES];
    struct cursor cursor = {
        .sp = start->sp,
        .fp = start->fp,
        .pc = start->pc,
        .low = start->low,
        .base = start->base,
        .changed = changed,
        .hash = HS_HASH_BEGIN,
    };
    enum hs_walk_end end = HS_WALK_CUT;
    if (start->last_walk != NULL) {
        pick_up(&cursor, start->last_walk);
    }
    if (cursor.pc == 0 && !read_at(&cursor, cursor.sp, -1, &cursor.pc)) {
        end = HS_WALK_NO_JAVA;
    }
    cursor.pc &= walker->shape->pc_mask;
    max_items = max_items < HS_WALK_MAX_ITEMS ? max_items : HS_WALK_MAX_ITEMS;
    while (end == HS_WALK_CUT && cursor.items < max_items) {
        if (cursor.ahead > 0) {
            follow(walker, &cursor, max_items, items);
        }
        end = cursor.items < max_items ? advance(walker, &cursor, items) : HS_WALK_CUT;
    }
    if (start->last_walk != NULL) {
        leave_behind(&cursor, start->last_walk);
    }
    items->end = end;
    items->count = cursor.items;
    add_word(&cursor, items, (uint64_t)end);
    items->word_count = cursor.words;
    items->hash = hs_hash_end(cursor.hash, cursor.words * sizeof items->words[0]);
    return end;
}

uintptr_t hs_walk_root(struct hs_walker *walker, const struct hs_walk_items *items, uint32_t i,
                       bool *is_single) {
    uint64_t word = items->words[items->at[i]];
    if (!hs_item_is_compiled(word)) {
        *is_single = true;
        return (uintptr_t)word;
    }
    struct hs_blob blob = hs_code_find(&walker->code, walker->code.base + (uint32_t)word);
    *is_single = blob.kind == HS_CODE_NATIVE;
    return blob.address == 0 ? 0 : hs_code_method(&walker->code, &blob);
}
