/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_cgroup.h"

#include "files_under.h"

/* What a group leaves, and where the groups are: test_child_room.c. Here: which group is the fullest. */
TestSuite(cgroup, .init = files_set_up, .fini = files_tear_down);

#define MIB ((uint64_t)1 << 20)

static void fullest_is(uint64_t used, uint64_t max) {
    struct hs_cgroup group;
    cr_assert(hs_cgroup_fullest(files_root, &group));
    cr_assert_eq(group.used, used, "%llu used", (unsigned long long)group.used);
    cr_assert_eq(group.max, max, "%llu allowed", (unsigned long long)group.max);
}

static void there_is_none(void) {
    struct hs_cgroup group;
    cr_assert_not(hs_cgroup_fullest(files_root, &group));
}

static void group_has(const char *folder, const char *name, const char *text) {
    char path[300];
    (void)snprintf(path, sizeof path, "/sys/fs/cgroup%s/%s", folder, name);
    file_has(path, text);
}

static void group_is(const char *folder, const char *limit, const char *used) {
    group_has(folder, "memory.max", limit);
    group_has(folder, "memory.current", used);
}

static void is_in_pod(void) {
    file_has("/proc/self/mountinfo", "31 22 0:27 / /sys/fs/cgroup ro - cgroup2 cgroup2 ro\n");
    file_has("/proc/self/cgroup", "0::/pod/app\n");
}

Test(cgroup, nothing_known_is_no_limit) {
    there_is_none();
    is_in_pod();
    there_is_none();
}

Test(cgroup, the_own_group_may_be_the_fullest) {
    is_in_pod();
    group_is("/pod/app", "104857600\n", "94371840\n");
    fullest_is(90 * MIB, 100 * MIB);
    group_is("/pod", "209715200\n", "125829120\n");
    fullest_is(90 * MIB, 100 * MIB);
}

Test(cgroup, and_so_may_one_above) {
    is_in_pod();
    group_is("/pod/app", "104857600\n", "52428800\n");
    group_is("/pod", "209715200\n", "188743680\n");
    fullest_is(180 * MIB, 200 * MIB);
}

Test(cgroup, the_share_counts_not_the_rest) {
    is_in_pod();
    group_is("/pod/app", "104857600\n", "52428800\n");
    group_is("/pod", "1048576000\n", "943718400\n");
    fullest_is(900 * MIB, 1000 * MIB);
}

Test(cgroup, only_one_above_may_have_a_limit) {
    is_in_pod();
    group_is("/pod/app", "max\n", "52428800\n");
    group_is("/pod", "209715200\n", "188743680\n");
    fullest_is(180 * MIB, 200 * MIB);
}

Test(cgroup, pages_of_files_not_used_lately_are_not_in_use) {
    is_in_pod();
    group_is("/pod/app", "104857600\n", "104857600\n");
    group_has("/pod/app", "memory.stat", "anon 1\nactive_file 1048576\ninactive_file 41943040\n");
    fullest_is(60 * MIB, 100 * MIB);
    group_has("/pod/app", "memory.stat", "inactive_file 9999999999\n");
    fullest_is(0, 100 * MIB);
}

/* From there on the system slows the processes, and ends none. */
Test(cgroup, the_high_mark_is_no_limit) {
    is_in_pod();
    group_is("/pod/app", "max\n", "52428800\n");
    group_has("/pod/app", "memory.high", "52428800\n");
    there_is_none();
    group_is("/pod/app", "104857600\n", "52428800\n");
    fullest_is(50 * MIB, 100 * MIB);
}

Test(cgroup, the_first_version_is_read_too) {
    file_has("/proc/self/mountinfo",
             "33 22 0:29 /docker /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    file_has("/proc/self/cgroup", "9:memory:/docker/a1\n");
    group_has("/memory/a1", "memory.limit_in_bytes", "104857600\n");
    group_has("/memory/a1", "memory.usage_in_bytes", "104857600\n");
    group_has("/memory/a1", "memory.stat", "inactive_file 1\ntotal_inactive_file 20971520\n");
    fullest_is(80 * MIB, 100 * MIB);
    group_has("/memory/a1", "memory.limit_in_bytes", "9223372036854771712\n");
    there_is_none();
}

Test(cgroup, odd_files_are_no_limit) {
    is_in_pod();
    group_is("/pod/app", "0\n", "52428800\n");
    there_is_none();
    group_is("/pod/app", "nothing\n", "52428800\n");
    there_is_none();
    group_is("/pod/app", "104857600\n", "nothing\n");
    there_is_none();
}
