/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_classes.h"

/* A global reference to a class; NULL when this VM has none of the name. */
static jclass find_class(JNIEnv *jni, const char *name) {
    jclass local = (*jni)->FindClass(jni, name);
    jclass global = local == NULL ? NULL : (*jni)->NewGlobalRef(jni, local);
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, local);
    return global;
}

bool hs_vm_find_classes(JNIEnv *jni, struct hs_vm_classes *found) {
    *found = (struct hs_vm_classes){.object = find_class(jni, "java/lang/Object"),
                                    .virtual = find_class(jni, "java/lang/BaseVirtualThread")};
    jclass thread = find_class(jni, "java/lang/Thread");
    found->thread_id = thread == NULL ? NULL : (*jni)->GetFieldID(jni, thread, "tid", "J");
    (*jni)->ExceptionClear(jni);
    found->java_thread = thread == NULL ? NULL : (*jni)->GetFieldID(jni, thread, "eetop", "J");
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteGlobalRef(jni, thread);
    jclass runtime = find_class(jni, "java/lang/Runtime");
    found->runtime_gc = runtime == NULL ? NULL : (*jni)->GetMethodID(jni, runtime, "gc", "()V");
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteGlobalRef(jni, runtime);
    /* Every VM has these. */
    return found->object != NULL && thread != NULL && found->runtime_gc != NULL;
}

void hs_vm_forget_classes(JNIEnv *jni, struct hs_vm_classes *found) {
    (*jni)->DeleteGlobalRef(jni, found->object);
    (*jni)->DeleteGlobalRef(jni, found->virtual);
    *found = (struct hs_vm_classes){0};
}
