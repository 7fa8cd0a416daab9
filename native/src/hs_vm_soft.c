/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_soft.h"

#include <stdbool.h>
#include <string.h>

#include "hs_vm_instances.h"

enum { SOME_REFS = 16 };

/* Milliseconds, on a clock that begins at 0: longer ago than any heap lets a soft reference live, and far from
 * an overflow. */
static const jlong LONG_AGO = -((jlong)1 << 50);

struct aging {
    JNIEnv *jni;
    jvmtiEnv *jvmti;
    jclass soft_references; /* local reference to java.lang.ref.SoftReference */
    jfieldID timestamp;
    jfieldID referent;
};

static enum hs_status find_fields(struct aging *self) {
    JNIEnv *jni = self->jni;
    self->soft_references = (*jni)->FindClass(jni, "java/lang/ref/SoftReference");
    if (self->soft_references != NULL) {
        self->timestamp = (*jni)->GetFieldID(jni, self->soft_references, "timestamp", "J");
    }
    if (self->timestamp != NULL) {
        self->referent =
            (*jni)->GetFieldID(jni, self->soft_references, "referent", "Ljava/lang/Object;");
    }
    (*jni)->ExceptionClear(jni);
    return self->referent == NULL ? HS_UNSUPPORTED : HS_OK;
}

/* Does an object belong to a cache of the VM's own? */
static bool is_of_vm(const struct aging *self, jobject object) {
    static const char *const CACHED[] = {"Ljava/lang/Class$", "Ljava/lang/invoke/"};
    jclass class = (*self->jni)->GetObjectClass(self->jni, object);
    char *signature;
    bool is_one = false;
    if ((*self->jvmti)->GetClassSignature(self->jvmti, class, &signature, NULL) ==
        JVMTI_ERROR_NONE) {
        for (size_t i = 0; i < sizeof CACHED / sizeof CACHED[0]; i++) {
            is_one = is_one || strncmp(signature, CACHED[i], strlen(CACHED[i])) == 0;
        }
        (void)(*self->jvmti)->Deallocate(self->jvmti, (unsigned char *)signature);
    }
    (*self->jni)->DeleteLocalRef(self->jni, class);
    return is_one;
}

/* ---- aging ---- */

static void age_one(const struct aging *self, jobject reference) {
    JNIEnv *jni = self->jni;
    jobject referent = (*jni)->GetObjectField(jni, reference, self->referent);
    if (referent != NULL && !is_of_vm(self, referent)) {
        (*jni)->SetLongField(jni, reference, self->timestamp, LONG_AGO);
    }
    (*jni)->DeleteLocalRef(jni, referent);
}

static enum hs_status age(struct aging *self) {
    struct hs_vm_instances found;
    enum hs_status status = find_fields(self);
    if (status != HS_OK) {
        return status;
    }
    status = hs_vm_instances_open(self->jni, self->soft_references, &found);
    self->jvmti = found.jvmti;
    for (jint i = 0; i < found.count; i++) {
        age_one(self, found.objects[i]);
        (*self->jni)->DeleteLocalRef(self->jni, found.objects[i]);
    }
    hs_vm_instances_close(&found);
    return status;
}

enum hs_status hs_vm_soft_age(JNIEnv *jni) {
    struct aging self = {.jni = jni};
    if ((*jni)->PushLocalFrame(jni, SOME_REFS) != JNI_OK) {
        (*jni)->ExceptionClear(jni);
        return HS_NO_MEMORY;
    }
    enum hs_status status = age(&self);
    (void)(*jni)->PopLocalFrame(jni, NULL);
    return status;
}
