/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Arbitrary payloads of a process context: keys are terminated, in order, and such as a label may have. */
#define PLAIN_WITHOUT_MAIN
#include <criterion/criterion.h>
#include <stdint.h>

#include "hs_otel_keys.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_ranks(const struct hs_otel_keys *keys) {
    size_t used = 0;
    cr_assert_leq(keys->ranks, keys->count);
    for (uint32_t i = 0; i < keys->ranks; i++) {
        const char *text = keys->texts + keys->at[i];
        size_t bytes = keys->bytes[i];
        used += bytes + 1;
        cr_assert_leq(keys->at[i] + bytes + 1, sizeof keys->texts);
        cr_assert_eq(strlen(text), bytes);
        cr_assert(bytes > 0 && bytes <= 3 * HS_OTEL_KEY_CHARS);
        cr_assert(i == 0 || strcmp(keys->texts + keys->at[i - 1], text) < 0);
    }
    cr_assert_leq(used, sizeof keys->texts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct hs_otel_keys keys;
    uint8_t *payload =
        malloc(size + 1); /* its end is at the end of a block, so that a read behind it is seen */
    cr_assert_not_null(payload);
    memcpy(payload + 1, data, size);
    bool is_read = hs_otel_keys_read(&keys, payload + 1, size);
    cr_assert(is_read || (keys.count == 0 && keys.schema == HS_OTEL_NO_SCHEMA));
    cr_assert_leq(keys.count, (uint32_t)HS_OTEL_KEYS);
    check_ranks(&keys);
    for (uint32_t i = 0; i < keys.count; i++) {
        cr_assert(keys.rank[i] == HS_OTEL_NO_RANK || keys.rank[i] < keys.ranks);
    }
    free(payload);
    return 0;
}
