/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_recording.h"

#include <string.h>

#include "hs_clock.h"
#include "hs_mem.h"

static size_t text_bytes(const char *const *texts, uint32_t count) {
    size_t bytes = count * sizeof *texts;
    for (uint32_t i = 0; i < count; i++) {
        bytes += strlen(texts[i]) + 1;
    }
    return bytes;
}

/* Copies pointers first, then texts, advancing *to; the pointers keep the block aligned. */
static const char *const *copy_pointers(char **to, uint32_t count) {
    char *start = *to;
    *to += count * sizeof(char *);
    return (const char *const *)(void *)start;
}

static void copy_texts(char **to, const char *const *slots, const char *const *texts,
                       uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        size_t bytes = strlen(texts[i]) + 1;
        memcpy(*to, texts[i], bytes);
        memcpy((void *)(uintptr_t)&slots[i], to, sizeof *to);
        *to += bytes;
    }
}

static enum hs_status copy_filter(struct hs_recording *recording, const struct hs_filter *from) {
    size_t ids = from->thread_count * sizeof *from->threads;
    recording->copies_bytes = ids + text_bytes(from->classes, from->class_count) +
                              text_bytes(from->packages, from->package_count);
    if (recording->copies_bytes == 0) {
        return HS_OK;
    }
    recording->copies = hs_mem_new(recording->copies_bytes);
    if (recording->copies == NULL) {
        return HS_NO_MEMORY;
    }
    char *to = recording->copies;
    struct hs_filter *filter = &recording->filter;
    *filter = *from;
    filter->threads = (const int64_t *)(void *)to;
    if (ids > 0) {
        memcpy(to, from->threads, ids);
        to += ids;
    }
    filter->classes = copy_pointers(&to, from->class_count);
    filter->packages = copy_pointers(&to, from->package_count);
    copy_texts(&to, filter->classes, from->classes, from->class_count);
    copy_texts(&to, filter->packages, from->packages, from->package_count);
    return HS_OK;
}

enum hs_status hs_recording_new(const struct hs_filter *filter, uint32_t max_sites,
                                uint32_t max_threads, struct hs_recording **result) {
    *result = NULL;
    struct hs_recording *recording = hs_mem_new(sizeof *recording);
    if (recording == NULL) {
        return HS_NO_MEMORY;
    }
    enum hs_status status = copy_filter(recording, filter);
    for (int i = 0; i < 2 && status == HS_OK; i++) {
        status = hs_totals_new(max_sites, HS_TOTALS_MAX_LANES, &recording->sums[i].sites.totals);
        if (status == HS_OK) {
            status =
                hs_totals_new(max_threads, HS_TOTALS_MAX_LANES, &recording->sums[i].threads.totals);
        }
        if (status == HS_OK) {
            status = hs_examples_new(max_sites, &recording->sums[i].examples);
        }
    }
    if (status != HS_OK) {
        hs_recording_free(recording);
        return status;
    }
    *result = recording;
    return HS_OK;
}

void hs_recording_free(struct hs_recording *recording) {
    if (recording != NULL) {
        for (int i = 0; i < 2; i++) {
            hs_examples_free(recording->sums[i].examples);
            hs_totals_free(recording->sums[i].threads.totals);
            hs_totals_free(recording->sums[i].sites.totals);
        }
        hs_mem_free(recording->copies, recording->copies_bytes);
        hs_mem_free(recording, sizeof *recording);
    }
}

static int64_t deadline_of(const struct hs_recording *recording) {
    return atomic_load_explicit(&recording->deadline_us, memory_order_relaxed);
}

void hs_recording_accept(struct hs_recording *recording, bool is_accepting) {
    int64_t now = hs_clock_monotonic_us();
    if (recording->is_accepting && !is_accepting) {
        int64_t deadline = deadline_of(recording);
        int64_t end = deadline != 0 && deadline < now ? deadline : now;
        recording->accepted_us += end - recording->accepting_since_us;
    } else if (is_accepting && !recording->is_accepting) {
        recording->accepting_since_us = now;
        atomic_store_explicit(&recording->deadline_us,
                              recording->duration_us == 0 ? 0 : now + recording->duration_us,
                              memory_order_relaxed);
    }
    recording->is_accepting = is_accepting;
}

struct hs_acceptance hs_recording_acceptance(const struct hs_recording *recording) {
    return (struct hs_acceptance){
        .is_accepting = recording->is_accepting,
        .since_us = recording->accepting_since_us,
        .deadline_us = deadline_of(recording),
        .accepted_us = recording->accepted_us,
    };
}

void hs_recording_restore(struct hs_recording *recording, const struct hs_acceptance *acceptance) {
    recording->is_accepting = acceptance->is_accepting;
    recording->accepting_since_us = acceptance->since_us;
    recording->accepted_us = acceptance->accepted_us;
    atomic_store_explicit(&recording->deadline_us, acceptance->deadline_us, memory_order_relaxed);
}

bool hs_recording_wants_thread(const struct hs_recording *recording, int64_t thread) {
    const struct hs_filter *filter = &recording->filter;
    for (uint32_t i = 0; i < filter->thread_count; i++) {
        if (filter->threads[i] == thread) {
            return true;
        }
    }
    return filter->thread_count == 0;
}

static bool is_in_package(const char *package, const char *name, uint32_t bytes) {
    size_t n = strlen(package);
    return bytes > n && memcmp(name, package, n) == 0 && name[n] == '.';
}

static bool wants_class(const struct hs_filter *filter, const char *name, uint32_t bytes) {
    for (uint32_t i = 0; i < filter->class_count; i++) {
        const char *wanted = filter->classes[i];
        if (strlen(wanted) == bytes && memcmp(wanted, name, bytes) == 0) {
            return true;
        }
    }
    for (uint32_t i = 0; i < filter->package_count; i++) {
        if (is_in_package(filter->packages[i], name, bytes)) {
            return true;
        }
    }
    return filter->class_count == 0 && filter->package_count == 0;
}

bool hs_recording_wants(const struct hs_recording *recording, int64_t now_us, int64_t thread,
                        const char *class_name, uint32_t class_bytes) {
    return !hs_recording_is_over(recording, now_us) &&
           hs_recording_wants_thread(recording, thread) &&
           wants_class(&recording->filter, class_name, class_bytes);
}
