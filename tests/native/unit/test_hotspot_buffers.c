/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What the layout says of the buffers that threads allocate in. */
#include "hotspot_tables.h"

TABLES_TEST(count_of_allocated_bytes_is_that_of_the_buffers_before_and_of_this_one) {
    struct hs_layout layout;
    cr_assert_null(read_layout(tables, &layout));
    uint64_t thread[64] = {0};
    bool is_old = tables->rows == ROWS_17;
    thread[(is_old ? 384 : 312) / 8] = 1000000;
    thread[(is_old ? 264 : 200) / 8] = 0x7000;     /* start */
    thread[(is_old ? 264 : 200) / 8 + 1] = 0x7040; /* top */
    cr_assert_eq(hs_hotspot_allocated(&layout, (uintptr_t)thread), 1000064);

    thread[(is_old ? 264 : 200) / 8] = 0; /* no buffer */
    thread[(is_old ? 264 : 200) / 8 + 1] = 0;
    cr_assert_eq(hs_hotspot_allocated(&layout, (uintptr_t)thread), 1000000);

    for (uint32_t missing = 1; missing <= 4; missing++) {
        uint32_t last = 0;
        fill(tables);
        while (tables->fields[last].type != NULL) {
            last++;
        }
        tables->fields[last - missing].type = "Other";
        cr_assert_null(read_layout(tables, &layout), "walks do not need it");
        cr_assert_eq(hs_hotspot_allocated(&layout, (uintptr_t)thread), 0);
    }
}

/* ---- buffers ---- */

static const struct hs_layout REFILL_LAYOUT = {.thread_allocated = 384,
                                               .thread_buffer_start = 264,
                                               .thread_buffer_top = 272,
                                               .thread_refills = 336,
                                               .thread_buffer_end = 288,
                                               .thread_desired = 304,
                                               .thread_before = 320,
                                               .thread_ahead = 328};

/* A thread whose new buffer has 100 bytes of one object in it. */
static void refill_thread(uint64_t *thread) {
    thread[384 / 8] = 5000;        /* allocated, except for this buffer */
    thread[264 / 8] = 0x10000;     /* start */
    thread[272 / 8] = 0x10068;     /* top */
    thread[288 / 8] = 0x11000;     /* end */
    thread[304 / 8] = 4096 / 8;    /* desired size */
    thread[320 / 8] = 4600;        /* before the last buffer */
    thread[328 / 8] = 3001;        /* counted ahead */
    thread[336 / 8] = 0x700000001; /* refills, and something else */
}

Test(hotspot, object_that_begins_the_first_buffer_since_a_collection_is_a_refill) {
    struct hs_refill refill;
    uint64_t thread[64] = {0};
    refill_thread(thread);

    cr_assert(hs_hotspot_refill(&REFILL_LAYOUT, (uintptr_t)thread, 0x10000, &refill));

    cr_assert_eq(refill.ahead, 3001);
    cr_assert_eq(refill.used, 400);
    cr_assert_eq(refill.room, 4096, "the size it wants, more than is left");
    thread[304 / 8] = 256 / 8;
    cr_assert(hs_hotspot_refill(&REFILL_LAYOUT, (uintptr_t)thread, 0x10000, &refill));
    cr_assert_eq(refill.room, 0xF98, "the rest");
}

Test(hotspot, every_other_object_is_none) {
    static const struct {
        uint32_t at;
        uint64_t value;
        const char *what;
    } CHANGES[] = {
        {264, 0xFFF0, "another object begins the buffer"},
        {264, 0, "there is no buffer"},
        {328, 0, "nothing was counted ahead"},
        {336, 0x700000002, "the second buffer since a collection"},
    };
    struct hs_refill refill;
    uint64_t thread[64] = {0};
    for (size_t i = 0; i < sizeof CHANGES / sizeof *CHANGES; i++) {
        refill_thread(thread);
        thread[CHANGES[i].at / 8] = CHANGES[i].value;
        cr_assert_not(hs_hotspot_refill(&REFILL_LAYOUT, (uintptr_t)thread, 0x10000, &refill), "%s",
                      CHANGES[i].what);
    }
    refill_thread(thread);
    struct hs_layout without_refills = REFILL_LAYOUT;
    without_refills.thread_refills = UINT32_MAX;
    cr_assert_not(hs_hotspot_refill(&without_refills, (uintptr_t)thread, 0x10000, &refill));
}

TABLES_TEST(buffers_are_known_only_with_all_their_fields_in_the_known_order) {
    struct hs_layout layout;
    bool is_old = tables->rows == ROWS_17;
    cr_assert_null(read_layout(tables, &layout));
    cr_assert_eq(layout.thread_refills, is_old ? 336 : UINT32_MAX);
    for (uint32_t i = 0; is_old && tables->rows[i].type != NULL; i++) {
        if (strcmp(tables->rows[i].type, "ThreadLocalAllocBuffer") != 0 &&
            strcmp(tables->rows[i].type, "Thread") != 0) {
            continue;
        }
        bool is_needed = tables->rows[i].reason == NULL;
        for (int change = 0; is_needed && change < 2; change++) {
            bool has_order = strcmp(tables->rows[i].field, "_number_of_refills") == 0 ||
                             strcmp(tables->rows[i].field, "_refill_waste_limit") == 0 ||
                             strcmp(tables->rows[i].field, "_desired_size") == 0;
            fill(tables);
            if (change == 0) {
                tables->fields[i + 1].field = "_other";
            } else if (has_order) {
                tables->fields[i + 1].offset += 8;
            } else {
                continue;
            }
            cr_assert_null(read_layout(tables, &layout), "walks do not need it");
            cr_assert_eq(layout.thread_refills, UINT32_MAX, "%s", tables->rows[i].field);
        }
    }
}
