/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Each line takes one kind of table or number for another, and must not compile: CMakeLists.txt defines
 * one of the names at a time and waits for the compiler's error. */
#include "hs_sampler.h"

extern struct hs_store *const store;
extern const struct hs_name_id name;
extern const struct hs_thread_name_id thread_name;
extern const struct hs_frame_id frame;
extern const struct hs_stack_id stack;
extern const struct hs_site_id site;
extern const struct hs_thread_id thread;
extern struct hs_sample sample;
extern uint32_t count;
extern struct hs_sampler *const sampler;
extern const uint32_t interval;
extern const struct hs_handle handle;
extern const struct hs_hold_id hold;
extern bool is_closed;
extern const struct hs_hold wish;
extern struct hs_hold_id taken;
extern struct hs_buffer buffer;

void hs_mixup(void);

void hs_mixup(void) {
#ifdef STACKS_AS_SITES
    (void)hs_sites_get(store->stacks, site);
#endif
#ifdef SITES_AS_STACKS
    (void)hs_stacks_get(store->sites, stack, &count);
#endif
#ifdef STACKS_AS_NAMES
    (void)hs_names_text(store->stacks, name, &count);
#endif
#ifdef NAMES_AS_STACKS
    store->stacks = store->names;
#endif
#ifdef SITE_AS_STACK
    (void)hs_stacks_get(store->stacks, site, &count);
#endif
#ifdef STACK_AS_SITE
    (void)hs_sites_get(store->sites, stack);
#endif
#ifdef SITE_AS_THREAD
    (void)hs_threads_java_id(store->threads, site);
#endif
#ifdef THREAD_AS_SITE
    (void)hs_sites_get(store->sites, thread);
#endif
#ifdef SAMPLE_SITE_AS_SITE
    (void)hs_sites_get(store->sites, sample.site);
#endif
#ifdef SAMPLE_THREAD_AS_SITE
    sample.site = sample.thread;
#endif
#ifdef STACK_AS_NAME
    (void)hs_names_text(store->names, stack, &count);
#endif
#ifdef FRAME_AS_NAME
    (void)hs_names_text(store->names, frame, &count);
#endif
#ifdef NAME_AS_FRAME
    (void)hs_frames_get(store->frames, name);
#endif
#ifdef NAMES_AS_STACK
    struct hs_stack_id put;
    (void)hs_stacks_put(store->stacks, &name, 1, &put);
#endif
#ifdef THREAD_NAME_AS_NAME
    (void)hs_names_text(store->names, thread_name, &count);
#endif
#ifdef NAME_AS_THREAD_NAME
    (void)hs_threads_name_text(store->threads, name, &count);
#endif
#ifdef INTERVAL_AS_HANDLE
    (void)hs_sampler_set_interval(sampler, NULL, interval, interval);
#endif
#ifdef HANDLE_AS_HOLD
    (void)hs_sampler_release(sampler, NULL, handle, &is_closed);
#endif
#ifdef HOLD_AS_KEEPER
    hs_sampler_drop_tables(sampler, NULL, hold);
#endif
#ifdef HANDLE_AS_CONFIG_VERSION
    (void)hs_sampler_hold(sampler, NULL, handle, interval, &wish, &taken);
#endif
#ifdef HANDLE_AS_AFTER
    (void)hs_sampler_snapshot(sampler, NULL, handle, handle, NULL, &buffer);
#endif
}
