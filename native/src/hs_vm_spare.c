/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_spare.h"

void hs_vm_spare_read(jvmtiEnv *jvmti, enum hs_collector collector, struct hs_vm_spare *self) {
    struct hs_vm_tables tables;
    self->layout.heap = NULL;
    if (collector == HS_G1 &&
        hs_hotspot_find((const void *)(uintptr_t)(*jvmti)->GetStackTrace, &tables) == NULL) {
        (void)hs_spare_read(&tables, &self->layout);
    }
}

void hs_vm_spare_leave_out(struct hs_vm_spare *self, bool is_out) {
    if (is_out) {
        hs_spare_find(&self->layout, &self->spare);
    }
    hs_spare_leave_out(&self->spare, is_out);
}
