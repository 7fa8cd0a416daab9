/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Arbitrary options of -agentpath: what is accepted is in range, and what is refused has a
 * message. */
#define PLAIN_WITHOUT_MAIN
#include <criterion/criterion.h>
#include <stdint.h>

#include "hs_options.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct hs_options options;
    char message[HS_OPTIONS_MESSAGE];
    char *text = malloc(size + 1); /* so that a read behind its end is seen */
    cr_assert_not_null(text);
    memcpy(text, data, size);
    text[size] = 0;
    bool is_accepted = hs_options_read(text, &options, message);
    cr_assert_eq(message[0] == 0, is_accepted);
    cr_assert_lt(strlen(message), sizeof message);
    if (is_accepted) {
        cr_assert_leq(options.interval, (uint64_t)INT32_MAX);
        cr_assert(options.max_depth >= 1 && options.max_depth <= 1024);
        cr_assert(options.report_on_oom[0] == 0 || options.report_on_oom[0] == '/');
    }
    free(text);
    return 0;
}
