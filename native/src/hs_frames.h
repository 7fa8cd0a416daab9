/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Frames: what a line of a stack says.
 *
 * Two bytecode indexes on one line, the same class in two loaders, two lambdas of one place: one frame,
 * because the content is interned.
 *
 * Orders: the base is hs_intern.h. What is kept beside the numbers (class, origin) is relaxed, and set
 * before the number is handed on, which hs_intern.h orders. */
#ifndef HS_FRAMES_H
#define HS_FRAMES_H

#include <stdbool.h>

#include "hs_check.h"
#include "hs_ids.h"
#include "hs_intern.h"

/* The upper half of the flags is the first line of the method, 0 where unknown: class files number
 * lines in 16 bits. */
enum {
    HS_FRAME_NATIVE = 1,
    HS_FRAME_HIDDEN = 2,
    HS_FRAME_OWN = 4, /* code of HeapSampler */
    HS_FRAME_JDK = 8, /* code of the JDK */
    HS_FRAME_FIRST_LINE_SHIFT = 16
};

/* Those that say whose code a frame is; a frame of an application has none of them. */
enum { HS_FRAME_ORIGIN = HS_FRAME_OWN | HS_FRAME_JDK };

/* All names by number; file 0 and line -1 where unknown. The bytes are the identity of a frame. */
struct hs_frame {
    struct hs_name_id class_name;
    struct hs_name_id method;
    struct hs_name_id descriptor;
    struct hs_name_id file;
    int32_t line;
    uint32_t flags;
};
_Static_assert(sizeof(struct hs_frame) == 24, "no padding");

typedef struct hs_frames hs_frames;

/* Owns: the caller frees. Fails: HS_NO_MEMORY, HS_INVALID. */
enum hs_status hs_frames_new(uint32_t max_frames, hs_frames **result);
void hs_frames_free(hs_frames *frames);

/* Interns the frame. `raw_class` is the class name before normalisation, 0 where it has no number; the first
 * one seen is kept.
 * Thread: Callback. Fails: HS_FULL, HS_NO_MEMORY. */
enum hs_status hs_frames_put(hs_frames *frames, const struct hs_frame *frame,
                             struct hs_name_id raw_class, struct hs_frame_id *id);

/* The same, but a new frame fails with HS_FULL when `limit` frames are there. */
enum hs_status hs_frames_put_within(hs_frames *frames, uint32_t limit, const struct hs_frame *frame,
                                    struct hs_name_id raw_class, struct hs_frame_id *id);

/* The frame of a number; NULL if there is none. Thread: Any. Owns: the table. */
const struct hs_frame *hs_frames_get(const hs_frames *frames, struct hs_frame_id id);

/* The flags HS_FRAME_ORIGIN of a frame, without a look at the frame itself; 0 if there is none.
 * Thread: Any. */
uint32_t hs_frames_origin(const hs_frames *frames, struct hs_frame_id id);

/* Sets which raw class name a frame has, one that hs_frames_put has answered; the first one stays, 0 is none.
 * Thread: Callback. */
void hs_frames_set_raw_class(hs_frames *frames, struct hs_frame_id id, struct hs_name_id raw_class);

/* The raw class name of a frame; 0 if there is none. Thread: Any. */
struct hs_name_id hs_frames_raw_class(const hs_frames *frames, struct hs_frame_id id);

uint32_t hs_frames_end(const hs_frames *frames);

#ifdef HS_CHECKS
/* Is the table valid, are all names below `names_end`, and does what stands beside each number belong to its frame?
 * Thread: as hs_intern_is_valid. */
bool hs_frames_is_valid(const hs_frames *frames, uint32_t names_end);
#endif

#endif
