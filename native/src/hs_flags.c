/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_flags.h"

#include <string.h>

/* No VM has more; a larger number is no number of flags. */
enum { MOST_FLAGS = 10000, LARGEST_FLAG = 256 };

/* Where the flags are: an array of records, each with the addresses of its name and of its value. */
struct flags {
    const char *first;
    uint64_t count;
    uint64_t bytes;
    uint64_t name_at;
    uint64_t value_at;
};

static bool is_inside(const struct hs_vm_field *field, uint64_t bytes) {
    return field != NULL && !field->is_static && field->offset + sizeof(void *) <= bytes;
}

static bool is_static(const struct hs_vm_field *field) {
    return field != NULL && field->is_static && field->address != NULL;
}

static bool find(const struct hs_vm_tables *tables, struct flags *flags) {
    const struct hs_vm_field *first = hs_hotspot_field(tables, "JVMFlag", "flags");
    const struct hs_vm_field *count = hs_hotspot_field(tables, "JVMFlag", "numFlags");
    const struct hs_vm_field *name = hs_hotspot_field(tables, "JVMFlag", "_name");
    const struct hs_vm_field *value = hs_hotspot_field(tables, "JVMFlag", "_addr");
    flags->bytes = hs_hotspot_size(tables, "JVMFlag");
    if (flags->bytes > LARGEST_FLAG || !is_static(first) || !is_static(count) ||
        !is_inside(name, flags->bytes) || !is_inside(value, flags->bytes)) {
        return false;
    }
    memcpy(&flags->first, first->address, sizeof flags->first);
    memcpy(&flags->count, count->address, sizeof flags->count);
    flags->name_at = name->offset;
    flags->value_at = value->offset;
    return flags->first != NULL && flags->count <= MOST_FLAGS;
}

bool hs_flags_read(const struct hs_vm_tables *tables, const char *name, void *value, size_t bytes) {
    struct flags flags;
    if (!find(tables, &flags)) {
        return false;
    }
    for (uint64_t i = 0; i < flags.count; i++) {
        const char *flag = flags.first + i * flags.bytes;
        const char *its_name;
        const void *its_value;
        memcpy(&its_name, flag + flags.name_at, sizeof its_name);
        memcpy(&its_value, flag + flags.value_at, sizeof its_value);
        if (its_name != NULL && its_value != NULL && strcmp(its_name, name) == 0) {
            memcpy(value, its_value, bytes);
            return true;
        }
    }
    return false;
}

bool hs_flags_is_on(const struct hs_vm_tables *tables, const char *name) {
    unsigned char value = 0;
    return hs_flags_read(tables, name, &value, sizeof value) && value == 1;
}

uint64_t hs_flags_number(const struct hs_vm_tables *tables, const char *name) {
    uint64_t value = 0;
    return hs_flags_read(tables, name, &value, sizeof value) ? value : 0;
}
