/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Debug information that the input makes and damages: the decoding reads nothing beside the blocks of the nmethod (the memory
 * behind them cannot be read), ends, and names only Methods of the table. The first byte chooses layout and encoding; then
 * four bytes say each step. */
#define PLAIN_WITHOUT_MAIN
#include "unit/synthetic_scopes.h"

enum { STEP_BYTES = 4, PCS = 40 };

static uint32_t add_scope(struct synthetic_scopes *scopes, const uint8_t *self) {
    uint32_t caller = self[1] % 2 == 0 ? 0 : scopes->stream_bytes - self[1] % 16;
    return scopes->stream_bytes < SCOPES_STREAM - 64
               ? scopes_put(scopes, caller, self[2], self[3] - 1)
               : 0;
}

static void take(struct synthetic_scopes *scopes, const uint8_t *self) {
    uint32_t number = (uint32_t)(self[1] << 16 | self[2] << 8 | self[3]);
    switch (self[0] % 5) {
    case 0: (void)add_scope(scopes, self); break;
    case 1:
        if (scopes->pc_count < PCS) {
            scopes_put_pc(scopes, (int32_t)(scopes->pc_count * 8), add_scope(scopes, self));
        }
        break;
    case 2:
        if (scopes->stream_bytes < SCOPES_STREAM - 64) {
            scopes_put_number(scopes, number);
        }
        break;
    case 3: scopes->stream[number / 256 % scopes->stream_bytes] = self[3]; break;
    default: scopes->pcs[self[1] % scopes->pc_count].scope = (int32_t)(int16_t)number; break;
    }
}

/* Not where the blocks lie and how large they are: that is the nmethod's word. */
static void damage_fields(struct synthetic_scopes *scopes, const uint8_t *self) {
    const struct hs_scopes_layout *layout = &scopes->layout;
    int32_t value = (int32_t)((uint32_t)self[1] << 24 | (uint32_t)self[2] << 8 | self[3]);
    const uint32_t inside[] = {layout->metadata, layout->pcs, layout->pcs_end, layout->data};
    const uint32_t apart[] = {layout->relocation_size, layout->pcs, layout->data, layout->code};
    const uint32_t *fields = layout->is_apart ? apart : inside;
    vm_set_int(scopes->code.address + fields[self[0] % 4], value);
}

static void check(const struct synthetic_scopes *scopes, int32_t pc) {
    struct hs_scope found[HS_SCOPES_MAX];
    uint32_t count = scopes_decode(scopes, pc, scopes_method(0), found);
    cr_assert_leq(count, (uint32_t)HS_SCOPES_MAX);
    for (uint32_t i = 0; i < count; i++) {
        cr_assert(found[i].bci >= 0 && found[i].bci <= UINT16_MAX);
    }
    cr_assert(count == 0 || found[count - 1].method == scopes_method(0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct synthetic_scopes *kinds[SCOPES_KIND_COUNT];
    if (size < 1 + STEP_BYTES) {
        return 0;
    }
    struct synthetic_scopes **place = &kinds[data[0] % SCOPES_KIND_COUNT];
    if (*place == NULL) {
        *place = scopes_new(data[0] % SCOPES_KIND_COUNT);
    }
    struct synthetic_scopes *scopes = *place;
    bool is_damaged = (data[0] & 128) != 0;
    const uint8_t *damage = data + 1;
    scopes_begin(scopes);
    for (size_t at = 1 + STEP_BYTES; size - at >= STEP_BYTES && at < size; at += STEP_BYTES) {
        take(scopes, data + at);
    }
    scopes_lay_out(scopes);
    if (is_damaged) {
        damage_fields(scopes, damage);
    }
    for (int32_t pc = -1; pc < PCS * 8; pc++) {
        check(scopes, pc);
    }
    return 0;
}
