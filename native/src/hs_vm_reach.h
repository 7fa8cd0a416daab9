/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The VM's part of hs_reach.h: marks are JVMTI tags, walks are FollowReferences.
 *
 * In an environment of its own, so that no other tags are touched, and only as long as it is open: only the
 * asked objects and the classes of references have a tag. */
#ifndef HS_VM_REACH_H
#define HS_VM_REACH_H

#include <jni.h>
#include <jvmti.h>

#include "hs_reach.h"

struct hs_vm_reach {
    JNIEnv *jni;
    jvmtiEnv *jvmti;
    jclass references;      /* local reference to java.lang.ref.Reference */
    jclass soft_references; /* and to its subclass */
    uint32_t referent;      /* the place of that field among those of its class */
    jobject probe; /* a walk that begins here and knows only fields; NULL: of the whole heap */
    struct hs_reach *reach; /* during a walk */
};

/* Opens it, and tries it: `probe` is a Java object (ReachProbe) of which it is known how its parts are
 * reachable. `*vm` works on the calling thread, until hs_vm_reach_close.
 * Thread: Control, with no exception pending.
 * Fails, and has then nothing open: HS_UNSUPPORTED where this VM does not know or does not do it as it must be. */
enum hs_status hs_vm_reach_open(JNIEnv *jni, jobject probe, struct hs_vm_reach *self,
                                struct hs_reach_vm *vm);

/* Takes the tags off, and gives all back. Thread: that which opened it. */
void hs_vm_reach_close(struct hs_vm_reach *self);

#endif
