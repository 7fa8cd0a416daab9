/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Class facts: what a search for references has to know of a class (doc/holders.md). Filled in before a walk over the heap,
 * constant afterwards. */
#ifndef HS_CLASS_FACTS_H
#define HS_CLASS_FACTS_H

#include <stdint.h>

/* What is known of a class; bits. */
enum {
    HS_CLASS_LEAF = 1,     /* its instances refer to no object but their class, which stays */
    HS_CLASS_JDK = 2,      /* of the boot or platform loader */
    HS_CLASS_STAYS = 4,    /* its loader stays indefinitely: boot, platform, or application */
    HS_CLASS_OWN = 8,      /* HeapSampler's, or an agent's that only looks */
    HS_CLASS_SOFT = 16,    /* a class of references of this kind; `referent` is valid */
    HS_CLASS_WEAK = 32,    /* likewise, phantom ones too */
    HS_CLASS_FINAL = 64,   /* likewise: java.lang.ref.FinalReference */
    HS_CLASS_THREAD = 128, /* `locals` is valid */
    HS_CLASS_LOADER = 256, /* a subclass of ClassLoader, or java.lang.Class itself */
    HS_CLASS_TEXT =
        512, /* java.lang.String: a leaf unless some target is an array of bytes or chars */
};

/* JVMTI's index of a field that is not known; no field has it. */
#define HS_NO_FIELD UINT16_MAX

struct hs_class_facts {
    uint16_t bits;
    uint16_t referent;  /* JVMTI's index of the field, or HS_NO_FIELD */
    uint16_t locals[2]; /* of threadLocals and inheritableThreadLocals; likewise */
};

#endif
