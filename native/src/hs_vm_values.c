/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_values.h"

#include <string.h>

#include "hs_vm_traits.h"

enum { FIRST_JDK_WITH_VALUES = 28 };

/* The headers that this is compiled with may be older. A capability is one bit, in the order of the JVMTI
 * specification: it follows can_support_virtual_threads, which is bit 44. Older VMs reserve the bit, so the
 * version is checked first, and then what the VM says. */
enum { VALUES_BIT = 45 };

static unsigned char *byte_of(jvmtiCapabilities *capabilities) {
    return (unsigned char *)capabilities + VALUES_BIT / 8;
}

void hs_vm_want_values(jvmtiEnv *jvmti) {
    const unsigned char mask = 1 << VALUES_BIT % 8;
    jvmtiCapabilities potential = {0};
    if (hs_vm_feature(jvmti) < FIRST_JDK_WITH_VALUES ||
        (*jvmti)->GetPotentialCapabilities(jvmti, &potential) != JVMTI_ERROR_NONE ||
        (*byte_of(&potential) & mask) == 0) {
        return;
    }
    jvmtiCapabilities wanted = {0};
    *byte_of(&wanted) = mask;
    (void)(*jvmti)->AddCapabilities(jvmti, &wanted);
}

static bool is_of_class(jvmtiEnv *jvmti, JNIEnv *jni, jobject object, const char *signature) {
    jclass class = (*jni)->GetObjectClass(jni, object);
    char *text;
    bool is_same = false;
    if (class != NULL &&
        (*jvmti)->GetClassSignature(jvmti, class, &text, NULL) == JVMTI_ERROR_NONE) {
        is_same = strcmp(text, signature) == 0;
        (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)text);
    }
    (*jni)->DeleteLocalRef(jni, class);
    return is_same;
}

enum hs_drop hs_vm_why_no_reference(jvmtiEnv *jvmti, JNIEnv *jni) {
    jthrowable thrown = (*jni)->ExceptionOccurred(jni);
    (*jni)->ExceptionClear(jni);
    bool has_no_identity =
        thrown != NULL && is_of_class(jvmti, jni, thrown, "Ljava/lang/IdentityException;");
    (*jni)->DeleteLocalRef(jni, thrown);
    return has_no_identity ? HS_DROP_VALUE_OBJECT : HS_DROP_NO_REFERENCE;
}
