/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* HotSpot: where the running VM keeps what a stack walk needs.
 *
 * libjvm describes its own structures in tables, which it exports for its debuggers. They are read
 * once; every number is checked for plausibility; anything missing, odd or unheard of means that no
 * walk is made at all. Nothing here is guessed: what the tables do not say (the shape of an
 * interpreter frame, of a call stub's frame) is fixed per processor in hs_walk.c, and is proved at
 * run time by comparing walks with the VM's own.
 *
 * Not here: reading a stack (hs_walk.h), finding code (hs_code.h). */
#ifndef HS_HOTSPOT_H
#define HS_HOTSPOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hs_estimate.h"

/* The versions of Java that are walked; 17, 21 and 25 are tested. From JDK 26 on a method
 * id no longer leads to its method, and learned frames could not be kept honest. */
enum { HS_FIRST_WALKED_JDK = 17, HS_LAST_WALKED_JDK = 25 };

enum { HS_MAX_CODE_HEAPS = 4 };

/* Where the debug information of an nmethod is (hs_scopes.h). Offsets in bytes, of the nmethod unless something else is said. */
struct hs_scopes_layout {
    uint32_t
        pc_desc_bytes;   /* of a PcDesc; 0: this VM does not say where it keeps debug information */
    uint32_t pc_desc_pc; /* int: distance from the beginning of the code */
    uint32_t pc_desc_scope; /* int: place in the stream */
    uint32_t header_bytes;  /* of an nmethod: no field lies behind */
    bool is_apart;          /* it lies in blocks of its own, as in JDK 25 */
    bool has_no_zeros;      /* the stream has none, as from JDK 20 on; no table says so */
    /* Each field is an int and counts from the beginning of the nmethod, or of the block that is named. */
    uint32_t code;     /* an address; apart: an int */
    uint32_t metadata; /* apart: the address of the block */
    uint32_t data;     /* an address; apart: in the immutable block, to its end */
    uint32_t pcs;      /* apart: in the immutable block, to `data` */
    uint32_t pcs_end;  /* not apart */
    /* Apart. */
    uint32_t immutable;
    uint32_t immutable_size;
    uint32_t metadata_size;   /* of the block */
    uint32_t relocation_size; /* what lies in the block before the Methods */
    /* Method: u2, the flags of the class file, in the first half of what may be wider. */
    uint32_t method_access;
};

/* Offsets in bytes. */
struct hs_layout {
    /* JavaThread */
    uint32_t thread_anchor;
    uint32_t thread_stack_base;
    uint32_t thread_stack_size;
    /* The same, for its count of allocated bytes; UINT32_MAX where this VM does not say. */
    uint32_t thread_allocated;
    uint32_t thread_buffer_start;
    uint32_t thread_buffer_top;
    /* The same, for what hs_hotspot_refill needs; the first is UINT32_MAX where this VM does not say. */
    uint32_t thread_refills; /* unsigned: buffers taken since the last collection */
    uint32_t thread_buffer_end;
    uint32_t thread_desired; /* the size of the next buffer, in words */
    uint32_t thread_before;  /* bytes allocated before the buffer that the last collection took */
    uint32_t thread_ahead;   /* bytes counted towards the sample point before they are allocated */
    /* JavaFrameAnchor */
    uint32_t anchor_sp;
    uint32_t anchor_fp;
    uint32_t anchor_pc;
    /* JavaCallWrapper */
    uint32_t wrapper_anchor;
    /* CodeHeap: its two areas, as offsets of their bounds */
    uint32_t heap_low;
    uint32_t heap_high;
    uint32_t heap_segments_low;
    uint32_t heap_log2_segment;
    /* HeapBlock, in front of each blob */
    uint32_t block_bytes;
    uint32_t block_used;
    uint32_t block_length; /* its lower half, where it is 64 bits wide; in segments */
    /* CodeBlob */
    uint32_t blob_name;
    uint32_t blob_frame_size; /* int, in words */
    /* nmethod */
    uint32_t nmethod_method;
    uint32_t nmethod_compile_id;
    uint32_t nmethod_deopt_handler;    /* an address, or, with the flag below, an int offset */
    uint32_t nmethod_deopt_mh_handler; /* the same, for method handle call sites */
    uint32_t nmethod_orig_pc_offset;
    bool handlers_are_offsets;

    /* Method, and its ConstMethod, behind which the bytecodes lie, and behind them the tables */
    uint32_t method_const;
    uint32_t const_words;     /* int: all of it, in words */
    uint32_t const_code_size; /* u2, in bytes */
    uint32_t
        const_header; /* bytes before the bytecodes; 0: this VM does not say how it describes methods */

    /* The names of a Method: where its ConstMethod has the ConstantPool and two indexes into it; the Symbols
     * that lie there. */
    uint32_t const_pool;
    uint32_t const_name;       /* u2 */
    uint32_t const_descriptor; /* u2 */
    uint32_t pool_header;   /* bytes before entry 0; 0: this VM does not say how it keeps names */
    uint32_t symbol_length; /* u2, in bytes */
    uint32_t symbol_text;

    struct hs_scopes_layout scopes;

    /* Constant addresses of this process. */
    uintptr_t call_stub_return;
    uint32_t heap_count;
    uintptr_t heaps[HS_MAX_CODE_HEAPS]; /* CodeHeap */
};

/* A row of gHotSpotVMStructs, and of gHotSpotVMTypes. */
struct hs_vm_field {
    const char *type;
    const char *field;
    const char *field_type;
    int32_t is_static;
    uint64_t offset;
    const void *address; /* of a static field */
};

struct hs_vm_type {
    const char *type;
    const char *super;
    int32_t is_oop;
    int32_t is_integer;
    int32_t is_unsigned;
    uint64_t size;
};

/* Both end with a row whose type is NULL. */
struct hs_vm_tables {
    const struct hs_vm_field *fields;
    const struct hs_vm_type *types;
};

/* Finds the tables in the library that the address lies in.
 * Fails: the English reason; NULL means success. Owns: constants of libjvm. */
const char *hs_hotspot_find(const void *inside_libjvm, struct hs_vm_tables *tables);

/* The row of a field; NULL when there is none. The size of a type; 0 likewise. */
const struct hs_vm_field *hs_hotspot_field(const struct hs_vm_tables *tables, const char *type,
                                           const char *name);
uint64_t hs_hotspot_size(const struct hs_vm_tables *tables, const char *name);

/* Reads the layout out of the tables.
 * Fails: the English reason, a constant; NULL means success. */
const char *hs_hotspot_read(const struct hs_vm_tables *tables, struct hs_layout *layout);

/* The bytes that the running thread has allocated since it began; 0 when this VM does not say where
 * that is. A collection that takes the thread's buffer away in this very moment may make it too large
 * or too small by what was in the buffer; the next answer is right again. Thread: Callback. */
uint64_t hs_hotspot_allocated(const struct hs_layout *layout, uintptr_t current_java_thread);

/* Does the sample at the address `object` begin the first buffer since a collection, and what does the VM
 * know of the buffer before? The address is compared only. False also where this VM does not say, as
 * from JDK 25 on, and when a collection takes the buffer away in this very moment. `used` is 0 where a later
 * collection hides it; `since` is left out. Thread: Callback of that sample, before it allocates. */
bool hs_hotspot_refill(const struct hs_layout *layout, uintptr_t current_java_thread,
                       uintptr_t object, struct hs_refill *refill);

#endif
