/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_soft.h"

#include <jvmti.h>
#include <stdbool.h>
#include <string.h>

enum { CLASS_TAG = 1, REFERENCE_TAG = 2, SOME_REFS = 16 };

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

static void deallocate(const struct aging *self, void *memory) {
    (void)(*self->jvmti)->Deallocate(self->jvmti, memory);
}

/* JVMTI gives that many; -Xcheck:jni warns of those that were not announced. */
static void expect_locals(JNIEnv *jni, jint count) {
    (void)(*jni)->EnsureLocalCapacity(jni, count + SOME_REFS);
    (*jni)->ExceptionClear(jni);
}

static enum hs_status open_jvmti(struct aging *self) {
    JavaVM *vm;
    if ((*self->jni)->GetJavaVM(self->jni, &vm) != JNI_OK ||
        (*vm)->GetEnv(vm, (void **)&self->jvmti, JVMTI_VERSION_11) != JNI_OK) {
        self->jvmti = NULL;
        return HS_UNSUPPORTED;
    }
    const jvmtiCapabilities wanted = {.can_tag_objects = 1};
    jvmtiError error = (*self->jvmti)->AddCapabilities(self->jvmti, &wanted);
    return error == JVMTI_ERROR_NONE ? HS_OK : HS_UNSUPPORTED;
}

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

/* ---- which ---- */

static enum hs_status tag_classes(const struct aging *self) {
    JNIEnv *jni = self->jni;
    jint count;
    jclass *classes;
    if ((*self->jvmti)->GetLoadedClasses(self->jvmti, &count, &classes) != JVMTI_ERROR_NONE) {
        return HS_JVMTI;
    }
    expect_locals(jni, count);
    for (jint i = 0; i < count; i++) {
        if ((*jni)->IsAssignableFrom(jni, classes[i], self->soft_references)) {
            (void)(*self->jvmti)->SetTag(self->jvmti, classes[i], CLASS_TAG);
        }
        (*jni)->DeleteLocalRef(jni, classes[i]);
    }
    deallocate(self, classes);
    return HS_OK;
}

static jint JNICALL on_reference(jlong class_tag, jlong size, jlong *tag, jint length,
                                 void *user_data) {
    (void)class_tag;
    (void)size;
    (void)length;
    (void)user_data;
    *tag = REFERENCE_TAG;
    return 0;
}

static enum hs_status tag_references(const struct aging *self) {
    static const jvmtiHeapCallbacks CALLBACKS = {.heap_iteration_callback = on_reference};
    jvmtiError error = (*self->jvmti)
                           ->IterateThroughHeap(self->jvmti, JVMTI_HEAP_FILTER_CLASS_UNTAGGED, NULL,
                                                &CALLBACKS, NULL);
    return error == JVMTI_ERROR_NONE ? HS_OK : HS_JVMTI;
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
        deallocate(self, signature);
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

static enum hs_status age_all(const struct aging *self) {
    JNIEnv *jni = self->jni;
    const jlong tag = REFERENCE_TAG;
    jint count;
    jobject *references;
    jvmtiError error =
        (*self->jvmti)->GetObjectsWithTags(self->jvmti, 1, &tag, &count, &references, NULL);
    if (error != JVMTI_ERROR_NONE) {
        return error == JVMTI_ERROR_OUT_OF_MEMORY ? HS_NO_MEMORY : HS_JVMTI;
    }
    expect_locals(jni, count);
    for (jint i = 0; i < count; i++) {
        age_one(self, references[i]);
        (*jni)->DeleteLocalRef(jni, references[i]);
    }
    deallocate(self, references);
    return HS_OK;
}

static enum hs_status age(struct aging *self) {
    enum hs_status status = open_jvmti(self);
    status = status == HS_OK ? find_fields(self) : status;
    status = status == HS_OK ? tag_classes(self) : status;
    status = status == HS_OK ? tag_references(self) : status;
    status = status == HS_OK ? age_all(self) : status;
    if (self->jvmti != NULL) {
        (void)(*self->jvmti)->DisposeEnvironment(self->jvmti);
    }
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
