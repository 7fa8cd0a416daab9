/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Threads run out of memory while another, which holds HS_RANK_SWEEP as it were, requests the report, writes
 * it and asks no longer. Whatever is written has one reason, whole; and nothing stays half done. */
#include <sched.h>
#include <stdio.h>
#include <unistd.h>

#include "crew.h"
#include "hs_oom.h"
#include "unit/small_store.h"

enum { STRIKERS = 3, WRITES = 500, REASON_BYTES = 100 };

static struct hs_oom oom;
static struct hs_store *store;
static char path[64];
static char reasons[STRIKERS][REASON_BYTES + 1];
static _Atomic bool is_over;
static _Atomic uint64_t due;
static uint64_t written;
static uint64_t disarmed_in_strike;

static void strike(int number) {
    const char *reason = reasons[number - 1];
    uint64_t count = 0;
    while (!is_over) {
        if (hs_oom_strike(&oom, reason, number % 2 == 0)) {
            count++;
        } else {
            (void)sched_yield();
        }
    }
    due += count;
}

/* The reason is at the end of the first line. */
static void check_report(void) {
    char line[512];
    FILE *file = fopen(path, "r");
    HS_CHECK(file != NULL && fgets(line, sizeof line, file) != NULL);
    (void)fclose(file);
    bool is_whole = false;
    for (int i = 0; i < STRIKERS; i++) {
        const char *found = strstr(line, reasons[i]);
        is_whole = is_whole || (found != NULL && strcmp(found + REASON_BYTES, "\n") == 0);
    }
    HS_CHECK(is_whole);
}

static void ask_and_write(int number) {
    (void)number;
    struct seeded seeded = {7};
    bool is_asked_for = false;
    while (written < WRITES) { /* until all have been at it */
        HS_CHECK(hs_oom_is_on(&oom) == is_asked_for);
        switch (seeded_below(&seeded, 5)) {
        case 0:
        case 1:
            HS_CHECK(hs_oom_reserve(&oom, SMALL_LIMITS.sites + 1) == HS_OK);
            HS_CHECK(hs_oom_arm(&oom, path) == HS_OK);
            is_asked_for = true;
            break;
        case 2:
            HS_CHECK(hs_oom_arm(&oom, NULL) == HS_OK);
            is_asked_for = false;
            disarmed_in_strike += atomic_load(&oom.state) == HS_OOM_DUE;
            break;
        case 3:
            hs_oom_discard(&oom);
            (void)sched_yield();
            break;
        default:
            if (hs_oom_write(&oom, store, &FAKE_OPS, FAKE_ENV)) {
                written++;
                check_report();
            }
        }
    }
    is_over = true;
}

Test(stress_oom, every_report_has_one_reason_and_no_strike_is_left_half_done) {
    crew_work *const works[] = {ask_and_write, strike, strike, strike};
    fake_reset();
    (void)snprintf(path, sizeof path, "/tmp/hs-stress-oom-%d.txt", (int)getpid());
    for (int i = 0; i < STRIKERS; i++) {
        memset(reasons[i], 'a' + i, REASON_BYTES);
    }
    store = small_store();
    crew_each(STRIKERS + 1, works);
    cr_assert_geq(due, written);
    cr_log_info("%lu written of %lu due, %lu disarmed in a strike", (unsigned long)written,
                (unsigned long)due, (unsigned long)disarmed_in_strike);
    cr_assert_eq(hs_oom_arm(&oom, NULL), HS_OK);
    cr_assert_eq(atomic_load(&oom.state), HS_OOM_OFF, "every strike has ended");
    cr_assert_eq(hs_oom_arm(&oom, path), HS_OK);
    cr_assert(hs_oom_strike(&oom, reasons[0], true));
    cr_assert(hs_oom_write(&oom, store, &FAKE_OPS, FAKE_ENV));
    check_report();
    (void)unlink(path);
    hs_oom_free(&oom);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
}
