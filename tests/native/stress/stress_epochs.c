/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Objects are born while a collector works and a sweeper watches its canary. A common counter orders
 * births and collections, so the test knows the truth: what is called confirmed has been there when
 * the last collection began. */
#include <sched.h>

#include "crew.h"
#include "hs_epochs.h"
#include "unit/fake_ops.h"

enum { MUTATORS = 3, OBJECTS = 64, COLLECTIONS = 1000, LARGE = 1 << 20 };

struct object {
    pthread_mutex_t lock; /* of what the test knows about it, not of the epochs */
    struct hs_birth birth;
    uint64_t born_at;
};

static struct hs_epochs epochs;
static struct object objects[OBJECTS];
static _Atomic uint64_t moment;
static _Atomic uint64_t collected_at; /* when the last collection that is over began */
static _Atomic bool is_over;
static _Atomic uint64_t confirmed;
static pthread_rwlock_t world; /* held by mutators; a pause stops them */
static bool stops_the_world;
/* Held by a concurrent collector while it works: what is made after it began outlives it, so the canary
 * waits. Mutators go on. */
static pthread_mutex_t marking = PTHREAD_MUTEX_INITIALIZER;

/* Making an object means entering the VM, which a pause does not allow. */
static hs_ref new_garbage(void *env) {
    pthread_rwlock_rdlock(&world);
    pthread_mutex_lock(&marking);
    hs_ref ref = fake_new_garbage(env);
    pthread_mutex_unlock(&marking);
    pthread_rwlock_unlock(&world);
    return ref;
}

static void mutate(int number) {
    struct seeded seeded = {(uint64_t)number + 1};
    while (!is_over) {
        struct object *object = &objects[seeded_below(&seeded, OBJECTS)];
        pthread_mutex_lock(&object->lock);
        pthread_rwlock_rdlock(&world); /* no safepoint between the birth and the callback's look */
        object->born_at = atomic_fetch_add(&moment, 1);
        object->birth = hs_epochs_now(&epochs);
        pthread_rwlock_unlock(&world);
        pthread_mutex_unlock(&object->lock);
    }
}

static void collect(int number) {
    (void)number;
    while (!is_over) {
        if (stops_the_world) {
            pthread_rwlock_wrlock(&world);
            hs_epochs_pause(&epochs);
        }
        pthread_mutex_lock(&marking);
        uint64_t start = atomic_fetch_add(&moment, 1);
        atomic_store(&collected_at, start); /* before anyone can see what it cleared */
        fake_collect();
        pthread_mutex_unlock(&marking);
        if (stops_the_world) {
            pthread_rwlock_unlock(&world);
        }
        sched_yield();
    }
}

static void watch(int number) {
    uint64_t count = 0;
    struct hs_ops ops = FAKE_OPS;
    ops.new_garbage = new_garbage;
    (void)number;
    for (int seen = 0; seen < COLLECTIONS;) {
        seen += hs_epochs_advance(&epochs, &ops, FAKE_ENV);
        for (int i = 0; i < OBJECTS; i++) {
            struct object *object = &objects[i];
            pthread_mutex_lock(&object->lock);
            if (hs_epochs_is_confirmed(&epochs, &object->birth, 24)) {
                HS_CHECK(collected_at > object->born_at);
                count++;
            }
            uint32_t observed = hs_epochs_observed(&epochs);
            HS_CHECK(hs_epochs_survived(observed, &object->birth) <= moment);
            pthread_mutex_unlock(&object->lock);
        }
    }
    confirmed += count;
    is_over = true;
}

static void run(enum hs_collector collector, bool stops) {
    crew_work *const works[] = {mutate, mutate, mutate, collect, watch};
    fake_reset();
    hs_epochs_init(&epochs, collector, LARGE);
    moment = 1;
    collected_at = 0;
    is_over = false;
    confirmed = 0;
    stops_the_world = stops;
    cr_assert_eq(pthread_rwlock_init(&world, NULL), 0);
    for (int i = 0; i < OBJECTS; i++) {
        cr_assert_eq(pthread_mutex_init(&objects[i].lock, NULL), 0);
        objects[i].birth = hs_epochs_now(&epochs);
        objects[i].born_at = 0;
    }
    crew_each(MUTATORS + 2, works);
    cr_assert_gt(confirmed, 0);
    hs_epochs_release(&epochs, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
    (void)pthread_rwlock_destroy(&world);
}

Test(stress_epochs, a_concurrent_collector_confirms_only_survivors) {
    run(HS_Z, false);
}

Test(stress_epochs, a_pausing_collector_confirms_only_survivors) {
    run(HS_SERIAL, true);
}
