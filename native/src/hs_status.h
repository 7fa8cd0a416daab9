/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Status codes: what every fallible function of the core answers.
 *
 * The numbers are pinned: Java knows them as NativeStatus, and a test compares the two. Never reuse
 * a number. */
#ifndef HS_STATUS_H
#define HS_STATUS_H

enum hs_status {
    HS_OK = 0,
    HS_INVALID = 1,       /* an argument is out of range */
    HS_NO_MEMORY = 2,     /* malloc failed or the budget of hs_mem is used up */
    HS_FULL = 3,          /* a bounded table has no room left */
    HS_BUSY = 4,          /* not while a recording is open */
    HS_CLOSED = 5,        /* no recording has this handle */
    HS_TOO_MANY = 6,      /* HS_MAX_RECORDINGS recordings are open */
    HS_OWNED = 7,         /* another agent holds the sampling capability */
    HS_JVMTI = 8,         /* JVMTI refused; its error number stands beside */
    HS_UNSUPPORTED = 9,   /* this VM has no JVMTI or no heap sampling */
    HS_NO_THREAD = 10,    /* the background thread could not be started */
    HS_VM_DEAD = 11,      /* the VM is shutting down */
    HS_OWN = 12,          /* the stack is HeapSampler's own work */
    HS_NO_STACK = 13,     /* the VM gave no stack */
    HS_CHANGED = 14,      /* other limits or another strategy than agreed are in force */
    HS_NOT_ATTACHED = 15, /* the background thread could not attach to the VM in time */
    HS_STUCK = 16,        /* a callback that does not leave may still look at it */
    HS_INSIDE = 17,       /* this thread is inside a snapshot (jni_array.h) */
    HS_MISCOUNTED = 18,   /* a snapshot is not as long as was counted before: a fault of ours */
    HS_STATUS_COUNT = 19,
};

/* Why a sample was dropped, folded or shortened. Same order as DropCause in Java. */
enum hs_drop {
    HS_DROP_STACKS_FULL,    /* counted with a shorter stack: no room for all of it */
    HS_DROP_NAMES_FULL,     /* counted with what is named: no room for a name or a frame */
    HS_DROP_SITES_FULL,     /* counted with its class, or at "(other)": no room for it */
    HS_DROP_THREADS_FULL,   /* counted at the thread "(other)" */
    HS_DROP_NO_STACK,       /* counted with an empty stack, or no class: the VM refused */
    HS_DROP_NO_REFERENCE,   /* allocated counted, live not: no weak reference */
    HS_DROP_THINNED,        /* live not tracked, the others weigh more: budget of references */
    HS_DROP_PHANTOM,        /* not counted: sample point passed while off, or set by others */
    HS_DROP_OWN,            /* not counted: HeapSampler's own allocation */
    HS_DROP_NATIVE_MEMORY,  /* not counted: no native memory */
    HS_DROP_TRUNCATED,      /* counted; the stack was deeper than the depth requested */
    HS_DROP_DEAD_FORGOTTEN, /* a dead sample left the ring; its lifetime stays in the site */
    HS_DROP_CAPPED,         /* not counted, those that are kept stand for it (hs_rate_limit.h) */
    HS_DROP_BURST, /* the same, but beyond what was expected: perhaps nothing stands for it */
    HS_DROP_VALUE_OBJECT, /* allocated counted, live not: a value object has no weak reference */
    HS_DROP_LABELS_FULL, /* counted at the labels "(other)": no room for the set; or a scope found no place */
    HS_DROP_COUNT
};

/* English text of a status, without a full stop; NULL for a number that is none.
 * Thread: Any. Owns: a constant. */
const char *hs_status_text(int status);

#endif
