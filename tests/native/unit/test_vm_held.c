/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <criterion/criterion.h>
#include <string.h>

#include "block.h"
#include "hs_vm_held.h"

/* As holders.md has them: after the magic, the version, the way and the flags. */
enum { LONGEST_AT = 16, PAUSES_AT = 24, TIME_AT = 32, TIMES_END = 40, BYTES = 100 };

Test(vm_held, the_times_of_all_tries_are_put_into_a_block_and_nothing_else) {
    const struct hs_holders_figures later = {.way = HS_WAY_CHILD,
                                             .longest_pause_us = 0x1122334455667788,
                                             .pauses_us = 0x2233445566778899,
                                             .time_us = 0x33445566778899AA,
                                             .cpu_us = -1,
                                             .bytes = UINT64_MAX};
    struct hs_buffer block = {0};
    for (unsigned i = 0; i < BYTES; i++) {
        const unsigned char byte = (unsigned char)(i + 1);
        hs_buffer_bytes(&block, &byte, 1);
    }
    hs_vm_held_set_times(&block, &later);
    cr_assert_not(block.has_failed);
    cr_assert_eq(block.length, BYTES);
    const unsigned char *data = block.data;
    cr_assert_eq(block_u64(data, LONGEST_AT), (uint64_t)later.longest_pause_us);
    cr_assert_eq(block_u64(data, PAUSES_AT), (uint64_t)later.pauses_us);
    cr_assert_eq(block_u64(data, TIME_AT), (uint64_t)later.time_us);
    for (unsigned i = 0; i < BYTES; i++) {
        cr_assert((i >= LONGEST_AT && i < TIMES_END) || data[i] == i + 1, "byte %u", i);
    }
    hs_buffer_free(&block);
}
