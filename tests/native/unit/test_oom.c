/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_oom.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hs_mem.h"
#include "small_store.h"

/* Every allocation of this program's, those inside libc included. Sanitizers have their own malloc, and musl
 * no other name for it: there only hs_mem is watched. */
static size_t allocations;

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t size);

__attribute__((visibility("default"))) void *malloc(size_t size) {
    allocations++;
    return __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size) {
    allocations++;
    return __libc_calloc(count, size);
}

__attribute__((visibility("default"))) void *realloc(void *block, size_t size) {
    allocations++;
    return __libc_realloc(block, size);
}

Test(oom, allocations_inside_libc_are_seen_here) {
    size_t before = allocations;
    FILE *file = fopen("/dev/null", "r");
    cr_assert_not_null(file);
    (void)fclose(file);
    cr_assert_gt(allocations, before);
}
#endif

static struct hs_oom oom;
static struct hs_store *store;
static struct hs_session session;
static size_t used_before;
static char folder[64];
static char path[256];

static void set_up(void) {
    fake_reset();
    used_before = hs_mem_used();
    memset(&oom, 0, sizeof oom);
    store = small_store();
    session = (struct hs_session){.store = store, .count = 1};
    session.recordings[0] = small_recording(store, 0, NULL);
    strcpy(folder, "/tmp/hs-oom-XXXXXX");
    cr_assert_not_null(mkdtemp(folder));
    (void)snprintf(path, sizeof path, "%s/report.txt", folder);
}

static void tear_down(void) {
    (void)unlink(path);
    (void)rmdir(folder);
    hs_oom_free(&oom);
    hs_recording_free(session.recordings[0]);
    hs_store_free(store, &FAKE_OPS, FAKE_ENV);
    cr_assert_eq(fake_outstanding(), 0);
    cr_assert_eq(hs_mem_used(), used_before);
}

TestSuite(oom, .init = set_up, .fini = tear_down);

static hs_ref allocate(const char *class_name, uint64_t size, int32_t line) {
    struct hs_event event = small_event(store, class_name, 7, size);
    cr_assert(hs_session_match(&session, &event));
    hs_session_count(&session, &event, HS_OK, small_stack(store, line));
    hs_ref ref = fake_ref();
    cr_assert_eq(hs_session_track(&session, &event, ref), 0);
    return ref;
}

static const char *report(void) {
    static char text[1 << 16];
    FILE *file = fopen(path, "r");
    cr_assert_not_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    (void)fclose(file);
    return text;
}

static void arm(void) {
    cr_assert_eq(hs_oom_reserve(&oom, SMALL_LIMITS.sites + 1), HS_OK);
    cr_assert_eq(hs_oom_arm(&oom, path), HS_OK);
}

static bool write_it(void) {
    return hs_oom_write(&oom, store, &FAKE_OPS, FAKE_ENV);
}

Test(oom, tells_what_is_alive_and_where_it_came_from_most_first) {
    allocate("byte[]", 1000, 12);
    allocate("shop.Item", 64, 30);
    allocate("shop.Item", 64, 30);
    fake_clear(allocate("byte[]", 1 << 20, 50));
    arm();
    cr_assert(hs_oom_strike(&oom, "Java heap space", true));
    oom.wall_us = INT64_C(1709208305) * 1000000; /* 2024-02-29 */
    size_t used = hs_mem_peak();
    size_t before = allocations;
    bool is_written = write_it();
    size_t after = allocations;
    cr_assert(is_written);
    cr_assert_eq(after, before, "malloc was called");
    cr_assert_eq(hs_mem_peak(), used, "nothing was allocated");
    cr_assert_str_eq(
        report(),
        "HeapSampler: the JVM ran out of memory at 2024-02-29T12:05:05Z: Java heap space\n"
        "Estimated live memory: 1128 bytes, from 3 samples. Sites that hold most:\n\n"
        "            1000 bytes,            1 objects (1 samples) of byte[]\n"
        "        at shop.Cart.add:12\n"
        "             128 bytes,            2 objects (2 samples) of shop.Item\n"
        "        at shop.Cart.add:30\n");
}

Test(oom, only_the_first_exhaustion_counts) {
    arm();
    cr_assert(hs_oom_strike(&oom, NULL, true));
    cr_assert_not(hs_oom_strike(&oom, "Metaspace", true));
    cr_assert(write_it());
    cr_assert_not_null(strstr(report(), "no reason given\n"));
    cr_assert_not_null(strstr(report(), "No sampled object was alive"));
    (void)unlink(path);
    cr_assert_not(write_it());
    arm();
    cr_assert_not(hs_oom_strike(&oom, "again", true));
    cr_assert_neq(access(path, F_OK), 0);
}

Test(oom, without_a_path_nothing_is_due) {
    cr_assert_not(hs_oom_strike(&oom, "Java heap space", true));
    arm();
    cr_assert_eq(hs_oom_arm(&oom, NULL), HS_OK);
    cr_assert_not(hs_oom_strike(&oom, "Java heap space", true));
    cr_assert_not(write_it());
    arm();
    cr_assert(hs_oom_strike(&oom, "Java heap space", true));
}

Test(oom, nothing_is_written_before_it_is_due) {
    arm();
    cr_assert_not(write_it());
    cr_assert_neq(access(path, F_OK), 0, "there is no file yet");
}

Test(oom, what_cannot_be_written_does_no_harm) {
    char long_path[HS_OOM_PATH + 1];
    memset(long_path, 'x', sizeof long_path);
    long_path[HS_OOM_PATH] = '\0';
    cr_assert_eq(hs_oom_arm(&oom, long_path), HS_INVALID);
    cr_assert_eq(hs_oom_arm(&oom, "/nowhere/at/all"), HS_OK);
    cr_assert(hs_oom_strike(&oom, "Java heap space", true));
    cr_assert_not(write_it());
}

Test(oom, what_no_recording_wants_any_more_is_not_counted) {
    allocate("byte[]", 1000, 12);
    hs_live_forget(store->live, session.recordings[0]->bit);
    arm();
    cr_assert(hs_oom_strike(&oom, "Java heap space", true));
    cr_assert(write_it());
    cr_assert_not_null(strstr(report(), "No sampled object was alive"));
}

Test(oom, a_pipe_that_nobody_reads_is_not_waited_for) {
    (void)alarm(100);
    cr_assert_eq(mkfifo(path, 0600), 0);
    arm();
    cr_assert(hs_oom_strike(&oom, "Java heap space", true));
    cr_assert_not(write_it());
}

Test(oom, a_file_that_cannot_be_opened_is_tried_once_more) {
    char later[160];
    (void)snprintf(later, sizeof later, "%s/later", folder);
    (void)snprintf(path, sizeof path, "%s/report.txt", later);
    arm();
    cr_assert(hs_oom_strike(&oom, "Java heap space", true));
    cr_assert_not(write_it());
    cr_assert_eq(mkdir(later, 0700), 0);
    cr_assert(write_it());
    (void)unlink(path);
    cr_assert_eq(rmdir(later), 0);
    cr_assert_not(write_it(), "once is enough");
}

Test(oom, a_full_device_is_told) {
    allocate("byte[]", 1000, 12);
    cr_assert_eq(hs_oom_arm(&oom, "/dev/full"), HS_OK);
    cr_assert(hs_oom_strike(&oom, "Java heap space", true));
    cr_assert_not(write_it());
}

Test(oom, a_link_is_not_followed) {
    char target[160];
    (void)snprintf(target, sizeof target, "%s/elsewhere", folder);
    cr_assert_eq(symlink(target, path), 0);
    arm();
    cr_assert(hs_oom_strike(&oom, "Java heap space", true));
    cr_assert_not(write_it());
    cr_assert_neq(access(target, F_OK), 0);
}

Test(oom, is_bounded_by_the_top_and_its_frames) {
    char reason[4 * HS_OOM_REASON];
    memset(reason, '\t', sizeof reason);
    reason[sizeof reason - 1] = '\0';
    for (int32_t i = 0; i < 8; i++) {
        allocate("byte[]", 64, i + 1);
    }
    cr_assert_eq(hs_oom_reserve(&oom, 4), HS_OK); /* sites beyond are in the sum only */
    cr_assert_eq(hs_oom_arm(&oom, path), HS_OK);
    cr_assert(hs_oom_strike(&oom, reason, true));
    cr_assert(write_it());
    cr_assert_not_null(strstr(report(), ": ????"), "control characters are no part of a line");
    cr_assert_not_null(strstr(report(), "512 bytes, from 8 samples"));
    struct stat status;
    cr_assert_eq(stat(path, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0600);
}

Test(oom, without_memory_less_is_reserved) {
    cr_assert_eq(hs_oom_reserve(&oom, 4), HS_OK);
    hs_mem_fail_at(1);
    cr_assert_eq(hs_oom_reserve(&oom, 5), HS_NO_MEMORY);
    hs_mem_fail_at(0);
    cr_assert_eq(oom.size, 4);
}

Test(oom, the_heap_takes_the_place_of_what_else_ran_out) {
    arm();
    cr_assert(hs_oom_strike(&oom, "unable to create native thread", false));
    cr_assert_not(hs_oom_strike(&oom, "Metaspace", false));
    cr_assert(hs_oom_strike(&oom, "Java heap space", true), "before the other was written");
    cr_assert(write_it());
    cr_assert_not_null(strstr(report(), ": Java heap space\n"));
    cr_assert_not(hs_oom_strike(&oom, "Java heap space", true));
}

Test(oom, also_where_that_has_been_written) {
    arm();
    cr_assert(hs_oom_strike(&oom, "Metaspace", false));
    cr_assert(write_it());
    cr_assert_not_null(strstr(report(), ": Metaspace\n"));
    cr_assert_not(hs_oom_strike(&oom, "Metaspace", false));
    cr_assert(hs_oom_strike(&oom, "Java heap space", true));
    cr_assert(write_it());
    cr_assert_not_null(strstr(report(), ": Java heap space\n"));
}

/* The striker is between its two steps. */
Test(oom, who_disarms_during_a_strike_can_arm_again) {
    arm();
    atomic_store(&oom.state, HS_OOM_DUE);
    cr_assert_eq(hs_oom_arm(&oom, NULL), HS_OK);
    cr_assert_not(hs_oom_is_on(&oom));
    arm();
    cr_assert(hs_oom_is_on(&oom));
    cr_assert_not(hs_oom_strike(&oom, "Java heap space", true), "the buffer is another's");
    cr_assert_eq(hs_oom_arm(&oom, NULL), HS_OK);
    cr_assert_not(hs_oom_is_on(&oom));
    cr_assert_not(write_it());
}
