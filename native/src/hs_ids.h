/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Ids: the numbers that tables and the control side give, each kind a type of its own, so that the compiler refuses
 * one for another. A type is its 32 bits and nothing else: it costs nothing, and a key made of ids has no padding.
 * `number` is read where it is an index, is packed with other bits, is written to a snapshot or is given to Java. */
#ifndef HS_IDS_H
#define HS_IDS_H

#include <stdint.h>

/* Of a name of code (hs_names.h); 0: none. */
struct hs_name_id {
    uint32_t number;
};

/* Of a name of a thread, which has a table of its own (hs_threads.h); 0: none. */
struct hs_thread_name_id {
    uint32_t number;
};

/* Of a frame (hs_frames.h); 0: none. */
struct hs_frame_id {
    uint32_t number;
};

/* Of a stack (hs_stacks.h); 0: none. */
struct hs_stack_id {
    uint32_t number;
};

/* Of a set of labels (hs_labels.h); 0: none. */
struct hs_label_id {
    uint32_t number;
};

/* Of a stack, a class and a set of labels (hs_sites.h). */
struct hs_site_id {
    uint32_t number;
};

/* Of a Java thread (hs_threads.h). */
struct hs_thread_id {
    uint32_t number;
};

/* Of an open recording (hs_sampler.h); 0: none. */
struct hs_handle {
    int32_t number;
};

/* Of a hold (hs_hold.h); above 0. */
struct hs_hold_id {
    int32_t number;
};

/* Of a keeper of tables (hs_sampler_keep_tables); 0: none. Keepers are holds of another list. */
struct hs_keeper_id {
    int32_t number;
};

/* Of the limits and the strategy (hs_sampler_configure); 0: not configured yet. */
struct hs_config_version {
    int32_t number;
};

/* Of the collection that comes before a snapshot (hs_liveness.h). */
struct hs_after {
    int32_t number;
};

#endif
