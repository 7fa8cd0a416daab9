/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_names.h"

/* Cuts before a character that would not fit whole: continuation bytes are 10xxxxxx. */
static uint32_t cut(const char *text, size_t bytes) {
    if (bytes <= HS_NAME_MAX) {
        return (uint32_t)bytes;
    }
    uint32_t end = HS_NAME_MAX;
    while (end > 0 && ((unsigned char)text[end] & 0xC0) == 0x80) {
        end--;
    }
    return end;
}

enum hs_status hs_names_put_within(struct hs_names names, uint32_t limit, const char *text,
                                   size_t bytes, struct hs_name_id *id) {
    uint32_t kept = cut(text, bytes);
    id->number = 0;
    return kept == 0 ? HS_OK : hs_intern_put_within(names.table, limit, text, kept, &id->number);
}

void hs_names_prefetch(struct hs_names names, const char *text, size_t bytes) {
    hs_intern_prefetch(names.table, text, cut(text, bytes));
}

enum hs_status hs_names_put(struct hs_names names, const char *text, size_t bytes,
                            struct hs_name_id *id) {
    return hs_names_put_within(names, hs_intern_capacity(names.table), text, bytes, id);
}

const char *hs_names_text(struct hs_names names, struct hs_name_id id, uint32_t *bytes) {
    const char *text = hs_intern_key(names.table, id.number, bytes);
    return text == NULL ? "" : text;
}

#ifdef HS_CHECKS
bool hs_names_is_valid(struct hs_names names) {
    for (uint32_t id = 1; id < hs_intern_end(names.table); id++) {
        uint32_t bytes;
        const void *text = hs_intern_key(names.table, id, &bytes);
        if (text != NULL && (bytes == 0 || bytes > HS_NAME_MAX)) {
            return false;
        }
    }
    return hs_intern_is_valid(names.table);
}
#endif
