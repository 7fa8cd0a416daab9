/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_rotation_parts.h"

/* The share of the new sites, in sixteenths, that classes without a stack get before callbacks can fill the table. */
enum { CLASSES = 3 };

/* At most this many sites or threads are large: each has that share of all bytes. */
enum { LARGE_DIVISOR = 4 };

enum { SHORT_FRAMES = 4 };

/* In a map from old numbers to new ones, 0 is "not moved yet"; else new number + 1, and whether something was
 * lost by it, or the labels were. */
#define LOST        (UINT32_C(1) << 31)
#define LOST_LABELS (UINT32_C(1) << 30)

/* The mapped number of "(other)", of sites and of threads. */
#define OTHER UINT32_C(1)

_Static_assert(HS_SITE_OTHER == 0 && HS_THREAD_OTHER == 0, "OTHER stands for both");

static uint32_t new_number(uint32_t mapped) {
    return (mapped & ~(LOST | LOST_LABELS)) - 1;
}

/* ---- sites and threads ---- */

static uint32_t known_frames(const struct hs_move *move, struct hs_stack_id stack) {
    uint32_t count;
    const struct hs_frame_id *frames = hs_stacks_get(move->from->stacks, stack, &count);
    return count > 0 && frames[count - 1].number == HS_STACK_CUT ? count - 1 : count;
}

/* A site with the first `most` frames of its stack. `sites`: how many there may be. */
static enum hs_status put_site(const struct hs_move *move, const struct hs_site *site,
                               uint32_t most, uint32_t part, uint32_t sites,
                               struct hs_site_id *result) {
    struct hs_site moved = {0};
    enum hs_status status = hs_rotation_move_label(move, site->label, part, &moved.label);
    if (status == HS_OK) {
        status = hs_rotation_move_name(move, site->class_name, part, &moved.class_name);
    }
    if (status == HS_OK) {
        status = hs_rotation_move_stack(move, site->stack, most, part, &moved.stack);
    }
    return status == HS_OK ? hs_sites_put_within(move->to->sites, sites, &moved, result) : status;
}

/* The same site for labels that find no room: without, or "(other)". */
static struct hs_site without_labels(const struct hs_site *site) {
    struct hs_site result = *site;
    result.label.number = site->label.number == 0 ? 0 : HS_LABEL_OTHER;
    return result;
}

/* Makes the new site of an old one; where it finds no room, without its labels, then also with less of its stack.
 * Fails: HS_NO_MEMORY. */
static enum hs_status map_site(const struct hs_move *move, uint32_t id, uint32_t part,
                               uint32_t *mapped) {
    const struct {
        uint32_t most;
        uint32_t part;
        bool has_labels;
    } rooms[] = {{HS_MAX_DEPTH + 1, part, true},
                 {HS_MAX_DEPTH + 1, part, false},
                 {SHORT_FRAMES, SHORTENED, false},
                 {0, ALONE, false}};
    struct hs_site room;
    const struct hs_site *site = hs_sites_get(move->from->sites, (struct hs_site_id){id}, &room);
    enum hs_status status = HS_FULL;
    struct hs_site_id moved = {HS_SITE_OTHER};
    *mapped = OTHER | (site == NULL ? 0 : LOST);
    for (uint32_t i = 0; i < 4 && site != NULL && status == HS_FULL; i++) {
        struct hs_site wanted = rooms[i].has_labels ? *site : without_labels(site);
        status = put_site(move, &wanted, rooms[i].most, rooms[i].part,
                          hs_rotation_limit(move->to->sites.table, rooms[i].part), &moved);
        if (status == HS_OK) {
            bool is_lost = known_frames(move, site->stack) > rooms[i].most;
            bool is_other = wanted.label.number != site->label.number;
            *mapped = (moved.number + 1) | (is_lost ? LOST : 0) | (is_other ? LOST_LABELS : 0);
        }
    }
    return status == HS_NO_MEMORY ? status : HS_OK;
}

static enum hs_status map_thread(const struct hs_move *move, uint32_t id, uint32_t part,
                                 uint32_t *mapped) {
    hs_threads *to = move->to->threads;
    const hs_threads *from = move->from->threads;
    uint32_t bytes;
    struct hs_thread_id old = {id};
    struct hs_thread_id new = {HS_THREAD_OTHER};
    enum hs_status status = HS_OK;
    if (id != HS_THREAD_OTHER) {
        status = hs_threads_put_within(to, hs_rotation_share(move->to->limits.threads, part),
                                       hs_threads_java_id(from, old), &new);
    }
    if (new.number != HS_THREAD_OTHER) {
        const char *name = hs_threads_name_text(from, hs_threads_name(from, old), &bytes);
        hs_threads_set_name(to, new, name, bytes);
    }
    *mapped = (new.number + 1) | (status == HS_FULL ? LOST : 0);
    return status == HS_FULL ? HS_OK : status;
}

/* The new number of an old one, as it is in the map; 0 without memory. */
static uint32_t map(struct hs_move *move, const struct hs_move_kind *kind, uint32_t id,
                    uint32_t part) {
    uint32_t mapped = kind->map[id];
    if (mapped == 0) {
        enum hs_status status = kind->put(move, id, part, &mapped);
        kind->map[id] = status == HS_OK ? mapped : move->is_last ? OTHER | LOST : 0;
    }
    move->has_failed = move->has_failed || kind->map[id] == 0;
    return kind->map[id];
}

/* ---- objects ---- */

static void map_both(void *context, struct hs_sample_site *site, struct hs_sample_thread *thread) {
    struct hs_move *move = context;
    if (move->sites.map != NULL) {
        (void)map(move, &move->sites, hs_number_of(site->bits), WANTED);
    }
    if (move->threads.map != NULL) {
        (void)map(move, &move->threads, hs_number_of(thread->bits), WANTED);
    }
}

struct renumbering {
    struct hs_move *move;
    uint32_t part;
};

static uint32_t renumbered(const struct renumbering *all, const struct hs_move_kind *kind,
                           uint32_t id) {
    if (hs_generation_of(id) == kind->generation) {
        return id;
    }
    uint32_t mapped = map(all->move, kind, hs_number_of(id), all->part);
    return mapped == 0 ? id : hs_in_generation(new_number(mapped), kind->generation);
}

static void renumber(void *context, struct hs_sample_site *site, struct hs_sample_thread *thread) {
    const struct renumbering *all = context;
    site->bits = renumbered(all, &all->move->sites, site->bits);
    thread->bits = renumbered(all, &all->move->threads, thread->bits);
}

/* ---- sums ---- */

static hs_totals *totals_of(const struct hs_recording *recording, const struct hs_move_kind *kind,
                            uint32_t generation) {
    const struct hs_sums *sums = &recording->sums[generation];
    return kind->is_threads ? sums->threads.totals : sums->sites.totals;
}

static enum hs_drop cause_of(const struct hs_move_kind *kind, uint32_t mapped) {
    if (kind->is_threads) {
        return HS_DROP_THREADS_FULL;
    }
    return new_number(mapped) == HS_SITE_OTHER ? HS_DROP_SITES_FULL : HS_DROP_STACKS_FULL;
}

static void move_sums(struct hs_move *move, const struct hs_move_kind *kind,
                      struct hs_recording *recording, uint32_t id, uint32_t part) {
    hs_totals *from = totals_of(recording, kind, 1 - kind->generation);
    hs_totals *to = totals_of(recording, kind, kind->generation);
    if (!hs_totals_has(from, id)) {
        return;
    }
    uint32_t mapped = map(move, kind, id, part);
    uint64_t samples = 0;
    enum hs_status status = HS_NO_MEMORY;
    if (mapped != 0) {
        status = hs_totals_move(from, id, to, new_number(mapped), &samples);
    }
    if (status != HS_OK && move->is_last) {
        mapped = OTHER | LOST;
        status = hs_totals_move(from, id, to, new_number(mapped), &samples);
    }
    move->has_failed = move->has_failed || status != HS_OK;
    if ((mapped & LOST) != 0) {
        hs_recording_drop_some(recording, cause_of(kind, mapped), samples);
    }
    if ((mapped & LOST_LABELS) != 0) {
        hs_recording_drop_some(recording, HS_DROP_LABELS_FULL, samples);
    }
}

/* Of a number, the shares of all bytes that it has in each recording, added up. */
static double share_of(const struct hs_move *move, const struct hs_move_kind *kind,
                       const double *bytes, uint32_t id) {
    double share = 0.0;
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        struct hs_total total;
        const struct hs_recording *recording = move->recordings[i];
        if (recording != NULL && bytes[i] > 0.0 &&
            hs_totals_read(totals_of(recording, kind, 1 - kind->generation), id, &total)) {
            share += total.weight.bytes / bytes[i];
        }
    }
    return share;
}

/* Adds up the bytes of each recording; returns how many have any. */
static int add_up(const struct hs_move *move, const struct hs_move_kind *kind, double *bytes) {
    int count = 0;
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        struct hs_total total;
        const struct hs_recording *recording = move->recordings[i];
        bytes[i] = 0.0;
        for (uint32_t id = 0; recording != NULL && id < kind->end; id++) {
            bool has_sum =
                hs_totals_read(totals_of(recording, kind, 1 - kind->generation), id, &total);
            bytes[i] += has_sum ? total.weight.bytes : 0.0;
        }
        count += bytes[i] > 0.0;
    }
    return count;
}

/* There are at most as many large ones as fit into a quarter of the table. */
static void map_large(struct hs_move *move, const struct hs_move_kind *kind) {
    double bytes[HS_MAX_RECORDINGS];
    double least = (double)add_up(move, kind, bytes) * LARGE_DIVISOR / kind->capacity;
    for (uint32_t id = kind->end; id-- > 0;) {
        if (kind->map[id] == 0 && share_of(move, kind, bytes, id) > least) {
            (void)map(move, kind, id, WANTED);
        }
    }
}

static bool has_sums(const struct hs_move *move, uint32_t id) {
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        const struct hs_recording *recording = move->recordings[i];
        if (recording != NULL &&
            hs_totals_has(totals_of(recording, &move->sites, 1 - move->sites.generation), id)) {
            return true;
        }
    }
    return false;
}

/* Makes the last resort of map_site for the class of this site, while there are less than `most` sites. */
static void reserve_class(struct hs_move *move, uint32_t id, uint32_t most) {
    struct hs_site room;
    const struct hs_site *site = hs_sites_get(move->from->sites, (struct hs_site_id){id}, &room);
    struct hs_site_id reserved;
    if (site == NULL || !has_sums(move, id)) {
        return;
    }
    struct hs_site alone = without_labels(site);
    if (put_site(move, &alone, 0, ALONE, most, &reserved) == HS_NO_MEMORY) {
        move->has_failed = true;
    }
}

/* For each class that has sums, since callbacks may fill the new tables before these are moved. The classes of sites
 * that have their place by now come first, since other sites of theirs may find none; then the newest ones. */
static void reserve_classes(struct hs_move *move) {
    hs_intern *sites = move->to->sites.table;
    uint32_t alone = hs_rotation_limit(sites, ALONE);
    uint32_t most = hs_intern_end(sites) + hs_rotation_share(hs_intern_capacity(sites), CLASSES);
    most = most < alone ? most : alone;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t id = move->sites.end; id-- > 1;) {
            bool is_placed = move->sites.map[id] != 0;
            if (is_placed == (pass == 0)) {
                reserve_class(move, id, most);
            }
        }
    }
}

static void move_all_sums(struct hs_move *move, const struct hs_move_kind *kind) {
    for (uint32_t id = kind->end; id-- > 0;) {
        /* Then no callback uses the old sums, and all of this block have been moved. */
        bool is_moved = move->is_last && id % HS_TOTALS_BLOCK == 0;
        for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
            struct hs_recording *recording = move->recordings[i];
            if (recording == NULL) {
                continue;
            }
            move_sums(move, kind, recording, id, OTHERS);
            if (is_moved && !move->has_failed) {
                hs_totals_clear_block(totals_of(recording, kind, 1 - kind->generation), id);
            }
        }
    }
}

/* ---- all ---- */

static struct hs_move begin(struct hs_store *store, struct hs_recording *const *recordings) {
    const struct hs_store *from = store->previous;
    return (struct hs_move){
        .to = store,
        .from = from,
        .recordings = recordings,
        .sites = {.map = store->maps.sites,
                  .end = hs_intern_end(from->sites.table),
                  .capacity = store->limits.sites,
                  .generation = store->code_generation,
                  .put = map_site},
        .threads = {.map = store->maps.threads,
                    .end = hs_threads_end(from->threads),
                    .capacity = store->limits.threads,
                    .generation = store->thread_generation,
                    .put = map_thread,
                    .is_threads = true},
    };
}

/* Makes the sums of "(other)", so that the last move cannot fail. */
static bool reserve_others(const struct hs_move *move, const struct hs_move_kind *kind) {
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        const struct hs_recording *recording = move->recordings[i];
        if (recording != NULL && hs_totals_reserve_all(totals_of(recording, kind, kind->generation),
                                                       new_number(OTHER)) != HS_OK) {
            return false;
        }
    }
    return true;
}

bool hs_rotation_prepare(struct hs_store *store, struct hs_recording *const *recordings) {
    struct hs_move move = begin(store, recordings);
    const struct hs_move_kind *const kinds[] = {&move.sites, &move.threads};
    hs_live_renumber(store->live, map_both, &move);
    for (int i = 0; i < 2; i++) {
        if (kinds[i]->map != NULL) {
            map_large(&move, kinds[i]);
            move.has_failed = move.has_failed || !reserve_others(&move, kinds[i]);
        }
    }
    if (move.sites.map != NULL) {
        reserve_classes(&move);
    }
    return !move.has_failed;
}

static bool renumber_learned(void *context, struct hs_frame_id *frame) {
    struct hs_frame_id moved;
    bool has_room = hs_rotation_move_frame(context, *frame, LEARNED, &moved) == HS_OK;
    if (has_room) {
        *frame = moved;
    }
    return has_room;
}

void hs_rotation_keep_runs(struct hs_store *store, struct hs_kept_runs *kept) {
    if (kept != NULL) {
        struct hs_move move = begin(store, NULL);
        hs_kept_runs_renumber(kept, renumber_learned, &move);
        store->kept = kept;
    }
}

static bool move_all(struct hs_store *store, struct hs_recording *const *recordings, bool is_last) {
    if (store->previous == NULL) {
        return true;
    }
    struct hs_move move = begin(store, recordings);
    const struct hs_move_kind *const kinds[] = {&move.sites, &move.threads};
    move.is_last = is_last;
    struct renumbering living = {.move = &move, .part = WANTED};
    struct renumbering dead = {.move = &move, .part = OTHERS};
    /* Objects before sums: an object that was renumbered was added up before, and its sum is moved now. */
    hs_live_renumber(store->live, renumber, &living);
    move.sites.end =
        hs_intern_end(move.from->sites.table); /* callbacks may have made new ones since */
    move.threads.end = hs_threads_end(move.from->threads);
    for (int i = 0; i < 2; i++) {
        if (kinds[i]->map != NULL) {
            move_all_sums(&move, kinds[i]);
        }
    }
    for (uint32_t i = 0; i < hs_dead_ring_count(store->dead_ring); i++) {
        struct hs_dead *each = hs_dead_ring_get(store->dead_ring, i);
        if (each->sample.recordings == 0) {
            continue; /* forgotten: it takes no room */
        }
        renumber(&dead, &each->sample.site, &each->sample.thread);
    }
    return !move.has_failed;
}

bool hs_rotation_move(struct hs_store *store, struct hs_recording *const *recordings) {
    return move_all(store, recordings, false);
}

bool hs_rotation_move_last(struct hs_store *store, struct hs_recording *const *recordings) {
    return move_all(store, recordings, true);
}

void hs_rotation_end(struct hs_store *store, struct hs_recording *const *recordings,
                     const struct hs_ops *ops, void *env) {
    const struct hs_maps *maps = &store->maps;
    for (int i = 0; i < HS_MAX_RECORDINGS; i++) {
        if (recordings[i] != NULL && maps->sites != NULL) {
            hs_totals_clear(recordings[i]->sums[1 - store->code_generation].sites.totals);
        }
        if (recordings[i] != NULL && maps->threads != NULL) {
            hs_totals_clear(recordings[i]->sums[1 - store->thread_generation].threads.totals);
        }
    }
    hs_store_end_rotation(store, ops, env);
}
