/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_child_room.h"

#include <criterion/criterion.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "files_under.h"

TestSuite(child_room, .init = files_set_up, .fini = files_tear_down);

#define MIB ((uint64_t)1 << 20)

static void room_is(uint64_t expected) {
    uint64_t room = hs_child_room(files_root);
    cr_assert_eq(room, expected, "%llu instead of %llu", (unsigned long long)room,
                 (unsigned long long)expected);
}

static void machine_has(int available_mib) {
    char text[200];
    (void)snprintf(text, sizeof text,
                   "MemTotal:       16384000 kB\nMemFree:         1000000 kB\n"
                   "MemAvailable:   %d kB\nCommitLimit:     8388608 kB\n"
                   "Committed_AS:    4194304 kB\n",
                   available_mib * 1024);
    file_has("/proc/meminfo", text);
}

/* 1,000 MiB mapped, of which 700 and a stack of 1 may be written. */
static void process_is_usual(void) {
    file_has("/proc/self/status",
             "Name:\tjava\nVmPeak:\t 2048000 kB\nVmSize:\t 1024000 kB\nVmRSS:\t  512000 kB\n"
             "VmData:\t  716800 kB\nVmStk:\t    1024 kB\n");
}

static void limits_are(const char *space, const char *data) {
    char text[400];
    (void)snprintf(
        text, sizeof text,
        "Limit                     Soft Limit           Hard Limit           Units     \n"
        "Max data size             %-20s unlimited            bytes     \n"
        "Max address space         %-20s unlimited            bytes     \n",
        data, space);
    file_has("/proc/self/limits", text);
}

Test(child_room, nothing_known_bounds_nothing) {
    room_is(UINT64_MAX);
}

Test(child_room, the_machine_has_so_much) {
    machine_has(3000);
    room_is(3000 * MIB);
}

Test(child_room, a_system_without_the_figure_bounds_nothing) {
    file_has("/proc/meminfo", "MemTotal:       16384000 kB\nMemFree:         1000000 kB\n");
    room_is(UINT64_MAX);
}

/* --- Groups ----------------------------------------------------------------------------------------- */

/* As of a machine with systemd: the second version. */
static void mounts_are_v2(void) {
    file_has("/proc/self/mountinfo",
             "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n"
             "23 22 0:21 / /proc rw,nosuid shared:2 - proc proc rw\n"
             "31 22 0:27 / /sys/fs/cgroup rw,nosuid shared:9 - cgroup2 cgroup2 rw,nsdelegate\n");
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

static void is_in_v2_service(void) {
    machine_has(3000);
    mounts_are_v2();
    file_has("/proc/self/cgroup", "0::/system.slice/shop.service\n");
}

Test(child_room, a_group_leaves_so_much) {
    is_in_v2_service();
    group_is("/system.slice/shop.service", "1073741824\n", "1063256064\n");
    room_is(10 * MIB);
}

Test(child_room, a_group_above_may_leave_less) {
    is_in_v2_service();
    group_is("/system.slice/shop.service", "1073741824\n", "536870912\n");
    group_is("/system.slice", "2147483648\n", "2141192192\n");
    room_is(6 * MIB);
}

Test(child_room, a_group_may_have_no_limit) {
    is_in_v2_service();
    group_is("/system.slice/shop.service", "max\n", "536870912\n");
    room_is(3000 * MIB);
}

Test(child_room, a_group_that_has_more_than_it_may_leaves_nothing) {
    is_in_v2_service();
    group_is("/system.slice/shop.service", "1073741824\n", "1073741825\n");
    room_is(0);
}

Test(child_room, from_the_high_mark_on_a_group_is_slowed) {
    is_in_v2_service();
    group_is("/system.slice/shop.service", "1073741824\n", "524288000\n");
    group_has("/system.slice/shop.service", "memory.high", "536870912\n");
    room_is(12 * MIB);
    group_has("/system.slice/shop.service", "memory.high", "max\n");
    room_is(524 * MIB);
}

Test(child_room, pages_of_files_not_used_lately_are_free) {
    is_in_v2_service();
    group_is("/system.slice/shop.service", "1073741824\n", "1073741824\n");
    group_has("/system.slice/shop.service", "memory.stat",
              "anon 900000000\nfile 160000000\nactive_file 20000000\ninactive_file 104857600\n");
    room_is(100 * MIB);
    group_has("/system.slice/shop.service", "memory.stat", "inactive_file 9999999999\n");
    room_is(1024 * MIB);
}

Test(child_room, a_group_that_ends_as_a_whole_leaves_half) {
    is_in_v2_service();
    group_is("/system.slice/shop.service", "1073741824\n", "536870912\n");
    group_has("/system.slice/shop.service", "memory.oom.group", "0\n");
    room_is(512 * MIB);
    group_has("/system.slice/shop.service", "memory.oom.group", "1\n");
    room_is(256 * MIB);
}

/* The limit is above, but what the system ends is the group below. */
Test(child_room, also_where_the_limit_is_above) {
    is_in_v2_service();
    group_has("/system.slice/shop.service", "memory.oom.group", "1\n");
    group_is("/system.slice", "1073741824\n", "536870912\n");
    room_is(256 * MIB);
}

/* A container that sees the whole path, but has only its own group mounted. */
Test(child_room, the_mount_may_be_a_group_below_the_top) {
    machine_has(3000);
    file_has("/proc/self/mountinfo",
             "900 899 0:27 /kubepods/pod1/app /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
    file_has("/proc/self/cgroup", "0::/kubepods/pod1/app\n");
    group_is("", "1073741824\n", "1063256064\n");
    room_is(10 * MIB);
    file_has("/proc/self/cgroup", "0::/kubepods/pod1/app/inner\n");
    group_is("/inner", "104857600\n", "103809024\n");
    room_is(1 * MIB);
    file_has("/proc/self/cgroup", "0::/kubepods/pod1/application\n");
    room_is(10 * MIB);
}

/* A container with a namespace of its own. */
Test(child_room, the_own_group_may_be_the_top) {
    machine_has(3000);
    mounts_are_v2();
    file_has("/proc/self/cgroup", "0::/\n");
    group_is("", "1073741824\n", "1063256064\n");
    room_is(10 * MIB);
    file_has("/proc/self/cgroup", "0::/../elsewhere\n");
    room_is(10 * MIB);
}

Test(child_room, a_mount_may_have_a_blank) {
    machine_has(3000);
    file_has("/proc/self/mountinfo",
             "31 22 0:27 / /my\\040groups rw shared:9 master:1 - cgroup2 cgroup2 rw\n");
    file_has("/proc/self/cgroup", "0::/app\n");
    file_has("/my groups/app/memory.max", "1073741824\n");
    file_has("/my groups/app/memory.current", "1063256064\n");
    room_is(10 * MIB);
}

static void is_in_v1_container(void) {
    machine_has(3000);
    file_has("/proc/self/mountinfo",
             "31 22 0:27 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
             "32 22 0:28 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
             "33 22 0:29 /docker /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    file_has("/proc/self/cgroup",
             "11:cpu,cpuacct:/docker/a1\n9:memory:/docker/a1\n1:name=systemd:/docker/a1\n"
             "0::/docker/a1\n");
}

Test(child_room, the_first_version_leaves_so_much) {
    is_in_v1_container();
    group_has("/memory/a1", "memory.limit_in_bytes", "1073741824\n");
    group_has("/memory/a1", "memory.usage_in_bytes", "1073741824\n");
    group_has("/memory/a1", "memory.stat", "inactive_file 1\ntotal_inactive_file 20971520\n");
    room_is(20 * MIB);
    group_has("/memory", "memory.limit_in_bytes", "2147483648\n");
    group_has("/memory", "memory.usage_in_bytes", "2146435072\n");
    room_is(1 * MIB);
}

Test(child_room, the_first_version_has_a_large_number_for_no_limit) {
    is_in_v1_container();
    group_has("/memory/a1", "memory.limit_in_bytes", "9223372036854771712\n");
    group_has("/memory/a1", "memory.usage_in_bytes", "1073741824\n");
    room_is(3000 * MIB);
}

Test(child_room, odd_files_bound_nothing) {
    machine_has(3000);
    file_has("/proc/self/mountinfo", "\n - \n31\n31 22 - cgroup2\n1 2 3 4 - cgroup2 a rw\n"
                                     "31 22 0:27 / /sys/fs/cgroup rw\n");
    file_has("/proc/self/cgroup", "\n0\n0:\n0::\n0::/a\n9:memory:/a\n:::::\n");
    room_is(3000 * MIB);
    mounts_are_v2();
    group_is("/a", "", "");
    room_is(3000 * MIB);
    group_is("/a", "1000\n", "nothing\n");
    room_is(3000 * MIB);
}

/* --- Limits of the process -------------------------------------------------------------------------- */

Test(child_room, the_address_space_may_be_limited) {
    machine_has(3000);
    process_is_usual();
    limits_are("unlimited", "unlimited");
    room_is(3000 * MIB);
    limits_are("1153433600", "unlimited");
    room_is(100 * MIB);
    limits_are("1000", "unlimited");
    room_is(0);
}

Test(child_room, and_so_may_the_data) {
    machine_has(3000);
    process_is_usual();
    limits_are("unlimited", "1073741824");
    room_is(324 * MIB);
}

Test(child_room, without_overcommit_the_fork_counts_all_again) {
    machine_has(30000);
    process_is_usual();
    file_has("/proc/sys/vm/overcommit_memory", "0\n");
    room_is(30000 * MIB);
    file_has("/proc/sys/vm/overcommit_memory", "2\n");
    room_is((4096 - 700 - 1) * MIB);
    file_has("/proc/meminfo", "MemAvailable: 30720000 kB\nCommitLimit: 1024000 kB\n"
                              "Committed_AS: 512000 kB\n");
    room_is(0);
}

/* On each machine: it can be read, and there is some room for this test. */
Test(child_room, the_real_files_are_read) {
    cr_assert_gt(hs_child_room(""), 0);
}

/* --- Private memory ----------------------------------------------------------------------------------- */

enum { BYTES = 3 * 65536 };

static char *map(int flags, int file) {
    char *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, flags, file, 0);
    cr_assert_neq(memory, MAP_FAILED);
    return memory;
}

static int new_memfd(void) {
    int file = (int)syscall(SYS_memfd_create, "heap", 0);
    cr_assert_geq(file, 0);
    cr_assert_eq(ftruncate(file, BYTES), 0);
    return file;
}

static bool has_copy_of(const char *memory) {
    const uintptr_t address = (uintptr_t)memory;
    return hs_child_has_copy("", &address, 1);
}

Test(child_room, private_memory_is_copied) {
    int local = 0;
    char *memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
    cr_assert(has_copy_of(memory));
    cr_assert(has_copy_of(memory + BYTES - 1));
    cr_assert(has_copy_of((char *)&local));
    cr_assert(has_copy_of(map(MAP_PRIVATE, new_memfd())));
}

Test(child_room, shared_memory_is_not) {
    cr_assert_not(has_copy_of(map(MAP_SHARED | MAP_ANONYMOUS, -1)));
    char *memory = map(MAP_SHARED, new_memfd()); /* as the heap of ZGC */
    cr_assert_not(has_copy_of(memory));
    cr_assert_not(has_copy_of(memory + BYTES - 1));
}

Test(child_room, one_shared_address_is_enough) {
    const char *private = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
    const char *shared = map(MAP_SHARED | MAP_ANONYMOUS, -1);
    const uintptr_t both[] = {(uintptr_t) private, (uintptr_t)shared, (uintptr_t) private + 1};
    cr_assert_not(hs_child_has_copy("", both, 3));
    cr_assert(hs_child_has_copy("", both, 1));
    cr_assert(hs_child_has_copy("", both, 0));
}

Test(child_room, an_address_without_memory_has_no_copy) {
    char *memory = map(MAP_PRIVATE | MAP_ANONYMOUS, -1);
    cr_assert_eq(munmap(memory, BYTES), 0);
    cr_assert_not(has_copy_of(memory));
    cr_assert_not(has_copy_of(NULL));
}

static bool fake_has_copy(uintptr_t address) {
    return hs_child_has_copy(files_root, &address, 1);
}

Test(child_room, mappings_end_before_their_end) {
    file_has("/proc/self/maps",
             "1000-2000 rw-p 00000000 00:00 0 \n"
             "2000-3000 rw-s 00000000 00:0f 12   /memfd:java_heap (deleted)\n"
             "7f0000000000-7f0000001000 r--p 00000000 08:01 4 /lib/libjvm.so\n"
             "ffffffffff600000-ffffffffff601000 --xp 00000000 00:00 0   [vsyscall]\n");
    cr_assert_not(fake_has_copy(0xfff));
    cr_assert(fake_has_copy(0x1000));
    cr_assert(fake_has_copy(0x1fff));
    cr_assert_not(fake_has_copy(0x2000));
    cr_assert_not(fake_has_copy(0x2fff));
    cr_assert_not(fake_has_copy(0x3000));
    cr_assert(fake_has_copy((uintptr_t)0x7f0000000fff));
    cr_assert(fake_has_copy((uintptr_t)0xffffffffff600000));
}

Test(child_room, files_that_say_nothing_promise_nothing) {
    cr_assert_not(fake_has_copy(0x1000));
    file_has("/proc/self/maps", "");
    cr_assert_not(fake_has_copy(0x1000));
    file_has("/proc/self/maps", "\nnothing\n1000\n1000-\n1000-2000\n1000-2000 \n1000-2000 rw-\n"
                                "2000-1000 rw-p\n1000-2000 rw-?\n");
    cr_assert_not(fake_has_copy(0x1000));
}

/* As many as a process may have. */
Test(child_room, many_mappings_are_read) {
    enum { MANY = 65530 };
    size_t length = 0;
    char *text = malloc((size_t)MANY * 80);
    cr_assert_not_null(text);
    for (int i = 1; i <= MANY; i++) {
        length += (size_t)sprintf(text + length, "%x000-%x800 rw-%c 00000000 00:00 0    %s\n", i, i,
                                  i == MANY - 1 ? 's' : 'p', i % 3 == 0 ? "/a/name" : "");
    }
    file_has("/proc/self/maps", text);
    free(text);
    cr_assert(fake_has_copy((uintptr_t)MANY << 12));
    cr_assert_not(fake_has_copy((uintptr_t)(MANY - 1) << 12));
}

/* --- Made private ------------------------------------------------------------------------------------- */

/* What a child leaves in a mapping of a file of this name, where it has made `part` private. */
static char after_child(const char *name, const char *part, uint32_t expected) {
    char path[200];
    (void)snprintf(path, sizeof path, "%s%s", files_root, name);
    file_has(name, "");
    cr_assert_eq(truncate(path, BYTES), 0);
    FILE *file = fopen(path, "r+");
    cr_assert_not_null(file);
    char *counters = map(MAP_SHARED, fileno(file));
    (void)fclose(file);
    memset(counters, 'a', BYTES);
    pid_t pid = fork();
    if (pid == 0) {
        bool is_right =
            hs_child_unshare(part) == expected && counters[0] == 'a' && counters[BYTES - 1] == 'a';
        counters[0] = 'b';
        _exit(is_right && counters[0] == 'b' ? 0 : 1);
    }
    int status = 0;
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert_eq(status, 0);
    char left = counters[0];
    cr_assert_eq(munmap(counters, BYTES), 0);
    return left;
}

Test(child_room, counters_are_made_private) {
    cr_assert_eq(after_child("/hsperfdata_me/17", "/hsperfdata_", 1), 'a');
}

Test(child_room, others_stay_shared) {
    cr_assert_eq(after_child("/mapped", "/hsperfdata_", 0), 'b');
}

Test(child_room, what_is_large_stays_shared) {
    char *large = mmap(NULL, 2 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(large, MAP_FAILED);
    cr_assert_eq(hs_child_unshare("/dev/zero"), 0);
    cr_assert_not(has_copy_of(large));
    cr_assert_eq(munmap(large, 2 << 20), 0);
    char *small = map(MAP_SHARED | MAP_ANONYMOUS, -1);
    cr_assert_eq(hs_child_unshare("/dev/zero"), 1);
    cr_assert(has_copy_of(small));
    cr_assert_eq(munmap(small, BYTES), 0);
}
