/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The life of what callbacks see: libraries that come and go, keys that are published, callbacks that stay. */
#include <link.h>
#include <pthread.h>
#include <unistd.h>

#include "hs_mem.h"
#include "hs_otel.h"
#include "needs_peek.h"
#include "otel_sdk.h"
#include "published_context.h"

static struct hs_otel otel;
static struct hs_phaser phaser;
static struct hs_otel_slots slots;
static struct hs_otel_context context;
static struct payload payload;
static int64_t now;

enum { ATTRIBUTES_AT = 28 };

/* Trace 1.., span 2.., the attribute 0 is "/a". */
static _Alignas(2) unsigned char record[ATTRIBUTES_AT + 4] = {1, 1, 1, 1, 1, 1, 1, 1, 1,   1,  1,
                                                              1, 1, 1, 1, 1, 2, 2, 2, 2,   2,  2,
                                                              2, 2, 1, 0, 4, 0, 0, 2, '/', 'a'};

static bool read_it(void) {
    uint32_t token = hs_phaser_enter(&phaser, 0);
    bool has_record = hs_otel_read(&otel, &slots, &context);
    hs_phaser_exit(&phaser, token);
    return has_record;
}

static void look(void) {
    hs_otel_look(&otel, &phaser, "", now);
}

static bool retire(bool is_end) {
    return hs_otel_retire(&otel, &phaser, 1000, is_end);
}

/* As the sweeper does in each round. */
static void do_round(void) {
    look();
    if (retire(false)) {
        look();
    }
}

static void end(void) {
    (void)retire(true);
    hs_otel_settle(&otel, &phaser);
    cr_assert_null(otel.libraries);
    cr_assert_null(otel.keys);
}

static void publish(struct published *where, const char *key, uint64_t published) {
    const char *const KEYS[] = {key, NULL};
    payload.length = 0;
    payload_schema(&payload, "tls_v1");
    payload_keys(&payload, KEYS);
    context_write(where, &payload, published);
}

Test(otel, is_off_where_no_library_has_the_variable) {
    do_round();
    cr_assert_not(read_it());
    cr_assert_eq(hs_otel_state(&otel), HS_OTEL_IS_OFF);
    cr_assert_eq(otel.process.next_us, 0, "no process context is looked for");
    end();
}

Test(otel, follows_a_library_that_is_loaded_later) {
    NEEDS_PEEK();
    size_t used = hs_mem_used();
    do_round();
    struct sdk sdk = sdk_open("gd");
    sdk.attach(record);
    cr_assert_not(read_it());
    do_round();
    cr_assert_eq(hs_otel_state(&otel), HS_OTEL_IS_ON);
    cr_assert(read_it());
    cr_assert_arr_eq(context.example.trace, record, 16);
    sdk.attach(NULL);
    cr_assert_not(read_it());
    end();
    cr_assert_eq(hs_mem_used(), used);
}

/* Between two looks it reads no record, but it follows the library. */
Test(otel, stays_on_while_it_looks_anew) {
    NEEDS_PEEK();
    struct sdk sdk = sdk_open("gd");
    sdk.attach(record);
    do_round();
    now = HS_OTEL_CHECK_US;
    look();
    cr_assert(retire(false));
    cr_assert_not(read_it());
    cr_assert_eq(hs_otel_state(&otel), HS_OTEL_IS_ON);
    look();
    cr_assert(read_it());
    now = 2 * HS_OTEL_CHECK_US;
    look();
    cr_assert(retire(false));
    end();
    cr_assert_eq(hs_otel_state(&otel), HS_OTEL_IS_OFF, "also where it ends then");
}

Test(otel, reads_keys_when_they_are_published_and_when_they_change) {
    NEEDS_PEEK();
    struct sdk sdk = sdk_open("gd");
    struct published *where = context_map();
    sdk.attach(record);
    do_round();
    cr_assert(read_it());
    cr_assert_eq(context.label_bytes, 0u);
    now = HS_OTEL_SEARCH_US;
    publish(where, "route", 1);
    do_round();
    cr_assert(read_it());
    cr_assert_eq(context.label_bytes, 9u);
    cr_assert_arr_eq(context.labels, "route\0/a\0", 9);
    publish(where, "path", 2);
    do_round();
    cr_assert(read_it());
    cr_assert_arr_eq(context.labels, "path\0/a\0", 8);
    end();
}

Test(otel, lets_a_library_go_that_its_owner_has_closed) {
    NEEDS_PEEK();
    struct sdk sdk = sdk_open("gd");
    sdk.attach(record);
    do_round();
    cr_assert(read_it());
    cr_assert_eq(dlclose(sdk.handle), 0);
    now = HS_OTEL_CHECK_US - 1;
    do_round();
    cr_assert(sdk_is_loaded("gd"));
    now++;
    do_round();
    cr_assert_eq(read_it(), !sdk_unloads());
    cr_assert_eq(sdk_is_loaded("gd"), !sdk_unloads());
    end();
}

Test(otel, looks_again_when_any_library_is_loaded) {
    NEEDS_PEEK();
    struct sdk sdk = sdk_open("gd");
    sdk.attach(record);
    do_round();
    cr_assert(read_it());
    cr_assert_eq(dlclose(sdk.handle), 0);
    struct sdk next = sdk_open("desc");
    next.attach(record);
    do_round();
    cr_assert(read_it());
    cr_assert_eq(sdk_is_loaded("gd"), !sdk_unloads());
    cr_assert(sdk_is_loaded("desc"));
    end();
}

Test(otel, goes_on_with_a_library_that_is_still_open) {
    NEEDS_PEEK();
    struct sdk sdk = sdk_open("gd");
    sdk.attach(record);
    do_round();
    uint64_t serial = otel.libraries->serial;
    (void)sdk_open("third");
    do_round();
    cr_assert(read_it());
    cr_assert_neq(otel.libraries->serial, serial);
    end();
    cr_assert(sdk_is_loaded("gd"));
}

Test(otel, keeps_all_that_a_callback_may_still_have) {
    NEEDS_PEEK();
    struct sdk sdk = sdk_open("gd");
    struct published *where = context_map();
    publish(where, "route", 1);
    sdk.attach(record);
    do_round();
    uint32_t token = hs_phaser_enter(&phaser, 0);
    const struct hs_otel_libraries *libraries = otel.libraries;
    const struct hs_otel_keys *keys = otel.keys;
    cr_assert_eq(dlclose(sdk.handle), 0);
    now = HS_OTEL_CHECK_US;
    publish(where, "path", 2);
    do_round();
    do_round();
    cr_assert_null(otel.libraries);
    cr_assert(sdk_is_loaded("gd"));
    cr_assert(hs_otel_thread_read(libraries, keys, &slots, &context));
    cr_assert_arr_eq(context.labels, "route\0/a\0", 9);
    hs_phaser_exit(&phaser, token);
    do_round();
    cr_assert_eq(sdk_is_loaded("gd"), !sdk_unloads());
    end();
}

/* Which keeps the old libraries for more than one round. */
Test(otel, is_on_again_when_a_callback_has_left_that_stayed) {
    NEEDS_PEEK();
    struct sdk sdk = sdk_open("gd");
    sdk.attach(record);
    do_round();
    uint32_t token = hs_phaser_enter(&phaser, 0);
    now = HS_OTEL_CHECK_US;
    for (int i = 0; i < 3; i++) {
        do_round();
        cr_assert_null(otel.libraries);
    }
    hs_phaser_exit(&phaser, token);
    do_round();
    cr_assert(read_it());
    end();
}

Test(otel, reads_the_keys_again_after_an_end) {
    NEEDS_PEEK();
    struct sdk sdk = sdk_open("gd");
    publish(context_map(), "route", 1);
    sdk.attach(record);
    for (int i = 0; i < 2; i++) {
        hs_otel_begin(&otel);
        do_round();
        cr_assert(read_it());
        cr_assert_eq(context.label_bytes, 9u);
        end();
    }
}

Test(otel, does_not_meddle_where_another_thread_is_doing_it) {
    NEEDS_PEEK();
    (void)sdk_open("gd");
    atomic_store(&otel.use, HS_OTEL_TAKEN);
    look();
    cr_assert_null(otel.libraries);
    cr_assert_not(retire(true));
    hs_otel_settle(&otel, &phaser);
    atomic_store(&otel.use, 0);
    look();
    cr_assert_not_null(otel.libraries);
    end();
}

Test(otel, finds_nothing_after_its_end) {
    (void)sdk_open("gd");
    end();
    do_round();
    cr_assert_null(otel.libraries);
}

/* ---- an end that meets a search which hangs in the loader, as that of a sweeper that is left alone ---- */

static _Atomic bool is_held;
static _Atomic bool is_free;

static int hold(struct dl_phdr_info *info, size_t bytes, void *nothing) {
    (void)info;
    (void)bytes;
    (void)nothing;
    is_held = true;
    for (int i = 0; i < 20000 && !is_free; i++) {
        (void)usleep(1000);
    }
    return 1;
}

static void *hold_the_loader(void *nothing) {
    (void)dl_iterate_phdr(hold, nothing);
    return NULL;
}

static void *look_and_hang(void *nothing) {
    (void)nothing;
    look();
    return NULL;
}

static void await_use(uint32_t use) {
    for (int i = 0; i < 20000 && otel.use != use; i++) {
        (void)usleep(1000);
    }
    cr_assert_eq(otel.use, use);
}

/* musl holds no lock while it walks over the libraries. */
static void end_during_a_search(bool begins_again) {
    pthread_t holder;
    pthread_t searcher;
    struct sdk sdk = sdk_open("gd");
    sdk.attach(record);
    cr_assert_eq(pthread_create(&holder, NULL, hold_the_loader, NULL), 0);
    while (!is_held) {
        (void)usleep(1000);
    }
    cr_assert_eq(pthread_create(&searcher, NULL, look_and_hang, NULL), 0);
    await_use(HS_OTEL_TAKEN);
    cr_assert_not(retire(true));
    hs_otel_settle(&otel, &phaser);
    if (begins_again) {
        hs_otel_begin(&otel);
    }
    is_free = true;
    cr_assert_eq(pthread_join(holder, NULL), 0);
    cr_assert_eq(pthread_join(searcher, NULL), 0);
    cr_assert_eq(dlclose(sdk.handle), 0);
}

Test(otel, publishes_nothing_that_a_search_finds_after_the_end) {
    NEEDS_PEEK();
    size_t used = hs_mem_used();
    if (!sdk_unloads()) {
        return;
    }
    end_during_a_search(false);
    cr_assert_null(otel.libraries);
    cr_assert_null(otel.retired_libraries);
    cr_assert_eq(hs_otel_state(&otel), HS_OTEL_IS_OFF);
    cr_assert_eq(otel.use, HS_OTEL_ENDED);
    cr_assert_not(sdk_is_loaded("gd"), "it is held no longer");
    cr_assert_eq(hs_mem_used(), used);
}

Test(otel, keeps_what_a_search_finds_when_sampling_has_begun_again) {
    NEEDS_PEEK();
    if (!sdk_unloads()) {
        return;
    }
    end_during_a_search(true);
    cr_assert_not_null(otel.libraries);
    end();
}

Test(otel, tries_again_without_memory) {
    NEEDS_PEEK();
    (void)sdk_open("gd");
    hs_mem_fail_at(1);
    do_round();
    cr_assert_null(otel.libraries);
    do_round();
    cr_assert_not_null(otel.libraries);
    end();
}

Test(otel, reports_a_schema_that_it_does_not_know) {
    NEEDS_PEEK();
    (void)sdk_open("gd");
    payload.length = 0;
    payload_schema(&payload, "golang_v1");
    struct published *where = context_map();
    context_write(where, &payload, 1);
    do_round();
    cr_assert_eq(hs_otel_state(&otel), HS_OTEL_HAS_OTHER_SCHEMA);
    now = HS_OTEL_CHECK_US;
    do_round();
    cr_assert_not_null(otel.libraries, "searched anew");
    cr_assert_eq(hs_otel_state(&otel), HS_OTEL_HAS_OTHER_SCHEMA);
    publish(where, "route", 2);
    do_round();
    cr_assert_eq(hs_otel_state(&otel), HS_OTEL_IS_ON);
    end();
}

Test(otel, reports_a_version_that_it_does_not_know) {
    char path[512];
    size_t used = hs_mem_used();
    sdk_path(path, "new");
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    cr_assert_not_null(handle);
    do_round();
    cr_assert_eq(hs_otel_state(&otel), HS_OTEL_HAS_NEW_VERSION);
    cr_assert_not(read_it());
    end();
    cr_assert_eq(dlclose(handle), 0);
    cr_assert_eq(hs_mem_used(), used);
}
