/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The signature of a method, and when there is none; its names. What a signature tells apart is in
 * test_learned_versions. */
#include "hs_version.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "walk_items.h"

static struct fake_method method;
static uintptr_t cell;

static bool sign(uint64_t *signature) {
    return hs_version_sign(&METHOD_LAYOUT, (uintptr_t)&cell, (uintptr_t)&method, signature);
}

static uint64_t signature(void) {
    uint64_t found;
    cr_assert(sign(&found));
    return found;
}

Test(version, it_is_that_of_the_content) {
    struct fake_method other;
    cell = method_init(&method, 1);
    uint64_t first = signature();
    cr_assert_eq(signature(), first);
    cell = method_init(&method, 2);
    cr_assert_neq(signature(), first);
    uint64_t elsewhere;
    cell = method_init(&other, 1);
    cr_assert(hs_version_sign(&METHOD_LAYOUT, (uintptr_t)&cell, (uintptr_t)&other, &elsewhere));
    cr_assert_eq(elsewhere, first, "the place does not count");
}

Test(version, a_method_that_the_id_does_not_lead_to_is_not_read) {
    uint64_t found;
    cell = method_init(&method, 1);
    cr_assert_eq(hs_version_method((uintptr_t)&cell), (uintptr_t)&method);
    cr_assert_not(hs_version_sign(&METHOD_LAYOUT, (uintptr_t)&cell, 4096, &found));
    cell = 0;
    cr_assert_not(sign(&found));
    cr_assert_eq(hs_version_method((uintptr_t)&cell), 0);
}

/* ---- bytecode indexes ---- */

enum { ACCESS = 24, NATIVE = 0x100 };

static struct hs_layout layout_with_access(void) {
    struct hs_layout layout = METHOD_LAYOUT;
    layout.scopes.method_access = ACCESS;
    return layout;
}

static void set_access(uint32_t flags) {
    method.method[ACCESS / 8] = flags;
}

static bool index_of(uintptr_t bcp, int32_t *bci) {
    struct hs_layout layout = layout_with_access();
    return hs_version_bci(&layout, (uintptr_t)&cell, (uintptr_t)&method, bcp, bci);
}

Test(version, index_counts_from_the_first_bytecode) {
    uintptr_t code = (uintptr_t)method.body + METHOD_LAYOUT.const_header;
    int32_t bci = -7;
    cell = method_init(&method, 1);
    set_access(0x9);
    for (int32_t i = 0; i < METHOD_CODE; i++) {
        cr_assert(index_of(code + (uintptr_t)i, &bci));
        cr_assert_eq(bci, i);
    }
    cr_assert_not(index_of(code - 1, &bci));
    cr_assert_not(index_of(code + METHOD_CODE, &bci));
    cr_assert_not(index_of(0, &bci));
    cr_assert_not(index_of(UINTPTR_MAX, &bci));
}

Test(version, native_method_has_no_bytecodes) {
    struct hs_layout layout = layout_with_access();
    int32_t bci = -7;
    cell = method_init(&method, 1);
    set_access(NATIVE | 0x1);
    cr_assert(hs_version_is_native(&layout, cell));
    cr_assert(index_of(0, &bci));
    cr_assert_eq(bci, 0);
    set_access(0xFEFF);
    cr_assert_not(hs_version_is_native(&layout, cell));
}

Test(version, index_in_a_method_that_the_id_does_not_lead_to_is_not_read) {
    struct hs_layout layout = layout_with_access();
    int32_t bci;
    cell = method_init(&method, 1);
    cr_assert_not(hs_version_bci(&layout, (uintptr_t)&cell, 4096, 4096, &bci));
    cr_assert_not(hs_version_bci(&layout, (uintptr_t)&cell, 0, 4096, &bci));
    cell = 0;
    cr_assert_not(index_of((uintptr_t)method.body + METHOD_LAYOUT.const_header, &bci));
}

/* ---- names ---- */

static struct fake_pool pool;
static struct fake_symbol symbols[2];

static bool read_names(uintptr_t of, struct hs_version_names *names) {
    return hs_version_read_names(&METHOD_LAYOUT, (uintptr_t)&cell, of, names);
}

static bool is_text(const struct hs_version_text *text, const char *wanted) {
    return text->bytes == strlen(wanted) && memcmp(text->text, wanted, text->bytes) == 0;
}

static void name(struct fake_method *of) {
    enum { ENTRY = 70 };
    method_set_names(of, &pool, ENTRY, symbol_init(&symbols[0], "total"),
                     symbol_init(&symbols[1], "(I)J"));
}

Test(version, names_are_those_of_the_pool) {
    struct hs_version_names names;
    cell = method_init(&method, 1);
    name(&method);
    cr_assert(read_names((uintptr_t)&method, &names));
    cr_assert_eq(names.pool, (uintptr_t)&pool);
    cr_assert(is_text(&names.name, "total"));
    cr_assert(is_text(&names.descriptor, "(I)J"));
    name(&method);
    (void)symbol_init(&symbols[0], "");
    cr_assert(read_names((uintptr_t)&method, &names));
    cr_assert_eq(names.name.bytes, 0);
}

Test(version, a_text_longer_than_a_name_is_not_read) {
    struct hs_version_names names;
    cell = method_init(&method, 1);
    for (int part = 0; part < 2; part++) {
        uint16_t bytes = HS_VERSION_MAX_TEXT;
        name(&method);
        memcpy((char *)&symbols[part] + METHOD_LAYOUT.symbol_length, &bytes, sizeof bytes);
        cr_assert(read_names((uintptr_t)&method, &names));
        bytes++;
        memcpy((char *)&symbols[part] + METHOD_LAYOUT.symbol_length, &bytes, sizeof bytes);
        cr_assert_not(read_names((uintptr_t)&method, &names));
    }
}

Test(version, what_is_no_pointer_is_not_followed) {
    struct hs_version_names names;
    cell = method_init(&method, 1);
    for (int entry = 0; entry < POOL_ENTRIES; entry++) {
        name(&method);
        bool is_used = pool.entries[entry] != 0;
        for (uintptr_t odd = 0; odd < 2; odd++) {
            pool.entries[entry] = odd;
            cr_assert_eq(read_names((uintptr_t)&method, &names), !is_used);
        }
        pool.entries[entry] = 0;
    }
    name(&method);
    memset((char *)method.body + METHOD_LAYOUT.const_pool, 0, sizeof(uintptr_t));
    cr_assert_not(read_names((uintptr_t)&method, &names));
    method.method[METHOD_LAYOUT.method_const / 8] = 0;
    cr_assert_not(read_names((uintptr_t)&method, &names));
}

Test(version, names_of_a_method_that_the_id_does_not_lead_to_are_not_read) {
    struct hs_version_names names;
    cell = method_init(&method, 1);
    name(&method);
    cr_assert_not(read_names(4096, &names));
    cell = 0;
    cr_assert_not(read_names((uintptr_t)&method, &names));
}

Test(version, an_unloaded_method_has_no_names) {
    struct hs_version_names names;
    uint64_t found;
    cell = 0;
    cr_assert_not(read_names(0, &names));
    cr_assert_not(hs_version_read_names(&METHOD_LAYOUT, 8, 0, &names), "an id that is no cell");
    cr_assert_not(hs_version_sign(&METHOD_LAYOUT, (uintptr_t)&cell, 0, &found));
}

/* ---- redefined while it is read ---- */

/* Its parts lie in pages of their own. The first that reads the one which is `guarded` is overtaken by the VM: the
 * id leads to the next version, and what lies there is anything. Nobody may read the page `freed`. */
static struct {
    unsigned char *method;
    unsigned char *body;
    unsigned char *freed;
    unsigned char *guarded;
    void (*overwrite)(void);
} pages;

static size_t page_bytes(void) {
    return (size_t)sysconf(_SC_PAGESIZE);
}

static void overtake(int signal, siginfo_t *info, void *context) {
    (void)signal;
    (void)context;
    unsigned char *at = info->si_addr;
    if (at < pages.guarded || at >= pages.guarded + page_bytes()) {
        _exit(EXIT_FAILURE); /* freed memory was read */
    }
    (void)mprotect(pages.guarded, page_bytes(), PROT_READ | PROT_WRITE);
    cell = 4096;
    pages.overwrite();
}

static unsigned char *new_page(int protection) {
    void *page = mmap(NULL, page_bytes(), protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(page, MAP_FAILED);
    return page;
}

/* The first `front` bytes of the body lie before the end of a page. */
static void begin_pages(size_t front) {
    struct sigaction action = {.sa_sigaction = overtake, .sa_flags = SA_SIGINFO};
    struct fake_method made;
    unsigned char *memory =
        mmap(NULL, 2 * page_bytes(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert_neq(memory, MAP_FAILED);
    bool is_whole = front == sizeof made.body;
    size_t readable = (is_whole ? 1 : 2) * page_bytes();
    cr_assert_eq(mprotect(memory, readable, PROT_READ | PROT_WRITE), 0);
    (void)method_init(&made, 1);
    pages.method = new_page(PROT_READ | PROT_WRITE);
    pages.body = memory + page_bytes() - front;
    pages.freed = new_page(PROT_NONE);
    made.method[METHOD_LAYOUT.method_const / 8] = (uintptr_t)pages.body;
    memcpy(pages.method, made.method, sizeof made.method);
    memcpy(pages.body, made.body, sizeof made.body);
    cell = (uintptr_t)pages.method;
    cr_assert_eq(sigaction(SIGSEGV, &action, NULL), 0);
    uint64_t found;
    cr_assert(hs_version_sign(&METHOD_LAYOUT, (uintptr_t)&cell, (uintptr_t)pages.method, &found));
}

static bool is_signed_with(unsigned char *guarded, void (*overwrite)(void)) {
    uint64_t found;
    pages.guarded = guarded;
    pages.overwrite = overwrite;
    cr_assert_eq(mprotect(guarded, page_bytes(), PROT_NONE), 0);
    return hs_version_sign(&METHOD_LAYOUT, (uintptr_t)&cell, (uintptr_t)pages.method, &found);
}

static void write_freed_pointer(void) {
    uintptr_t freed = (uintptr_t)pages.freed;
    memcpy(pages.method + METHOD_LAYOUT.method_const, &freed, sizeof freed);
}

Test(version, the_pointer_of_a_freed_method_is_not_followed) {
    begin_pages(sizeof method.body);
    cr_assert_not(is_signed_with(pages.method, write_freed_pointer));
}

/* The largest that is read. */
static void write_larger_size(void) {
    uint32_t words = 4096 / 8;
    memcpy(pages.body + METHOD_LAYOUT.const_words, &words, sizeof words);
}

Test(version, the_size_of_a_freed_method_is_not_believed) {
    begin_pages(sizeof method.body);
    cr_assert_not(
        is_signed_with(pages.body - (uintptr_t)pages.body % page_bytes(), write_larger_size));
}

static void write_nothing(void) {
}

Test(version, what_was_signed_of_a_freed_method_does_not_count) {
    enum { FRONT = 64 }; /* the tables begin at 61 */
    begin_pages(FRONT);
    cr_assert_not(is_signed_with(pages.body + FRONT, write_nothing));
}

/* The pool has a page of its own; without another one, that is the one which is guarded. */
static bool are_names_read(unsigned char *guarded, void (*overwrite)(void)) {
    struct hs_version_names names;
    unsigned char *pool_page = new_page(PROT_READ | PROT_WRITE);
    unsigned char *at = pages.body + METHOD_LAYOUT.const_pool;
    struct fake_method named;
    (void)method_init(&named, 1);
    name(&named);
    memcpy(pool_page, &pool, sizeof pool);
    memcpy(pages.body, named.body, sizeof named.body);
    memcpy(at, &pool_page, sizeof pool_page);
    cr_assert(read_names((uintptr_t)pages.method, &names));
    cr_assert(is_text(&names.descriptor, "(I)J"));
    pages.guarded = guarded == NULL ? pool_page : guarded;
    pages.overwrite = overwrite;
    cr_assert_eq(mprotect(pages.guarded, page_bytes(), PROT_NONE), 0);
    return read_names((uintptr_t)pages.method, &names);
}

Test(version, the_body_of_a_freed_method_is_not_read_for_names) {
    begin_pages(sizeof method.body);
    cr_assert_not(are_names_read(pages.method, write_freed_pointer));
}

static void write_freed_pool(void) {
    uintptr_t freed = (uintptr_t)pages.freed;
    memcpy(pages.body + METHOD_LAYOUT.const_pool, &freed, sizeof freed);
}

Test(version, the_pool_of_a_freed_method_is_not_read) {
    begin_pages(sizeof method.body);
    cr_assert_not(
        are_names_read(pages.body - (uintptr_t)pages.body % page_bytes(), write_freed_pool));
}

static void write_freed_symbols(void) {
    struct fake_pool *freed = (struct fake_pool *)(void *)pages.guarded;
    for (int i = 0; i < POOL_ENTRIES; i++) {
        freed->entries[i] = (uintptr_t)pages.freed;
    }
}

Test(version, the_names_of_a_freed_pool_are_not_read) {
    begin_pages(sizeof method.body);
    cr_assert_not(are_names_read(NULL, write_freed_symbols));
}
