/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_oom.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "hs_clock.h"
#include "hs_estimate.h"
#include "hs_mem.h"
#include "hs_oom_file.h"

typedef _Atomic enum hs_oom_state state_word;

/* From one state to another; false when it is a third by now. */
static bool turn(state_word *word, enum hs_oom_state from, enum hs_oom_state to) {
    return atomic_compare_exchange_strong_explicit(word, &from, to, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

bool hs_oom_is_on(const struct hs_oom *oom) {
    return oom->path[0] != '\0';
}

bool hs_oom_is_due(const struct hs_oom *oom) {
    return atomic_load_explicit(&oom->state, memory_order_relaxed) == HS_OOM_READY;
}

/* The thread that strikes looks at none of this, and the thread that writes has HS_RANK_SWEEP as well. */
enum hs_status hs_oom_arm(struct hs_oom *oom, const char *path) {
    if (path == NULL) {
        hs_oom_free(oom);
        return HS_OK;
    }
    if (strlen(path) >= HS_OOM_PATH) {
        return HS_INVALID;
    }
    bool was_on = hs_oom_is_on(oom);
    bool is_other = strcmp(oom->path, path) != 0;
    memcpy(oom->path, path, strlen(path) + 1);
    oom->has_retried = false;
    (void)(turn(&oom->state, HS_OOM_OFF, HS_OOM_ARMED) ||
           (is_other && turn(&oom->state, HS_OOM_DONE, HS_OOM_ARMED)) ||
           (!was_on && turn(&oom->state, HS_OOM_READY, HS_OOM_ARMED)));
    return HS_OK;
}

enum hs_status hs_oom_reserve(struct hs_oom *oom, uint32_t sites) {
    if (oom->size >= sites) {
        return HS_OK;
    }
    struct hs_oom_sum *sums = hs_mem_new_array(sites, sizeof *sums);
    if (sums == NULL) {
        return HS_NO_MEMORY;
    }
    hs_mem_free(oom->sums, oom->size * sizeof *sums);
    oom->sums = sums;
    oom->size = sites;
    return HS_OK;
}

void hs_oom_free(struct hs_oom *oom) {
    enum hs_oom_state state = atomic_load_explicit(&oom->state, memory_order_relaxed);
    while (state != HS_OOM_DUE &&
           !atomic_compare_exchange_weak_explicit(&oom->state, &state, HS_OOM_OFF,
                                                  memory_order_acquire, memory_order_relaxed)) {
    }
    oom->path[0] = '\0';
    hs_mem_free(oom->sums, oom->size * sizeof *oom->sums);
    oom->sums = NULL;
    oom->size = 0;
}

void hs_oom_discard(struct hs_oom *oom) {
    oom->has_retried = false;
    (void)turn(&oom->state, HS_OOM_READY, hs_oom_is_on(oom) ? HS_OOM_ARMED : HS_OOM_OFF);
}

static bool is_open_to(const struct hs_oom *oom, enum hs_oom_state state, bool is_heap) {
    bool has_report = state == HS_OOM_READY || state == HS_OOM_DONE;
    return state == HS_OOM_ARMED ||
           (is_heap && has_report && !atomic_load_explicit(&oom->is_of_heap, memory_order_relaxed));
}

bool hs_oom_strike(struct hs_oom *oom, const char *reason, bool is_heap) {
    enum hs_oom_state state = atomic_load_explicit(&oom->state, memory_order_acquire);
    do {
        if (!is_open_to(oom, state, is_heap)) {
            return false;
        }
    } while (!atomic_compare_exchange_weak_explicit(&oom->state, &state, HS_OOM_DUE,
                                                    memory_order_acquire, memory_order_acquire));
    const char *text = reason == NULL ? "no reason given" : reason;
    size_t bytes = strlen(text);
    bytes = bytes < HS_OOM_REASON ? bytes : HS_OOM_REASON - 1;
    memcpy(oom->reason, text, bytes);
    oom->reason[bytes] = '\0';
    oom->wall_us = hs_clock_wall_us();
    atomic_store_explicit(&oom->is_of_heap, is_heap, memory_order_relaxed);
    atomic_store_explicit(&oom->state, HS_OOM_READY, memory_order_release);
    return true;
}

/* ---- text: no library function that may allocate ---- */

struct text {
    int file;
    bool has_failed;
    size_t length;
    char *bytes; /* HS_OOM_LINE of them */
};

static void flush(struct text *text) {
    size_t done = 0;
    while (done < text->length && !text->has_failed) {
        ssize_t written = write(text->file, text->bytes + done, text->length - done);
        if (written > 0) {
            done += (size_t)written;
        } else {
            text->has_failed = written == 0 || errno != EINTR;
        }
    }
    text->length = 0;
}

/* Control characters have no place in a line. */
static void put_bytes(struct text *text, const char *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (text->length == HS_OOM_LINE) {
            flush(text);
        }
        bool is_control = (unsigned char)bytes[i] < ' ' && bytes[i] != '\n';
        text->bytes[text->length++] = is_control ? '?' : bytes[i];
    }
}

static void put(struct text *text, const char *string) {
    put_bytes(text, string, strlen(string));
}

/* At least this many digits or, when they are fewer, with blanks or zeros before. */
static void put_number(struct text *text, uint64_t number, int width, char fill) {
    char digits[24];
    int at = (int)sizeof digits;
    do {
        digits[--at] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    for (int i = (int)sizeof digits - at; i < width; i++) {
        put_bytes(text, &fill, 1);
    }
    put_bytes(text, digits + at, sizeof digits - (size_t)at);
}

static uint64_t rounded(double value) {
    return value < 1e18 ? (uint64_t)(value + 0.5) : (uint64_t)1000000000 * 1000000000;
}

static void put_name(struct text *text, struct hs_names names, struct hs_name_id id) {
    uint32_t bytes;
    const char *name = hs_names_text(names, id, &bytes);
    put_bytes(text, name, bytes);
}

/* UTC. The days to a date as in the calendar that has always been: years begin in March, so that the
 * leap day is the last, and 400 of them have 146,097 days. */
static void put_time(struct text *text, int64_t wall_us) {
    int64_t seconds = wall_us / 1000000;
    int64_t days = seconds / 86400 + 719468; /* since 0000-03-01 */
    int64_t second = seconds % 86400;
    int64_t era = days / 146097;
    int64_t day = days % 146097;
    int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    int64_t in_year = day - (365 * year + year / 4 - year / 100);
    int64_t month = (5 * in_year + 2) / 153; /* 0: March */
    int64_t in_month = in_year - (153 * month + 2) / 5 + 1;
    put_number(text, (uint64_t)(era * 400 + year + (month >= 10)), 4, '0');
    put(text, "-");
    put_number(text, (uint64_t)(month >= 10 ? month - 9 : month + 3), 2, '0');
    put(text, "-");
    put_number(text, (uint64_t)in_month, 2, '0');
    put(text, "T");
    put_number(text, (uint64_t)(second / 3600), 2, '0');
    put(text, ":");
    put_number(text, (uint64_t)(second / 60 % 60), 2, '0');
    put(text, ":");
    put_number(text, (uint64_t)(second % 60), 2, '0');
    put(text, "Z");
}

/* ---- live objects ---- */

struct count {
    struct hs_oom *oom;
    uint32_t generation;
    double bytes;
    uint64_t samples;
    struct hs_oom_sum unmoved; /* of sites of the previous generation */
};

static void add(struct hs_oom_sum *sum, const struct hs_weight *weight) {
    sum->bytes += weight->bytes;
    sum->objects += weight->objects;
    sum->samples++;
}

static void visit(void *context, hs_ref ref, const struct hs_sample *sample, uint32_t thinning,
                  uint32_t place) {
    (void)place;
    (void)ref;
    struct count *count = context;
    struct hs_weight weight = hs_estimate_weigh(sample->size, sample->drawn, thinning);
    count->bytes += weight.bytes;
    count->samples++;
    uint32_t site = hs_number_of(sample->site.bits);
    if (hs_generation_of(sample->site.bits) != count->generation) {
        add(&count->unmoved, &weight);
    } else if (site < count->oom->size) {
        add(&count->oom->sums[site], &weight);
    }
}

/* The sites with most bytes, in order; returns how many. */
static int find_top(const struct hs_oom *oom, uint32_t top[HS_OOM_TOP]) {
    int count = 0;
    for (uint32_t site = 0; site < oom->size; site++) {
        double bytes = oom->sums[site].bytes;
        if (bytes <= 0.0 || (count == HS_OOM_TOP && bytes <= oom->sums[top[count - 1]].bytes)) {
            continue;
        }
        int at = count < HS_OOM_TOP ? count++ : count - 1;
        for (; at > 0 && oom->sums[top[at - 1]].bytes < bytes; at--) {
            top[at] = top[at - 1];
        }
        top[at] = site;
    }
    return count;
}

static void put_frame(struct text *text, const struct hs_store *store, struct hs_frame_id id) {
    const struct hs_frame *frame = hs_frames_get(store->frames, id);
    if (frame == NULL) {
        return;
    }
    put(text, "        at ");
    put_name(text, store->names, frame->class_name);
    put(text, ".");
    put_name(text, store->names, frame->method);
    if (frame->line >= 0) {
        put(text, ":");
        put_number(text, (uint64_t)frame->line, 0, ' ');
    }
    put(text, "\n");
}

/* Frames beyond the largest depth are not known; the mark that stands for them is the last of the stack. */
static void put_stack(struct text *text, const struct hs_store *store, struct hs_stack_id stack) {
    uint32_t count;
    const struct hs_frame_id *frames = hs_stacks_get(store->stacks, stack, &count);
    if (frames == NULL) {
        return;
    }
    bool is_cut = count > 0 && frames[count - 1].number == HS_STACK_CUT;
    uint32_t known = is_cut ? count - 1 : count;
    for (uint32_t i = 0; i < known && i < HS_OOM_FRAMES; i++) {
        put_frame(text, store, frames[i]);
    }
    if (known > HS_OOM_FRAMES) {
        put(text, "        ... ");
        put_number(text, known - HS_OOM_FRAMES, 0, ' ');
        put(text, is_cut ? " more, and those below maxDepth\n" : " more\n");
    } else if (is_cut) {
        put(text, "        ... those below maxDepth\n");
    }
}

static void put_sum(struct text *text, const struct hs_oom_sum *sum) {
    put_number(text, rounded(sum->bytes), 16, ' ');
    put(text, " bytes, ");
    put_number(text, rounded(sum->objects), 12, ' ');
    put(text, " objects (");
    put_number(text, sum->samples, 0, ' ');
    put(text, " samples) of ");
}

/* As " [tenant=acme, route=/order]". */
static void put_labels(struct text *text, const hs_labels *labels, struct hs_label_id id) {
    uint32_t bytes;
    const char *at = hs_labels_get(labels, id, &bytes);
    if (id.number == HS_LABEL_OTHER) {
        put(text, " [other labels]");
    } else if (at != NULL) {
        const char *end = at + bytes;
        const char *before = " [";
        for (; at < end; at += strlen(at) + 1, before = ", ") {
            put(text, before);
            put(text, at);
            put(text, "=");
            at += strlen(at) + 1;
            put(text, at);
        }
        put(text, "]");
    }
}

static void put_site(struct text *text, const struct hs_store *store, struct hs_site_id id,
                     const struct hs_oom_sum *sum) {
    struct hs_site room;
    const struct hs_site *site = hs_sites_get(store->sites, id, &room);
    put_sum(text, sum);
    if (site == NULL) {
        put(text, "(other)\n");
        return;
    }
    put_name(text, store->names, site->class_name);
    put_labels(text, store->labels, site->label);
    put(text, "\n");
    put_stack(text, store, site->stack);
}

static void put_report(struct text *text, struct hs_oom *oom, const struct hs_store *store,
                       const struct count *count) {
    uint32_t top[HS_OOM_TOP] = {0};
    int sites = find_top(oom, top);
    put(text, "HeapSampler: the JVM ran out of memory at ");
    put_time(text, oom->wall_us);
    put(text, ": ");
    put(text, oom->reason);
    put(text, "\nEstimated live memory: ");
    put_number(text, rounded(count->bytes), 0, ' ');
    put(text, " bytes, from ");
    put_number(text, count->samples, 0, ' ');
    put(text, " samples. Sites that hold most:\n\n");
    for (int i = 0; i < sites; i++) {
        put_site(text, store, (struct hs_site_id){top[i]}, &oom->sums[top[i]]);
    }
    if (count->unmoved.samples > 0) {
        put_sum(text, &count->unmoved);
        put(text, "sites that are not listed: HeapSampler was renewing its tables\n");
    }
    if (count->samples == 0) {
        put(text, "No sampled object was alive; a smaller interval shows more.\n");
    }
}

static bool write_report(struct hs_oom *oom, int file, const struct hs_store *store,
                         const struct hs_ops *ops, void *env) {
    struct text text = {.file = file, .bytes = oom->line};
    struct count count = {.oom = oom, .generation = store->code_generation};
    for (uint32_t site = 0; site < oom->size; site++) {
        oom->sums[site] = (struct hs_oom_sum){0};
    }
    hs_live_each_alive(store->live, ops, env, visit, &count);
    put_report(&text, oom, store, &count);
    flush(&text);
    return close(file) == 0 && !text.has_failed;
}

/* While it is WRITING no other thread changes the state. */
bool hs_oom_write(struct hs_oom *oom, const struct hs_store *store, const struct hs_ops *ops,
                  void *env) {
    if (!hs_oom_is_on(oom)) {
        hs_oom_discard(oom);
        return false;
    }
    if (!turn(&oom->state, HS_OOM_READY, HS_OOM_WRITING)) {
        return false;
    }
    const char *why;
    int file = hs_oom_file_open(oom->path, &why);
    bool is_written = file >= 0 && write_report(oom, file, store, ops, env);
    if (!is_written) {
        hs_oom_file_complain(oom->path, file < 0 ? why : "it could not be written whole");
    }
    oom->has_retried = file < 0 && !oom->has_retried;
    atomic_store_explicit(&oom->state, oom->has_retried ? HS_OOM_READY : HS_OOM_DONE,
                          memory_order_release);
    return is_written;
}
