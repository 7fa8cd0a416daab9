/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A listener in the same process: it finds the probes by their notes in the program's file, puts breakpoints there,
 * raises the semaphores, and takes the arguments out of the registers that the notes name. What it has heard of the
 * live table must be what the table has. listen.c is a listener from outside. */
#include <criterion/criterion.h>
#include <link.h>
#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "hs_estimate.h"
#include "hs_hash.h"
#include "hs_levels.h"
#include "hs_probes.h"
#include "live_table.h"
#include "probes/notes.h"

#if defined(__x86_64__)
#define FIRST  "8@%rdi"
#define SECOND "8@%rsi"
#define THIRD  "8@%rdx"
typedef unsigned char break_code;
static const break_code BREAK = 0xCC;

static uint64_t program_counter(const ucontext_t *at) {
    return (uint64_t)at->uc_mcontext.gregs[REG_RIP] - sizeof BREAK;
}

/* A breakpoint is as long as the nop, so the thread is behind it. */
static void pass_over(ucontext_t *at) {
    (void)at;
}

static uint64_t argument(const ucontext_t *at, int number) {
    static const int REGISTERS[] = {REG_RDI, REG_RSI, REG_RDX};
    return (uint64_t)at->uc_mcontext.gregs[REGISTERS[number]];
}
#else
#define FIRST  "8@x0"
#define SECOND "8@x1"
#define THIRD  "8@x2"
typedef uint32_t break_code;
static const break_code BREAK = 0xD4200000;

static uint64_t program_counter(const ucontext_t *at) {
    return at->uc_mcontext.pc;
}

static void pass_over(ucontext_t *at) {
    at->uc_mcontext.pc += sizeof BREAK;
}

static uint64_t argument(const ucontext_t *at, int number) {
    return at->uc_mcontext.regs[number];
}
#endif

enum { PLACES = 64, PLACE_BITS = 22, EVENTS_MAX = 1 << 16 };

enum probe { ALLOC, FREE, WEIGHT, PROBES };
static const char *const NAMES[PROBES] = {"alloc", "free", "weight"};

struct event {
    enum probe probe;
    uint64_t arguments[3];
};

static struct notes notes;
static uint64_t sites[PROBES];
static uint64_t bias;
static struct event events[EVENTS_MAX];
static volatile uint32_t event_count;

static void on_break(int signal, siginfo_t *info, void *context) {
    (void)info;
    ucontext_t *at = context;
    for (enum probe probe = ALLOC; probe < PROBES; probe++) {
        if (program_counter(at) == sites[probe] && event_count < EVENTS_MAX) {
            events[event_count++] =
                (struct event){probe, {argument(at, 0), argument(at, 1), argument(at, 2)}};
            pass_over(at);
            return;
        }
    }
    (void)signal;
    _exit(1);
}

static int first_object(struct dl_phdr_info *info, size_t size, void *context) {
    (void)size;
    *(uint64_t *)context = info->dlpi_addr;
    return 1;
}

static void break_at(uint64_t site) {
    uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t from = site / page * page;
    cr_assert_eq(mprotect((void *)from, 2 * page, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
    memcpy((void *)site, &BREAK, sizeof BREAK);
    __builtin___clear_cache((char *)site, (char *)site + sizeof BREAK);
}

static void find_probes(void) {
    cr_assert(notes_read("/proc/self/exe", &notes));
    (void)dl_iterate_phdr(first_object, &bias);
    for (enum probe probe = ALLOC; probe < PROBES; probe++) {
        const struct note *note = notes_find(&notes, NAMES[probe]);
        cr_assert_not_null(note);
        sites[probe] = note->site + bias;
    }
}

static void set_listeners(unsigned short count) {
    atomic_store(&hs_probe_listeners.alloc, count);
    atomic_store(&hs_probe_listeners.free, count);
    atomic_store(&hs_probe_listeners.weight, count);
}

static void listen_in(void) {
    find_probes();
    struct sigaction action = {.sa_sigaction = on_break, .sa_flags = SA_SIGINFO};
    cr_assert_eq(sigaction(SIGTRAP, &action, NULL), 0);
    for (enum probe probe = ALLOC; probe < PROBES; probe++) {
        break_at(sites[probe]);
    }
    set_listeners(1);
}

/* ---- what has been heard ---- */

static struct heard {
    uint64_t id; /* 0: nothing is alive in this place */
    uint64_t size;
    uint64_t weighted_bytes;
} heard[PLACES];

static struct heard *heard_at(uint64_t id) {
    uint64_t place = (id & ((1 << PLACE_BITS) - 1)) - 1;
    cr_assert_lt(place, (uint64_t)PLACES);
    return &heard[place];
}

/* Each id begins with `alloc`, ends with `free`, and nothing else comes before or after. */
static void hear(const struct event *event) {
    struct heard *entry = heard_at(event->arguments[0]);
    if (event->probe == ALLOC) {
        cr_assert_eq(entry->id, 0, "the place was freed before");
        *entry = (struct heard){event->arguments[0], event->arguments[1], event->arguments[2]};
        return;
    }
    cr_assert_eq(entry->id, event->arguments[0]);
    if (event->probe == FREE) {
        entry->id = 0;
    } else {
        cr_assert_geq(event->arguments[1], 2 * entry->weighted_bytes - 1,
                      "one level more at least");
        entry->weighted_bytes = event->arguments[1];
    }
}

static void hear_all(void) {
    for (uint32_t i = 0; i < event_count; i++) {
        hear(&events[i]);
    }
    event_count = 0;
}

static uint32_t count_heard(void) {
    uint32_t count = 0;
    for (int i = 0; i < PLACES; i++) {
        count += heard[i].id != 0;
    }
    return count;
}

static void compare_one(void *context, hs_ref ref, const struct hs_sample *sample,
                        uint32_t thinning, uint32_t place) {
    (void)ref;
    uint32_t *count = context;
    const struct heard *entry = &heard[place];
    struct hs_weight weight = hs_estimate_weigh(sample->size, sample->drawn, thinning);
    cr_assert_eq(entry->id, (uint64_t)sample->allocated_us << PLACE_BITS | (place + 1));
    cr_assert_eq(entry->size, sample->size);
    cr_assert_float_eq((double)entry->weighted_bytes, weight.bytes, 0.5);
    (*count)++;
}

/* Right after a sweep both have the same entries. */
static void compare(hs_live *live) {
    uint32_t count = 0;
    hear_all();
    (void)hs_live_each(live, hs_live_levels(live), EVERYTHING, compare_one, &count);
    cr_assert_eq(count, hs_live_count(live));
    cr_assert_eq(count, count_heard());
}

/* ---- tests ---- */

static void check_note(const char *provider, const char *name, const char *arguments,
                       const _Atomic unsigned short *semaphore, uint64_t function) {
    enum { FUNCTION_BYTES = 64 };
    const struct note *note = notes_find(&notes, name);
    cr_assert_not_null(note);
    cr_assert_str_eq(note->provider, provider);
    cr_assert_str_eq(note->arguments, arguments);
    cr_assert_eq(note->semaphore + bias, (uint64_t)(uintptr_t)semaphore);
    cr_assert_leq(function, note->site + bias);
    cr_assert_lt(note->site + bias, function + FUNCTION_BYTES);
}

Test(probes, have_notes_with_their_arguments_and_semaphores) {
    find_probes();
    check_note("otel_memory", "alloc", FIRST " " SECOND " " THIRD, &hs_probe_listeners.alloc,
               (uint64_t)(uintptr_t)hs_probe_alloc);
    check_note("otel_memory", "free", FIRST, &hs_probe_listeners.free,
               (uint64_t)(uintptr_t)hs_probe_free);
    check_note("heapsampler", "weight", FIRST " " SECOND, &hs_probe_listeners.weight,
               (uint64_t)(uintptr_t)hs_probe_weight);
    cr_assert_eq(notes.count, PROBES);
}

Test(probes, pass_on_all_bits_of_each_argument) {
    listen_in();
    hs_probe_alloc(UINT64_MAX - 1, UINT64_MAX - 2, UINT64_MAX - 3);
    hs_probe_weight(UINT64_MAX - 4, UINT64_MAX - 5);
    hs_probe_free(UINT64_MAX - 6);
    cr_assert_eq(event_count, 3);
    cr_assert_eq(events[0].probe, ALLOC);
    cr_assert_eq(events[1].probe, WEIGHT);
    cr_assert_eq(events[2].probe, FREE);
    for (uint64_t i = 0; i < 3; i++) {
        cr_assert_eq(events[0].arguments[i], UINT64_MAX - 1 - i);
    }
    cr_assert_eq(events[1].arguments[0], UINT64_MAX - 4);
    cr_assert_eq(events[1].arguments[1], UINT64_MAX - 5);
    cr_assert_eq(events[2].arguments[0], UINT64_MAX - 6);
}

Test(probes, show_what_is_tracked_and_what_dies) {
    static struct visited dead;
    hs_ref refs[PLACES];
    listen_in();
    hs_live *live = live_new(PLACES);
    for (uint32_t i = 0; i < PLACES; i++) {
        refs[i] = live_add(live, i, UINT32_MAX);
    }
    compare(live);
    cr_assert_eq(count_heard(), PLACES);
    for (uint32_t i = 0; i < PLACES; i += 2) {
        fake_clear(refs[i]);
    }
    live_sweep(live, &dead);
    compare(live);
    cr_assert_eq(count_heard(), PLACES / 2);
    live_finish(live);
    hear_all();
    cr_assert_eq(count_heard(), 0);
}

/* Displaced, thinned by a sweep, heavier than before: after each sweep the listener has the estimate of the table. */
Test(probes, follow_the_levels_of_a_full_table) {
    static struct visited dead;
    uint64_t random = 1;
    uint32_t highest = 0;
    listen_in();
    hs_live *live = live_new(PLACES);
    for (uint32_t i = 0; i < 40 * PLACES; i++) {
        random = hs_hash_mix(random + 1);
        hs_ref ref = live_add(live, i, (uint32_t)random);
        if (ref != 0 && i % 3 == 0) {
            fake_clear(ref);
        }
        if (i % (PLACES / 4) == 0) {
            live_sweep(live, &dead);
            highest = hs_live_level(live) > highest ? hs_live_level(live) : highest;
            hear_all();
            compare(live);
        }
    }
    cr_assert_geq(highest, 3);
    live_finish(live);
    hear_all();
    cr_assert_eq(count_heard(), 0);
}

/* The sample stands for more than it does by the table's level alone. */
Test(probes, weigh_with_the_levels_that_a_size_takes) {
    enum { BOUND = 1 << 16, SIZE_NUMBER = BOUND / 8 };
    listen_in();
    hs_live *live = live_new_bounded(PLACES, BOUND);
    cr_assert_gt(hs_garbage_extra(hs_live_garbage(live), sample_number(SIZE_NUMBER).size), 0);
    cr_assert_neq(live_add(live, SIZE_NUMBER, 0), 0);
    compare(live);
    live_finish(live);
}

Test(probes, show_what_a_closed_recording_leaves) {
    static struct visited dead;
    listen_in();
    hs_live *live = live_new(PLACES);
    (void)live_add(live, 1, 0);
    hs_live_forget(live, EVERYTHING);
    live_sweep(live, &dead);
    cr_assert_eq(dead.count, 0);
    hear_all();
    cr_assert_eq(count_heard(), 0);
    live_finish(live);
}

Test(probes, do_not_fire_where_nothing_listens) {
    static struct visited dead;
    listen_in();
    set_listeners(0);
    hs_live *live = live_new(PLACES);
    for (uint32_t i = 0; i < 4 * PLACES; i++) {
        (void)live_add(live, i, i << 24);
    }
    live_sweep(live, &dead);
    live_finish(live);
    cr_assert_eq(event_count, 0);
}
