/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Scopes: which Java frames a pc of compiled code stands for, read from the debug information of the code.
 *
 * The VM keeps it beside each nmethod: a sorted table from pcs to places in a stream of scopes, the stream itself (numbers
 * in the UNSIGNED5 encoding), and a table of the Methods that scopes name by index. A scope says where the scope of its caller
 * lies, which method it is, and its bytecode index. This never changes while the nmethod lives.
 *
 * Pure: reads the nmethod's block, up to JDK 22 with all of its debug information, from JDK 25 on also the two blocks that the nmethod
 * names, each up to the size that it states. It calls nothing and allocates nothing. Valid only while the pc is on the own stack,
 * which keeps the code, both blocks and the Methods where they are. No Method is read.
 * Thread: Any. Fails: returns 0; each doubt ends the decoding, and the caller then requests the stack from the VM. */
#ifndef HS_SCOPES_H
#define HS_SCOPES_H

#include "hs_hotspot.h"

/* No pc stands for more Java frames. */
enum { HS_SCOPES_MAX = 128 };

struct hs_scope {
    uintptr_t method;
    int32_t bci; /* 0 also before the first bytecode, as JVMTI has it */
};

/* The block of an nmethod, from its header on. */
struct hs_scopes_code {
    uintptr_t address;
    uint64_t bytes;
};

/* Decodes the scopes at `pc`, innermost first, at most HS_SCOPES_MAX. The last one is of the method `root`, which was compiled.
 * Returns how many there are; 0: this VM does not say where it keeps them, or something is odd. */
uint32_t hs_scopes_decode(const struct hs_scopes_layout *layout, const struct hs_scopes_code *code,
                          uintptr_t pc, uintptr_t root, struct hs_scope *scopes);

#endif
