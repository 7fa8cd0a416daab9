/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Signatures that no JVM gives: names stay within their room, and shrink as they become normal. */
#define PLAIN_WITHOUT_MAIN
#include <criterion/criterion.h>
#include <stdint.h>

#include "hs_signature.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static char raw[HS_SIGNATURE_MAX];
    static char name[HS_SIGNATURE_MAX];
    bool is_hidden;
    char *text = malloc(size + 1); /* so that a read behind its end is seen */
    cr_assert_not_null(text);
    memcpy(text, data, size);
    text[size] = 0;
    size_t bytes = hs_signature_to_name(text, raw);
    cr_assert_leq(bytes, (size_t)HS_SIGNATURE_MAX);
    size_t normal = hs_signature_normalise(raw, bytes, name, &is_hidden);
    cr_assert_leq(normal, bytes);
    free(text);
    return 0;
}
