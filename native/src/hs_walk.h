/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Walk: the physical frames of the running thread, as a key.
 *
 * A physical frame that carries Java becomes an item: a compiled one its pc and the compile id of
 * its code, an interpreted one its method and the address of its current bytecode. Stubs and the
 * frames of the VM's own C++ between two Java segments carry none and leave no trace. The same items
 * always stand for the same Java frames, as long as the interpreted methods live (doc/fast-stacks.md).
 *
 * Pure: reads the memory between `low` and `base`, the code blocks that pcs found there lie in, and
 * the map that leads to them; calls nothing, allocates nothing. Thread: the one whose stack it is.
 * Every doubt ends the walk; the caller then asks the VM. */
#ifndef HS_WALK_H
#define HS_WALK_H

#include "hs_code.h"
#include "hs_last_walk.h"

enum { HS_WALK_MAX_ITEMS = 320 };

/* How a processor's frames look, in words from the frame pointer. */
struct hs_frame_shape {
    int interpreter_method;
    int interpreter_bcp;
    int call_wrapper;    /* in the frame of the call stub */
    uintptr_t pc_mask;   /* clears the signature from a return address */
    bool has_weak_order; /* words may be seen in another order than they were written in */
    bool has_reserve; /* an interpreted caller's stack pointer may lie below its callee's frame */
};

extern const struct hs_frame_shape HS_SHAPE_X86_64;
extern const struct hs_frame_shape HS_SHAPE_AARCH64;

/* The shape of this processor; NULL when there is none. */
const struct hs_frame_shape *hs_walk_shape(void);

struct hs_walker {
    const struct hs_layout *layout;
    const struct hs_frame_shape *shape;
    struct hs_code code;
    uintptr_t continuation_root; /* Method of the frame that a virtual thread ends at; 0: none */
};

/* Where a walk begins. */
struct hs_walk_start {
    uintptr_t sp;
    uintptr_t fp;
    uintptr_t pc;                   /* 0: the word below sp */
    uintptr_t low;                  /* nothing below is read */
    uintptr_t base;                 /* nor at or above */
    struct hs_last_walk *last_walk; /* of this thread; may be NULL */
};

enum hs_walk_end {
    HS_WALK_BOTTOM,       /* all frames are there */
    HS_WALK_CONTINUATION, /* all frames of the virtual thread are there */
    HS_WALK_CUT,          /* as many items as were requested; there may be more */
    /* Given up: */
    HS_WALK_NO_JAVA,    /* no Java frame is anchored, or the anchor is not on this stack */
    HS_WALK_FOREIGN_PC, /* a pc outside the code cache, such as a return barrier's */
    HS_WALK_ODD_CODE,   /* code whose frames are not plain */
    HS_WALK_ODD_FRAME,  /* an address off the stack, backwards or misaligned */
    HS_WALK_END_COUNT
};

static inline bool hs_walk_is_whole(enum hs_walk_end end) {
    return end == HS_WALK_BOTTOM || end == HS_WALK_CONTINUATION;
}

static inline bool hs_walk_is_given_up(enum hs_walk_end end) {
    return end > HS_WALK_CUT;
}

/* What was found, leaf first. Item i begins at words[at[i]] and has one word when it is compiled,
 * two when it is interpreted: hs_item_words tells by the word itself, so the words alone say where
 * each item ends. The last word says how the walk ended. */
struct hs_walk_items {
    uint32_t count;
    uint32_t word_count;
    enum hs_walk_end end;
    uint64_t hash; /* hs_hash_bytes of the words */
    uint16_t at[HS_WALK_MAX_ITEMS];
    uint64_t words[2 * HS_WALK_MAX_ITEMS + 1];
};

#define HS_ITEM_COMPILED (UINT64_C(1) << 63)

static inline bool hs_item_is_compiled(uint64_t word) {
    return (word & HS_ITEM_COMPILED) != 0;
}

static inline uint32_t hs_item_compile_id(uint64_t word) {
    return (uint32_t)(word >> 32) & INT32_MAX;
}

static inline uint32_t hs_item_words(uint64_t word) {
    return hs_item_is_compiled(word) ? 1 : 2;
}

void hs_walker_init(struct hs_walker *walker, const struct hs_layout *layout,
                    const struct hs_frame_shape *shape, uintptr_t continuation_root);

/* Reads where a thread's Java frames begin from its JavaThread, which must be the running one.
 * `low` is an address below all Java frames, such as that of a local variable. */
bool hs_walk_begin(const struct hs_layout *layout, uintptr_t java_thread, uintptr_t low,
                   struct hs_walk_start *start);

/* Walks at most `max_items` items. Of `items`, all up to the counts is valid, also when the walk was
 * given up. */
enum hs_walk_end hs_walk(struct hs_walker *walker, const struct hs_walk_start *start,
                         uint32_t max_items, struct hs_walk_items *items);

/* The Method at whose frame the run of an item ends: of compiled code the one that was compiled, of
 * an interpreted frame its own. *is_single: the item stands for one frame, which is interpreted or
 * native. Valid only while the frames walked are on the stack. */
uintptr_t hs_walk_root(struct hs_walker *walker, const struct hs_walk_items *items, uint32_t i,
                       bool *is_single);

#ifdef HS_BREAKABLE
/* Flaws that tests switch on, to see that they are noticed. */
struct hs_walk_flaws {
    bool drops_compile_id;
    bool ignores_deoptimisation;
};
extern struct hs_walk_flaws hs_walk_flaws;
#endif

#endif
