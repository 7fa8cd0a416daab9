/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Class loaders: those of the process, also those that have defined no class yet, and the classes of one of them. The boot
 * loader is no object, and not among them.
 *
 * Results are arrays of Java, as local references of the caller; nothing else stays. */
#ifndef HS_VM_LOADERS_H
#define HS_VM_LOADERS_H

#include <jni.h>

#include "hs_status.h"

/* `*loaders`: a new ClassLoader[], with no loader twice; NULL after a failure. What hs_vm_instances.h says of objects that
 * died holds for it. Thread: Control, with no exception pending; none is left.
 * Fails: HS_UNSUPPORTED where this VM has no tags; HS_JVMTI, HS_NO_MEMORY. */
enum hs_status hs_vm_loaders_all(JNIEnv *jni, jobjectArray *loaders);

/* `*classes`: a new Class[] of the classes that the loader has defined, and of others that it has only found; NULL after a
 * failure. Thread and failures: as above. */
enum hs_status hs_vm_loaders_classes(JNIEnv *jni, jobject loader, jobjectArray *classes);

#endif
