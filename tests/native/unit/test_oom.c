/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_oom.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "small_oom.h"

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

__attribute__((visibility("default"))) void *calloc(size_t nmemb, size_t size) {
    allocations++;
    return __libc_calloc(nmemb, size);
}

__attribute__((visibility("default"))) void *realloc(void *ptr, size_t size) {
    allocations++;
    return __libc_realloc(ptr, size);
}

Test(oom, allocations_inside_libc_are_seen_here) {
    size_t before = allocations;
    FILE *file = fopen("/dev/null", "r");
    const char *preloaded = getenv("LD_PRELOAD");
    cr_assert_not_null(file);
    (void)fclose(file);
    if (preloaded != NULL && strstr(preloaded, "vgpreload") != NULL) {
        cr_skip_test("valgrind puts its own malloc in the place of ours");
    }
    cr_assert_gt(allocations, before);
}
#endif

TestSuite(oom, .init = set_up, .fini = tear_down);

static struct hs_label_set *labels_in_force;

static hs_ref allocate_at(const char *class_name, uint64_t size, struct hs_stack_id stack) {
    struct hs_event event = small_event(store, class_name, 7, size);
    event.labels = labels_in_force;
    cr_assert(hs_session_match(&session, &event));
    hs_session_count(&session, &event, stack);
    hs_ref ref = fake_ref();
    cr_assert_eq(hs_session_track(&session, &event, ref), 0);
    return ref;
}

static hs_ref allocate(const char *class_name, uint64_t size, int32_t line) {
    return allocate_at(class_name, size, small_stack(store, line));
}

/* Of this many frames, in the lines 1, 2 and so on; `is_cut`: there were more. */
static struct hs_stack_id stack_of(uint32_t count, bool is_cut) {
    struct hs_frame_id frames[32];
    struct hs_stack_id stack;
    uint32_t one;
    for (uint32_t i = 0; i < count; i++) {
        const struct hs_frame_id *frame =
            hs_stacks_get(store->stacks, small_stack(store, (int32_t)i + 1), &one);
        frames[i] = *frame;
    }
    frames[count].number = HS_STACK_CUT;
    cr_assert_eq(hs_stacks_put(store->stacks, frames, count + is_cut, &stack), HS_OK);
    return stack;
}

static uint32_t count_of(const char *text, const char *what) {
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at++) {
        count++;
    }
    return count;
}

/* What it says on stderr meanwhile; it must not write the report. */
static const char *complaint(void) {
    char said[128];
    (void)snprintf(said, sizeof said, "%s/said", folder);
    int before = dup(STDERR_FILENO);
    int file = open(said, O_RDWR | O_CREAT | O_TRUNC, 0600);
    cr_assert(before >= 0 && file >= 0 && dup2(file, STDERR_FILENO) >= 0);
    bool is_written = write_it();
    (void)dup2(before, STDERR_FILENO);
    (void)close(file);
    (void)close(before);
    cr_assert_not(is_written);
    const char *text = read_text(said);
    (void)unlink(said);
    return text;
}

Test(oom, lists_live_objects_and_their_origins_largest_first) {
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

Test(oom, names_the_labels_of_a_site) {
    static const char LABELS[] = "route\0/o\0tenant\0acme";
    static struct hs_label_set labels = {.text = LABELS, .bytes = sizeof LABELS};
    labels_in_force = &labels;
    allocate("byte[]", 1000, 12);
    labels_in_force = hs_label_sets_find(HS_LABELS_OTHER);
    allocate("byte[]", 64, 12);
    arm();
    cr_assert(hs_oom_strike(&oom, "Java heap space", true));
    cr_assert(write_it());
    const char *text = report();
    cr_assert_not_null(strstr(text, "(1 samples) of byte[] [route=/o, tenant=acme]\n"));
    cr_assert_not_null(strstr(text, "(1 samples) of byte[] [other labels]\n"));
}

/* Two of three objects are at sites of tables that are being exchanged. */
Test(oom, reports_how_much_it_could_not_read) {
    allocate("byte[]", 1000, 12);
    allocate("shop.Item", 64, 30);
    store->code_generation = 1;
    allocate("shop.Cart", 8, 30);
    arm();
    cr_assert(hs_oom_strike(&oom, "Java heap space", true));
    cr_assert(write_it());
    const char *text = report();
    cr_assert_not_null(strstr(text, "memory: 1072 bytes, from 3 samples."));
    cr_assert_null(strstr(text, "byte[]"), "the number is one of other tables");
    cr_assert_not_null(strstr(text, "               8 bytes,            1 objects (1 samples)"));
    cr_assert_not_null(strstr(text,
                              "            1064 bytes,            2 objects (2 samples) of sites "
                              "that are not listed: HeapSampler was renewing its tables\n"));
    store->code_generation = 0;
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

Test(oom, another_path_waits_for_another_exhaustion) {
    arm();
    cr_assert(hs_oom_strike(&oom, "Java heap space", true));
    cr_assert(write_it());
    (void)unlink(path);
    (void)snprintf(path, sizeof path, "%s/another.txt", folder);
    arm();
    cr_assert(hs_oom_strike(&oom, "Java heap space", true));
    cr_assert(write_it());
    cr_assert_not_null(strstr(report(), "Java heap space\n"));
}

Test(oom, a_file_prepared_by_others_is_refused_with_a_message) {
    char expected[512];
    char target[160];
    (void)snprintf(target, sizeof target, "%s/elsewhere", folder);
    cr_assert_eq(symlink(target, path), 0);
    arm();
    cr_assert(hs_oom_strike(&oom, "Java heap space", true));
    (void)snprintf(
        expected, sizeof expected,
        "HeapSampler: no report on out-of-memory in %s: it is a symbolic link. Name a file "
        "of this user's own, in a folder that others cannot write to.\n",
        path);
    cr_assert_str_eq(complaint(), expected);
    cr_assert_str_eq(complaint(), expected, "it was tried once more");
    cr_assert_str_eq(complaint(), "", "and then no more");
    cr_assert_neq(access(target, F_OK), 0);
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

/* As on a full disk: no file may grow beyond 16 bytes. */
static bool write_without_room(void) {
    struct rlimit before;
    cr_assert_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit small = {.rlim_cur = 16, .rlim_max = before.rlim_max};
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    bool is_written = write_it();
    (void)setrlimit(RLIMIT_FSIZE, &before);
    (void)signal(SIGXFSZ, handler);
    return is_written;
}

Test(oom, what_could_be_written_in_part_only_is_not_written) {
    allocate("byte[]", 1000, 12);
    arm();
    cr_assert(hs_oom_strike(&oom, "Java heap space", true));
    cr_assert_not(write_without_room());
    cr_assert_str_eq(report(), "HeapSampler: the");
    cr_assert_not(hs_oom_strike(&oom, "Java heap space", true), "once is enough");
}

/* Site i holds 64 i bytes: those with the numbers 6 to 25 are written, 25 first. */
Test(oom, only_the_sites_that_hold_most_are_written) {
    enum { SITES = HS_OOM_TOP + 5 };
    char line[64];
    for (int32_t i = 1; i <= SITES; i++) {
        int32_t place = i * 7 % SITES + 1; /* in another order than what they hold */
        allocate("byte[]", (uint64_t)place * 64, place);
    }
    arm();
    cr_assert(hs_oom_strike(&oom, "Java heap space", true));
    cr_assert(write_it());
    const char *at = report();
    cr_assert_eq(count_of(at, " of byte[]\n"), HS_OOM_TOP);
    for (int32_t place = SITES; place > SITES - HS_OOM_TOP; place--) {
        (void)snprintf(line, sizeof line, " %d bytes,            1 objects", place * 64);
        at = strstr(at, line);
        cr_assert_not_null(at, "%s, in order", line);
        (void)snprintf(line, sizeof line, "shop.Cart.add:%d\n", place);
        at = strstr(at, line);
        cr_assert_not_null(at, "%s, in order", line);
    }
}

static const char *report_of(uint32_t frames, bool is_cut) {
    allocate_at("byte[]", 64, stack_of(frames, is_cut));
    arm();
    cr_assert(hs_oom_strike(&oom, "Java heap space", true));
    cr_assert(write_it());
    return strstr(report(), " of byte[]\n") + strlen(" of byte[]\n");
}

#define FRAMES_1_TO_3              \
    "        at shop.Cart.add:1\n" \
    "        at shop.Cart.add:2\n" \
    "        at shop.Cart.add:3\n"
#define FRAMES_1_TO_8              \
    FRAMES_1_TO_3                  \
    "        at shop.Cart.add:4\n" \
    "        at shop.Cart.add:5\n" \
    "        at shop.Cart.add:6\n" \
    "        at shop.Cart.add:7\n" \
    "        at shop.Cart.add:8\n"

Test(oom, a_short_stack_is_written_whole) {
    cr_assert_str_eq(report_of(3, false), FRAMES_1_TO_3);
}

Test(oom, so_is_one_that_has_just_as_many_frames) {
    cr_assert_str_eq(report_of(HS_OOM_FRAMES, false), FRAMES_1_TO_8);
}

Test(oom, a_long_one_ends_with_the_number_of_those_left_out) {
    cr_assert_str_eq(report_of(HS_OOM_FRAMES + 2, false), FRAMES_1_TO_8 "        ... 2 more\n");
}

Test(oom, frames_that_were_never_kept_are_mentioned_and_not_counted) {
    cr_assert_str_eq(report_of(3, true), FRAMES_1_TO_3 "        ... those below maxDepth\n");
}

Test(oom, also_where_more_were_kept_than_are_written) {
    cr_assert_str_eq(report_of(HS_OOM_FRAMES + 2, true),
                     FRAMES_1_TO_8 "        ... 2 more, and those below maxDepth\n");
}

Test(oom, and_where_just_as_many_were_kept) {
    cr_assert_str_eq(report_of(HS_OOM_FRAMES, true),
                     FRAMES_1_TO_8 "        ... those below maxDepth\n");
}

Test(oom, is_bounded_by_what_was_reserved) {
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
    cr_assert_eq(count_of(report(), "?"), HS_OOM_REASON - 1);
    cr_assert_not_null(strstr(report(), "512 bytes, from 8 samples"));
    cr_assert_eq(count_of(report(), " of byte[]\n"), 3, "sites 1 to 3; 0 is none");
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
