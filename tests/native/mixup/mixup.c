/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Each line under a name takes one kind of table or number for another, and must not compile: CMakeLists.txt defines
 * one of the names at a time and waits for the compiler's error. The line after it is the right call: without a name
 * all of them compile. */
#include "hs_sampler.h"

extern struct hs_store *const store;
extern const struct hs_store *const other;
extern const struct hs_name_id name;
extern const struct hs_thread_name_id thread_name;
extern const struct hs_frame_id frame;
extern const struct hs_stack_id stack;
extern const struct hs_site_id site;
extern const struct hs_thread_id thread;
extern struct hs_sample sample;
extern const struct hs_sample_site sample_site;
extern uint32_t count;
extern struct hs_sampler *const sampler;
extern const uint32_t interval;
extern const struct hs_handle handle;
extern const struct hs_hold_id hold;
extern const struct hs_keeper_id keeper;
extern const struct hs_config_version config_version;
extern const struct hs_after after;
extern bool is_closed;
extern const struct hs_hold wish;
extern struct hs_hold_id taken;
extern struct hs_buffer buffer;
extern struct hs_stack_id put;
extern struct hs_recording *const recording;
extern struct hs_total total;

void hs_mixup(void);

void hs_mixup(void) {
#if defined(STACKS_AS_SITES)
    (void)hs_sites_get(store->stacks, site, &(struct hs_site){0});
#elif defined(STACK_AS_SITE)
    (void)hs_sites_get(store->sites, stack, &(struct hs_site){0});
#elif defined(THREAD_AS_SITE)
    (void)hs_sites_get(store->sites, thread, &(struct hs_site){0});
#elif defined(SAMPLE_SITE_AS_SITE)
    (void)hs_sites_get(store->sites, sample.site, &(struct hs_site){0});
#else
    (void)hs_sites_get(store->sites, site, &(struct hs_site){0});
#endif
#if defined(SITES_AS_STACKS)
    (void)hs_stacks_get(store->sites, stack, &count);
#elif defined(SITE_AS_STACK)
    (void)hs_stacks_get(store->stacks, site, &count);
#else
    (void)hs_stacks_get(store->stacks, stack, &count);
#endif
#if defined(STACKS_AS_NAMES)
    (void)hs_names_text(store->stacks, name, &count);
#elif defined(STACK_AS_NAME)
    (void)hs_names_text(store->names, stack, &count);
#elif defined(FRAME_AS_NAME)
    (void)hs_names_text(store->names, frame, &count);
#elif defined(THREAD_NAME_AS_NAME)
    (void)hs_names_text(store->names, thread_name, &count);
#else
    (void)hs_names_text(store->names, name, &count);
#endif
#if defined(NAMES_AS_STACKS)
    store->stacks = other->names;
#else
    store->stacks = other->stacks;
#endif
#if defined(SITE_AS_THREAD)
    (void)hs_threads_java_id(store->threads, site);
#else
    (void)hs_threads_java_id(store->threads, thread);
#endif
#if defined(SAMPLE_THREAD_AS_SITE)
    sample.site = sample.thread;
#else
    sample.site = sample_site;
#endif
#if defined(NAME_AS_FRAME)
    (void)hs_frames_get(store->frames, name);
#else
    (void)hs_frames_get(store->frames, frame);
#endif
#if defined(NAMES_AS_STACK)
    (void)hs_stacks_put(store->stacks, &name, 1, &put);
#else
    (void)hs_stacks_put(store->stacks, &frame, 1, &put);
#endif
#if defined(NAME_AS_THREAD_NAME)
    (void)hs_threads_name_text(store->threads, name, &count);
#else
    (void)hs_threads_name_text(store->threads, thread_name, &count);
#endif
#if defined(THREAD_AS_SITE_OF_SUMS)
    (void)hs_site_sums_read(recording->sums[0].sites, thread, &total);
#elif defined(THREADS_AS_SITES_OF_SUMS)
    (void)hs_site_sums_read(recording->sums[0].threads, site, &total);
#else
    (void)hs_site_sums_read(recording->sums[0].sites, site, &total);
#endif
#if defined(SITE_AS_THREAD_OF_SUMS)
    (void)hs_thread_sums_read(recording->sums[0].threads, site, &total);
#elif defined(NUMBER_AS_THREAD_OF_SUMS)
    (void)hs_thread_sums_read(recording->sums[0].threads, count, &total);
#else
    (void)hs_thread_sums_read(recording->sums[0].threads, thread, &total);
#endif
#if defined(INTERVAL_AS_HANDLE)
    (void)hs_sampler_set_interval(sampler, NULL, interval, interval);
#else
    (void)hs_sampler_set_interval(sampler, NULL, handle, interval);
#endif
#if defined(HANDLE_AS_HOLD)
    (void)hs_sampler_release(sampler, NULL, handle, &is_closed);
#else
    (void)hs_sampler_release(sampler, NULL, hold, &is_closed);
#endif
#if defined(HOLD_AS_KEEPER)
    hs_sampler_drop_tables(sampler, NULL, hold);
#else
    hs_sampler_drop_tables(sampler, NULL, keeper);
#endif
#if defined(HANDLE_AS_CONFIG_VERSION)
    (void)hs_sampler_hold(sampler, NULL, handle, interval, &wish, &taken);
#else
    (void)hs_sampler_hold(sampler, NULL, config_version, interval, &wish, &taken);
#endif
#if defined(HANDLE_AS_AFTER)
    (void)hs_sampler_snapshot(sampler, NULL, handle, handle, NULL, &buffer);
#else
    (void)hs_sampler_snapshot(sampler, NULL, handle, after, NULL, &buffer);
#endif
}
