/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <pthread.h>

#include "hs_mem.h"
#include "hs_otel_library.h"
#include "otel_sdk.h"

static struct hs_otel_libraries *libraries;

static void find(void) {
    cr_assert(hs_otel_libraries_find(&libraries));
}

Test(otel_library, finds_nothing_in_a_process_without_one) {
    find();
    cr_assert_null(libraries);
}

/* A thread that searches the variables. */
struct looker {
    const struct sdk *sdk;
    void **found;
    void **expected;
    bool uses_it_first;
    pthread_barrier_t *meeting; /* before and after the library is found */
};

static void *look(void *argument) {
    struct looker *looker = argument;
    struct hs_otel_slots slots = {0};
    if (looker->uses_it_first) {
        looker->sdk->attach(looker);
    }
    if (looker->meeting != NULL) {
        (void)pthread_barrier_wait(looker->meeting);
        (void)pthread_barrier_wait(looker->meeting);
    }
    looker->found = (void **)(uintptr_t)hs_otel_slots_of(&slots, libraries)->slots[0];
    looker->expected = looker->sdk->slot();
    looker->sdk->attach(looker);
    if (looker->found != looker->expected || *looker->found != looker ||
        hs_otel_slots_of(&slots, libraries)->slots[0] != (void *const *)looker->found) {
        looker->found = NULL;
    }
    return NULL;
}

static void check(const char *name) {
    pthread_barrier_t meeting;
    pthread_t threads[4];
    struct sdk sdk = sdk_open(name);
    struct looker lookers[5] = {{.sdk = &sdk}};
    cr_assert_eq(pthread_barrier_init(&meeting, NULL, 3), 0);
    for (int i = 0; i < 4; i++) {
        /* 0 and 1 begin before the library is found, 2 and 3 after. */
        lookers[i] = (struct looker){
            .sdk = &sdk, .uses_it_first = i % 2 == 0, .meeting = i < 2 ? &meeting : NULL};
        if (i == 2) {
            (void)pthread_barrier_wait(&meeting);
            find();
            cr_assert_not_null(libraries);
            cr_assert_eq(libraries->count, 1u);
            (void)pthread_barrier_wait(&meeting);
        }
        cr_assert_eq(pthread_create(&threads[i], NULL, look, &lookers[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(pthread_join(threads[i], NULL), 0);
        cr_assert_not_null(lookers[i].found, "%s, thread %d", name, i);
    }
    lookers[4].sdk = &sdk;
    (void)look(&lookers[4]);
    cr_assert_not_null(lookers[4].found, "%s, the thread that found it", name);
    hs_otel_libraries_free(libraries);
    cr_assert_eq(dlclose(sdk.handle), 0);
}

Test(otel_library, finds_the_variable_of_each_thread_in_a_private_library) {
    check("gd");
}

Test(otel_library, finds_it_where_code_reaches_it_by_a_descriptor) {
    check("desc");
}

Test(otel_library, finds_it_where_code_reaches_it_at_a_fixed_place) {
    if (!sdk_unloads()) {
        cr_skip_test("musl opens no such library late");
    }
    check("ie");
}

Test(otel_library, keeps_a_library_that_its_owner_closes_until_it_is_given_back) {
    struct sdk sdk = sdk_open("gd");
    size_t used = hs_mem_used();
    find();
    cr_assert_eq(dlclose(sdk.handle), 0);
    cr_assert(sdk_is_loaded("gd"));
    struct hs_otel_slots slots = {0};
    void *const *slot = hs_otel_slots_of(&slots, libraries)->slots[0];
    cr_assert_eq((void *)slot, (void *)sdk.slot());
    hs_otel_libraries_free(libraries);
    cr_assert_eq(hs_mem_used(), used);
    cr_assert_eq(sdk_is_loaded("gd"), !sdk_unloads());
    find();
    cr_assert_eq(libraries == NULL, sdk_unloads());
    hs_otel_libraries_free(libraries);
}

/* What the loader did between the two looks: stands in for threads of the application. */
static void (*between)(void);

/* In the place of the loader's, for all of this program. */
void *dlopen(const char *path, int mode) {
    void *(*real)(const char *, int);
    void *found = dlsym(RTLD_NEXT, "dlopen");
    memcpy(&real, &found, sizeof found);
    if ((mode & RTLD_NOLOAD) != 0 && between != NULL) {
        void (*now)(void) = between;
        between = NULL;
        now();
    }
    return real(path, mode);
}

static struct sdk first_sdk;
static struct sdk second_sdk;

/* The second library gets the number of the first one, and no library has its own. */
static void change_numbers(void) {
    cr_assert_eq(dlclose(second_sdk.handle), 0);
    cr_assert_eq(dlclose(first_sdk.handle), 0);
    second_sdk = sdk_open("gd");
}

Test(otel_library, does_not_follow_one_that_was_loaded_anew_meanwhile) {
    if (!sdk_unloads()) {
        cr_skip_test("musl unloads nothing");
    }
    first_sdk = sdk_open("third");
    second_sdk = sdk_open("gd");
    between = change_numbers;
    find();
    cr_assert_null(between);
    cr_assert_null(libraries, "there is none that was seen twice");
    cr_assert_eq(dlclose(second_sdk.handle), 0);
    cr_assert_not(sdk_is_loaded("gd"), "nothing is held");
}

Test(otel_library, follows_two_libraries_and_no_more) {
    static const char *const NAMES[] = {"gd", "desc", "third"};
    struct sdk sdks[3];
    for (int i = 0; i < 3; i++) {
        sdks[i] = sdk_open(NAMES[i]);
    }
    find();
    cr_assert_eq(libraries->count, 2u);
    struct hs_otel_slots slots = {0};
    (void)hs_otel_slots_of(&slots, libraries);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq((const void *)slots.slots[i], (void *)sdks[i].slot());
    }
    hs_otel_libraries_free(libraries);
}

Test(otel_library, sees_a_version_that_it_does_not_know) {
    char path[512];
    sdk_path(path, "new");
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    cr_assert_not_null(handle, "%s", dlerror());
    find();
    cr_assert_not_null(libraries);
    cr_assert_eq(libraries->count, 0u);
    cr_assert(libraries->has_other_version);
    hs_otel_libraries_free(libraries);
}

Test(otel_library, counts_what_is_loaded) {
    struct hs_otel_loads before = hs_otel_loads_now();
    struct hs_otel_loads again = hs_otel_loads_now();
    cr_assert_eq(before.adds, again.adds);
    cr_assert_eq(before.subs, again.subs);
    (void)sdk_open("gd");
    cr_assert_gt(hs_otel_loads_now().adds, before.adds);
}

Test(otel_library, is_not_found_without_memory) {
    (void)sdk_open("gd");
    size_t used = hs_mem_used();
    for (uint64_t n = 1; n <= 2; n++) { /* then for the block that glibc takes for this thread */
        hs_mem_fail_at(n);
        cr_assert_not(hs_otel_libraries_find(&libraries), "%d", (int)n);
        cr_assert_null(libraries);
        cr_assert_eq(hs_mem_used(), used);
    }
    find();
    cr_assert_not_null(libraries);
    hs_otel_libraries_free(libraries);
}

Test(otel_library, has_no_address_without_memory_and_tries_again) {
    struct sdk sdk = sdk_open("gd");
    struct hs_otel_slots slots = {0};
    find();
    size_t used = hs_mem_used();
    hs_mem_fail_at(1);
    cr_assert_null(hs_otel_slots_of(&slots, libraries)->slots[0]);
    cr_assert_eq((const void *)hs_otel_slots_of(&slots, libraries)->slots[0], (void *)sdk.slot());
    cr_assert_eq(hs_mem_used(), used);
    hs_otel_libraries_free(libraries);
}
