/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Each line takes one kind of table or number for another, and must not compile: CMakeLists.txt defines
 * one of the names at a time and waits for the compiler's error. */
#include "hs_store.h"

void hs_mixup(struct hs_store *store, struct hs_site_id site, struct hs_stack_id stack,
              struct hs_thread_id thread);

void hs_mixup(struct hs_store *store, struct hs_site_id site, struct hs_stack_id stack,
              struct hs_thread_id thread) {
    uint32_t count = 0;
#ifdef STACKS_AS_SITES
    (void)hs_sites_get(store->stacks, site);
#endif
#ifdef SITES_AS_STACKS
    (void)hs_stacks_get(store->sites, stack, &count);
#endif
#ifdef STACKS_AS_NAMES
    (void)hs_names_text(store->stacks, 1, &count);
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
    (void)store, (void)site, (void)stack, (void)thread, (void)count;
}
