/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_traits.h"

#include <stdlib.h>
#include <string.h>

#include "hs_flags.h"

/* Parts of the maximum heap size that tracking may hold. */
enum { HELD_PART_Z = 200, HELD_PART_G1 = 16 };
enum { FIRST_JDK_WITH_ONE_ZGC = 24 };
#define PARALLEL_BORN_OLD ((uint64_t)256 * 1024)

/* 17 of "17". The property without "vm" is unknown here: Java code sets it, in a table of its own. */
uint32_t hs_vm_feature(jvmtiEnv *jvmti) {
    char *text;
    if ((*jvmti)->GetSystemProperty(jvmti, "java.vm.specification.version", &text) !=
        JVMTI_ERROR_NONE) {
        return 0;
    }
    long feature = strtol(text, NULL, 10);
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)text);
    return feature > 0 && feature < 1000 ? (uint32_t)feature : 0;
}

static enum hs_collector shenandoah(const struct hs_vm_tables *tables) {
    const char *mode = NULL;
    bool is_known = hs_flags_read(tables, "ShenandoahGCMode", &mode, sizeof mode) && mode != NULL;
    return is_known && strcmp(mode, "generational") == 0 ? HS_SHENANDOAH_GENERATIONAL
                                                         : HS_SHENANDOAH;
}

static enum hs_collector collector_of(const struct hs_vm_tables *tables, uint32_t feature) {
    if (hs_flags_is_on(tables, "UseSerialGC")) {
        return HS_SERIAL;
    }
    if (hs_flags_is_on(tables, "UseParallelGC")) {
        return HS_PARALLEL;
    }
    if (hs_flags_is_on(tables, "UseG1GC")) {
        return HS_G1;
    }
    if (hs_flags_is_on(tables, "UseZGC")) {
        bool is_generational =
            feature >= FIRST_JDK_WITH_ONE_ZGC || hs_flags_is_on(tables, "ZGenerational");
        return is_generational ? HS_Z_GENERATIONAL : HS_Z;
    }
    if (hs_flags_is_on(tables, "UseShenandoahGC")) {
        return shenandoah(tables);
    }
    return hs_flags_is_on(tables, "UseEpsilonGC") ? HS_EPSILON : HS_UNKNOWN_COLLECTOR;
}

/* Half a region under G1, half the smallest eden under Serial, as VmInfo has it. */
static uint64_t born_old(const struct hs_vm_tables *tables, enum hs_collector collector) {
    switch ((int)collector) {
    case HS_G1: return hs_flags_number(tables, "G1HeapRegionSize") / 2;
    case HS_SERIAL: {
        uint64_t ratio = hs_flags_number(tables, "SurvivorRatio");
        return hs_flags_number(tables, "NewSize") / (ratio + 2) * ratio / 2;
    }
    case HS_PARALLEL: return PARALLEL_BORN_OLD;
    default: return 0;
    }
}

void hs_vm_read_traits(jvmtiEnv *jvmti, struct hs_vm_traits *traits, uint64_t *garbage_bytes) {
    struct hs_vm_tables tables;
    *traits =
        (struct hs_vm_traits){.collector = HS_UNKNOWN_COLLECTOR, .feature = hs_vm_feature(jvmti)};
    *garbage_bytes = 0;
    if (hs_hotspot_find((const void *)(uintptr_t)(*jvmti)->GetStackTrace, &tables) != NULL) {
        return;
    }
    traits->collector = collector_of(&tables, traits->feature);
    traits->born_old_bytes = born_old(&tables, traits->collector);
    uint64_t heap = hs_flags_number(&tables, "MaxHeapSize");
    if (traits->collector == HS_Z_GENERATIONAL) {
        *garbage_bytes = heap / HELD_PART_Z;
    } else if (traits->collector == HS_G1) {
        *garbage_bytes = heap / HELD_PART_G1;
    }
}
