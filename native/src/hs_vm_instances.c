/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_instances.h"

#include "hs_vm_fields.h"

enum { CLASS_TAG = 1, OBJECT_TAG = 2, SOME_REFS = 16 };

/* JVMTI gives that many; -Xcheck:jni warns of those that were not announced. */
static void expect_locals(JNIEnv *jni, jint count) {
    (void)(*jni)->EnsureLocalCapacity(jni, count + SOME_REFS);
    (*jni)->ExceptionClear(jni);
}

static enum hs_status status_of(jvmtiError error) {
    if (error == JVMTI_ERROR_OUT_OF_MEMORY) {
        return HS_NO_MEMORY;
    }
    return error == JVMTI_ERROR_NONE ? HS_OK : HS_JVMTI;
}

/* A class without a tag would hide its instances, so the first failure ends it. */
static enum hs_status tag_classes(const struct hs_vm_instances *self, jclass wanted) {
    JNIEnv *jni = self->jni;
    jint count;
    jclass *classes;
    jvmtiError error = (*self->jvmti)->GetLoadedClasses(self->jvmti, &count, &classes);
    if (error != JVMTI_ERROR_NONE) {
        return status_of(error);
    }
    expect_locals(jni, count);
    for (jint i = 0; i < count; i++) {
        if (error == JVMTI_ERROR_NONE && (*jni)->IsAssignableFrom(jni, classes[i], wanted)) {
            error = (*self->jvmti)->SetTag(self->jvmti, classes[i], CLASS_TAG);
        }
        (*jni)->DeleteLocalRef(jni, classes[i]);
    }
    (void)(*self->jvmti)->Deallocate(self->jvmti, (unsigned char *)classes);
    return status_of(error);
}

/* On the VM thread, inside the pause, for each object of a class with a tag. */
static jint JNICALL on_object(jlong class_tag, jlong size, jlong *tag, jint length,
                              void *user_data) {
    (void)class_tag;
    (void)size;
    (void)length;
    (void)user_data;
    *tag = OBJECT_TAG;
    return 0;
}

static enum hs_status tag_objects(const struct hs_vm_instances *self) {
    static const jvmtiHeapCallbacks CALLBACKS = {.heap_iteration_callback = on_object};
    return status_of((*self->jvmti)
                         ->IterateThroughHeap(self->jvmti, JVMTI_HEAP_FILTER_CLASS_UNTAGGED, NULL,
                                              &CALLBACKS, NULL));
}

static enum hs_status get_objects(struct hs_vm_instances *self) {
    const jlong tag = OBJECT_TAG;
    jint count;
    jobject *objects;
    jvmtiError error =
        (*self->jvmti)->GetObjectsWithTags(self->jvmti, 1, &tag, &count, &objects, NULL);
    if (error == JVMTI_ERROR_NONE) {
        self->count = count;
        self->objects = objects;
        expect_locals(self->jni, count);
    }
    return status_of(error);
}

enum hs_status hs_vm_instances_open(JNIEnv *jni, jclass class, struct hs_vm_instances *self) {
    *self = (struct hs_vm_instances){.jni = jni};
    enum hs_status status =
        hs_vm_take_tags(jni, &self->jvmti) ? tag_classes(self, class) : HS_UNSUPPORTED;
    status = status == HS_OK ? tag_objects(self) : status;
    status = status == HS_OK ? get_objects(self) : status;
    if (status != HS_OK) {
        hs_vm_instances_close(self);
    }
    return status;
}

void hs_vm_instances_close(struct hs_vm_instances *self) {
    if (self->jvmti == NULL) {
        return;
    }
    if (self->objects != NULL) {
        (void)(*self->jvmti)->Deallocate(self->jvmti, (unsigned char *)self->objects);
    }
    (void)(*self->jvmti)->DisposeEnvironment(self->jvmti);
    *self = (struct hs_vm_instances){.jni = self->jni};
}
