/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Callbacks use what is published while a control thread exchanges and frees it, as hs_phaser.h says
 * it may. What was freed is overwritten first: a callback that still looks sees it, and so does a
 * sanitizer. */
#include "crew.h"
#include "hs_clock.h"
#include "hs_phaser.h"
#include "unit/poll.h"

enum { READERS = 4, EXCHANGES = 3000, MOST_US = 1500000, ALIVE = 0x11223344, FREED = 0x55667788 };

struct thing {
    int magic; /* plain: the phaser is all that guards it */
};

static struct hs_phaser phaser;
static _Atomic(struct thing *) published;
static _Atomic bool is_over;
static _Atomic uint64_t looks;

static struct thing *new_thing(void) {
    struct thing *thing = malloc(sizeof *thing);
    HS_CHECK(thing != NULL);
    thing->magic = ALIVE;
    return thing;
}

static void look(int number) {
    while (!atomic_load_explicit(&is_over, memory_order_relaxed)) {
        uint32_t token = hs_phaser_enter(&phaser, (uint32_t)number % 2); /* stripes are shared */
        struct thing *thing = atomic_load_explicit(&published, memory_order_seq_cst);
        HS_CHECK(thing->magic == ALIVE);
        for (volatile int i = 0; i < number * 10; i++) {
        }
        HS_CHECK(thing->magic == ALIVE);
        hs_phaser_exit(&phaser, token);
        atomic_fetch_add_explicit(&looks, 1, memory_order_relaxed);
    }
}

static void exchange(int number) {
    int64_t end = hs_clock_monotonic_us() + MOST_US;
    (void)number;
    for (int i = 0; i < EXCHANGES && hs_clock_monotonic_us() < end; i++) {
        struct thing *old = atomic_exchange_explicit(&published, new_thing(), memory_order_seq_cst);
        HS_CHECK(hs_phaser_wait(&phaser, 30000000));
        old->magic = FREED;
        free(old);
        uint64_t seen = looks; /* now and then, let each thread have a turn */
        HS_CHECK(i % 16 != 0 || POLL(looks > seen + READERS));
    }
    is_over = true;
}

Test(stress_phaser, nothing_is_freed_that_a_callback_may_still_use) {
    crew_work *const works[READERS + 1] = {look, look, look, look, exchange};
    memset(&phaser, 0, sizeof phaser);
    looks = 0;
    is_over = false;
    atomic_store(&published, new_thing());
    crew_each(READERS + 1, works);
    free(atomic_load(&published));
    cr_assert(hs_phaser_wait(&phaser, 0), "everyone has left");
}
