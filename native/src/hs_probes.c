/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The notes have the format that SystemTap began and all listeners read. In a section of the file that is not loaded:
 *
 *   u32 bytes of the owner's name, u32 bytes of the description, u32 3; "stapsdt"
 *   u64 address of the nop; u64 address of the section .stapsdt.base; u64 address of the semaphore, as linked
 *   texts that end with 0: provider, name, and the arguments, each as <bytes>@<register>
 *
 * .stapsdt.base shows a reader how far a tool has moved the library's addresses since it was linked. Other code that is
 * linked into the same file may have probes too, and there must be one such section: so it is a group that the linker
 * merges, under the name that all use.
 *
 * The arguments lie in the registers of a call's first arguments, because a listener may ignore the notes' third text. */
#include "hs_probes.h"

#include <stddef.h>

/* In a section of its own, so that the file has bytes for it: the kernel finds a semaphore by its place in the file. */
struct hs_probe_listeners hs_probe_listeners
    __attribute__((section(".probes"), used, aligned(8))) = {0};

_Static_assert(offsetof(struct hs_probe_listeners, free) == 2, "as the note has it");
_Static_assert(offsetof(struct hs_probe_listeners, weight) == 4, "as the note has it");

__asm__(".pushsection .stapsdt.base,\"aG\",\"progbits\",.stapsdt.base,comdat\n"
        ".weak _.stapsdt.base\n"
        ".hidden _.stapsdt.base\n"
        "_.stapsdt.base:\n"
        ".space 1\n"
        ".size _.stapsdt.base, 1\n"
        ".popsection\n");

/* The registers of a call's first arguments, and how a note names them. */
#if defined(__x86_64__)
#define FIRST    "rdi"
#define SECOND   "rsi"
#define THIRD    "rdx"
#define IN(name) "8@%%" name
#elif defined(__aarch64__)
#define FIRST    "x0"
#define SECOND   "x1"
#define THIRD    "x2"
#define IN(name) "8@" name
#endif

#ifdef FIRST
#define HELD_IN(name) __asm__(name)
#define PROBE(provider, name, semaphore, arguments) \
    "71:\tnop\n"                                    \
    "\t.pushsection .note.stapsdt,\"\",\"note\"\n"  \
    "\t.balign 4\n"                                 \
    "\t.4byte 73f - 72f\n"                          \
    "\t.4byte 75f - 74f\n"                          \
    "\t.4byte 3\n"                                  \
    "72:\t.asciz \"stapsdt\"\n"                     \
    "73:\t.balign 4\n"                              \
    "74:\t.8byte 71b\n"                             \
    "\t.8byte _.stapsdt.base\n"                     \
    "\t.8byte hs_probe_listeners + " semaphore "\n" \
    "\t.asciz \"" provider "\"\n"                   \
    "\t.asciz \"" name "\"\n"                       \
    "\t.asciz \"" arguments "\"\n"                  \
    "75:\t.balign 4\n"                              \
    "\t.popsection\n"
#else /* of another processor: without a note no listener finds a probe */
#define HELD_IN(name)
#define PROBE(provider, name, semaphore, arguments) ""
#endif

/* One place to break. */
#define OUT_OF_LINE __attribute__((noinline, cold))

OUT_OF_LINE void hs_probe_alloc(uint64_t id, uint64_t size, uint64_t weighted_bytes) {
    register uint64_t first HELD_IN(FIRST) = id;
    register uint64_t second HELD_IN(SECOND) = size;
    register uint64_t third HELD_IN(THIRD) = weighted_bytes;
    __asm__ volatile(PROBE("otel_memory", "alloc", "0", IN(FIRST) " " IN(SECOND) " " IN(THIRD))
                     :
                     : "r"(first), "r"(second), "r"(third)
                     : "memory");
}

OUT_OF_LINE void hs_probe_free(uint64_t id) {
    register uint64_t first HELD_IN(FIRST) = id;
    __asm__ volatile(PROBE("otel_memory", "free", "2", IN(FIRST)) : : "r"(first) : "memory");
}

OUT_OF_LINE void hs_probe_weight(uint64_t id, uint64_t weighted_bytes) {
    register uint64_t first HELD_IN(FIRST) = id;
    register uint64_t second HELD_IN(SECOND) = weighted_bytes;
    __asm__ volatile(PROBE("heapsampler", "weight", "4", IN(FIRST) " " IN(SECOND))
                     :
                     : "r"(first), "r"(second)
                     : "memory");
}
