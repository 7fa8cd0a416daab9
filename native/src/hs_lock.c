/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_lock.h"

#include "hs_check.h"

#ifndef NDEBUG
#include <stdint.h>

/* Bit r is set while this thread holds a lock of rank r. */
static pthread_key_t held_key;
static pthread_once_t held_once = PTHREAD_ONCE_INIT;

static void make_key(void) {
    HS_CHECK(pthread_key_create(&held_key, NULL) == 0);
}

static uintptr_t held(void) {
    (void)pthread_once(&held_once, make_key);
    return (uintptr_t)pthread_getspecific(held_key);
}

static void set_held(uintptr_t ranks) {
    HS_CHECK(pthread_setspecific(held_key, (void *)ranks) == 0);
}
#endif

enum hs_status hs_lock_init(struct hs_lock *lock, enum hs_rank rank) {
    lock->rank = rank;
    return pthread_mutex_init(&lock->mutex, NULL) == 0 ? HS_OK : HS_NO_MEMORY;
}

void hs_lock_destroy(struct hs_lock *lock) {
    (void)pthread_mutex_destroy(&lock->mutex);
}

static void note_acquired(const struct hs_lock *lock) {
#ifndef NDEBUG
    uintptr_t ranks = held();
    HS_CHECK(ranks >> lock->rank == 0);
    set_held(ranks | (uintptr_t)1 << lock->rank);
#else
    (void)lock;
#endif
}

void hs_lock_acquire(struct hs_lock *lock) {
    note_acquired(lock); /* before waiting: a wrong order shows even when it does not block */
    HS_CHECK(pthread_mutex_lock(&lock->mutex) == 0);
}

bool hs_lock_try(struct hs_lock *lock) {
    if (pthread_mutex_trylock(&lock->mutex) != 0) {
        return false;
    }
    note_acquired(lock);
    return true;
}

void hs_lock_release(struct hs_lock *lock) {
    HS_CHECK(pthread_mutex_unlock(&lock->mutex) == 0);
#ifndef NDEBUG
    set_held(held() & ~((uintptr_t)1 << lock->rank));
#endif
}
