/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "files_under.h"
#include "hs_mem.h"
#include "hs_otel_process.h"
#include "needs_peek.h"
#include "published_context.h"

static struct hs_otel_process process;
static struct payload payload;
static int64_t now;

static const char *const ROUTE[] = {"http_route", NULL};
static const char *const TWO[] = {"http_route", "user_id", NULL};

static void write_payload(const char *const *names) {
    payload.length = 0;
    payload_schema(&payload, "tlsdesc_v1_dev");
    payload_keys(&payload, names);
}

/* How many keys there are now; -1: nothing new. */
static int look(void) {
    struct hs_otel_keys *keys = hs_otel_process_look(&process, "", now);
    int count = keys == NULL ? -1 : (int)keys->count;
    hs_otel_keys_free(keys);
    return count;
}

Test(otel_process, finds_nothing_where_nothing_is_published) {
    NEEDS_PEEK();
    cr_assert_eq(look(), -1);
    cr_assert_eq(process.state, HS_OTEL_NOT_FOUND);
}

Test(otel_process, reads_what_is_published_once) {
    NEEDS_PEEK();
    size_t used = hs_mem_used();
    write_payload(ROUTE);
    context_write(context_map(), &payload, 1);
    cr_assert_eq(look(), 1);
    cr_assert_eq(process.state, HS_OTEL_FOUND);
    cr_assert_eq(look(), -1);
    cr_assert_eq(hs_mem_used(), used);
}

Test(otel_process, reads_again_what_has_changed) {
    NEEDS_PEEK();
    struct published *context = context_map();
    write_payload(ROUTE);
    context_write(context, &payload, 1);
    cr_assert_eq(look(), 1);
    write_payload(TWO);
    context_write(context, &payload, 2);
    cr_assert_eq(look(), 2);
}

Test(otel_process, searches_no_sooner_than_after_ten_seconds) {
    NEEDS_PEEK();
    cr_assert_eq(look(), -1);
    write_payload(ROUTE);
    context_write(context_map(), &payload, 1);
    now = HS_OTEL_SEARCH_US - 1;
    cr_assert_eq(look(), -1);
    now++;
    cr_assert_eq(look(), 1);
}

Test(otel_process, waits_while_the_sdk_is_writing) {
    NEEDS_PEEK();
    struct published *context = context_map();
    write_payload(ROUTE);
    context_write(context, &payload, 0);
    cr_assert_eq(look(), -1);
    context->published = 7;
    cr_assert_eq(look(), 1);
    context->published = 0;
    cr_assert_eq(look(), -1);
    context->published = 8;
    cr_assert_eq(look(), 1);
}

Test(otel_process, passes_over_other_signatures_and_versions) {
    NEEDS_PEEK();
    struct published *other = context_map();
    struct published *old = context_map();
    write_payload(TWO);
    context_write(other, &payload, 1);
    memcpy(other->signature, "OTEL_CTY", 8);
    context_write(old, &payload, 1);
    old->version = 1;
    cr_assert_eq(look(), -1);
    memcpy(other->signature, "OTEL_CTX", 8);
    now = HS_OTEL_SEARCH_US;
    cr_assert_eq(look(), 2);
}

Test(otel_process, notices_that_a_context_has_gone_and_finds_the_next_one) {
    NEEDS_PEEK();
    struct published *context = context_map();
    write_payload(ROUTE);
    context_write(context, &payload, 1);
    cr_assert_eq(look(), 1);
    cr_assert_eq(munmap(context, CONTEXT_BYTES), 0);
    cr_assert_eq(look(), -1);
    cr_assert_eq(process.state, HS_OTEL_NOT_FOUND);
    context_write(context_map(), &payload, 1);
    now = HS_OTEL_SEARCH_US;
    cr_assert_eq(look(), 1);
}

Test(otel_process, survives_a_payload_that_is_not_there) {
    NEEDS_PEEK();
    struct published *context = context_map();
    size_t used = hs_mem_used();
    write_payload(ROUTE);
    context_write(context, &payload, 1);
    context->payload = 8;
    cr_assert_eq(look(), -1);
    context->payload = UINT64_MAX;
    cr_assert_eq(look(), -1);
    cr_assert_eq(hs_mem_used(), used);
    context->payload = (uintptr_t)payload.bytes;
    cr_assert_eq(look(), 1);
}

Test(otel_process, takes_no_keys_from_a_payload_that_is_too_long_or_damaged) {
    NEEDS_PEEK();
    struct published *context = context_map();
    write_payload(ROUTE);
    context_write(context, &payload, 1);
    context->payload_bytes = HS_OTEL_PAYLOAD_MAX + 1;
    cr_assert_eq(look(), 0);
    cr_assert_eq(process.state, HS_OTEL_REFUSED);
    cr_assert_eq(look(), -1, "the same one is not read again");
    context_write(context, &payload, 2);
    context->payload_bytes = UINT32_MAX;
    cr_assert_eq(look(), 0);
    context_write(context, &payload, 3);
    context->payload_bytes--;
    cr_assert_eq(look(), 0);
    cr_assert_eq(process.state, HS_OTEL_REFUSED);
    context_write(context, &payload, 4);
    cr_assert_eq(look(), 1);
    cr_assert_eq(process.state, HS_OTEL_FOUND);
}

Test(otel_process, takes_an_empty_payload_for_no_keys) {
    NEEDS_PEEK();
    struct published *context = context_map();
    payload.length = 0;
    context_write(context, &payload, 1);
    context->payload = 0;
    cr_assert_eq(look(), 0);
    cr_assert_eq(process.state, HS_OTEL_FOUND);
}

Test(otel_process, tries_again_without_memory) {
    NEEDS_PEEK();
    size_t used = hs_mem_used();
    write_payload(ROUTE);
    context_write(context_map(), &payload, 1);
    hs_mem_set_budget(hs_mem_used());
    cr_assert_eq(look(), -1);
    hs_mem_set_budget(hs_mem_used() + sizeof(struct hs_otel_keys));
    cr_assert_eq(look(), -1);
    cr_assert_eq(hs_mem_used(), used);
    hs_mem_set_budget(HS_MEM_DEFAULT_BUDGET);
    cr_assert_eq(look(), 1);
}

/* ---- the whole payload ---- */

/* Copies it; -1: none. */
static int copy(void) {
    uint32_t bytes = 0;
    unsigned char *copied = hs_otel_process_copy(&process, "", 0, &bytes);
    if (copied != NULL) {
        cr_assert_eq(memcmp(copied, payload.bytes, bytes), 0);
    }
    hs_otel_payload_free(copied, bytes);
    return copied == NULL ? -1 : (int)bytes;
}

Test(otel_process, copies_the_payload_each_time) {
    NEEDS_PEEK();
    size_t used = hs_mem_used();
    cr_assert_eq(copy(), -1);
    cr_assert_eq(process.header, 0);
    process = (struct hs_otel_process){0};
    write_payload(ROUTE);
    struct published *context = context_map();
    context_write(context, &payload, 1);
    cr_assert_eq(copy(), (int)payload.length);
    cr_assert_eq(process.header, (uintptr_t)context);
    cr_assert_eq(copy(), (int)payload.length);
    write_payload(TWO);
    context_write(context, &payload, 2);
    cr_assert_eq(copy(), (int)payload.length);
    cr_assert_eq(hs_mem_used(), used);
}

Test(otel_process, copies_nothing_while_the_sdk_is_writing_and_knows_the_place) {
    NEEDS_PEEK();
    struct published *context = context_map();
    write_payload(ROUTE);
    context_write(context, &payload, 0);
    cr_assert_eq(copy(), -1);
    cr_assert_eq(process.header, (uintptr_t)context);
    context->published = 1;
    context->payload = 8;
    cr_assert_eq(copy(), -1, "a payload that is not there");
    cr_assert_eq(process.header, (uintptr_t)context);
}

Test(otel_process, copies_nothing_from_a_place_that_is_another_now) {
    NEEDS_PEEK();
    process.header = 8;
    cr_assert_eq(copy(), -1);
    cr_assert_eq(process.header, 0);
    process = (struct hs_otel_process){.header = UINT64_MAX};
    cr_assert_eq(copy(), -1);
    process = (struct hs_otel_process){0};
    struct published *context = context_map();
    write_payload(ROUTE);
    context_write(context, &payload, 1);
    context->version = 3;
    cr_assert_eq(copy(), -1, "another version");
    cr_assert_eq(process.header, 0);
}

Test(otel_process, copies_an_empty_payload_in_place_of_one_that_is_too_long) {
    NEEDS_PEEK();
    struct published *context = context_map();
    write_payload(ROUTE);
    context_write(context, &payload, 1);
    context->payload_bytes = HS_OTEL_PAYLOAD_MAX + 1;
    cr_assert_eq(copy(), 0);
    cr_assert_eq(process.state, HS_OTEL_REFUSED);
    context->payload_bytes = UINT32_MAX;
    cr_assert_eq(copy(), 0);
    context->payload_bytes = (uint32_t)payload.length;
    cr_assert_eq(copy(), (int)payload.length);
    cr_assert_eq(process.state, HS_OTEL_FOUND);
}

/* Each way in which the kernel may name the mapping, in a made-up list. */
Test(otel_process, knows_each_name_of_the_mapping, .init = files_set_up, .fini = files_tear_down) {
    NEEDS_PEEK();
    static const struct {
        const char *line;
        bool is_found;
    } CASES[] = {
        {"%lx-%lx rw-p 00000000 00:01 2062 /memfd:OTEL_CTX (deleted)\n", true},
        {"%lx-%lx rw-p 00000000 00:00 0    [anon:OTEL_CTX]\n", true},
        {"%lx-%lx r--s 00000000 00:01 2062 [anon_shmem:OTEL_CTX]\n", true},
        {"%lx-%lx ---p 00000000 00:01 2062 /memfd:OTEL_CTX (deleted)\n", false},
        {"%lx-%lx rw-p 00000000 00:01 2062 /tmp/memfd:OTEL_CTX\n", false},
        {"%lx-%lx rw-p 00000000 00:00 0\n", false},
        {"%lx-%lx\n", false},
        {"\n", false},
    };
    struct published *context =
        mmap(NULL, CONTEXT_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    write_payload(ROUTE);
    context_write(context, &payload, 1);
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++) {
        char maps[300];
        unsigned long start = (unsigned long)(uintptr_t)context;
        (void)snprintf(maps, sizeof maps, CASES[i].line, start, start + CONTEXT_BYTES);
        process = (struct hs_otel_process){0};
        file_has("/proc/self/maps", maps);
        struct hs_otel_keys *keys = hs_otel_process_look(&process, files_root, 0);
        cr_assert_eq(keys != NULL, CASES[i].is_found, "%s", CASES[i].line);
        hs_otel_keys_free(keys);
    }
}
