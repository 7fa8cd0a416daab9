/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_loaders.h"

#include "hs_vm_fields.h"
#include "hs_vm_instances.h"

enum { SOME_REFS = 16 };

/* A local reference; NULL without memory. No exception stays. */
static jobjectArray new_array(JNIEnv *jni, const char *element, const jobject *objects,
                              jint count) {
    jclass class = hs_vm_find_class(jni, element);
    jobjectArray array =
        class == NULL ? NULL : (*jni)->NewObjectArray(jni, (jsize)count, class, NULL);
    bool is_whole = array != NULL;
    for (jsize i = 0; i < count && is_whole; i++) {
        (*jni)->SetObjectArrayElement(jni, array, i, objects[i]);
        is_whole = !(*jni)->ExceptionCheck(jni);
    }
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, class);
    return is_whole ? array : NULL;
}

/* In a frame of local references. */
static enum hs_status find_all(JNIEnv *jni, jobjectArray *loaders) {
    static const char LOADER[] = "java/lang/ClassLoader";
    struct hs_vm_instances found;
    jclass class = hs_vm_find_class(jni, LOADER);
    if (class == NULL) {
        return HS_NO_MEMORY;
    }
    enum hs_status status = hs_vm_instances_open(jni, class, &found);
    if (status == HS_OK) {
        *loaders = new_array(jni, LOADER, found.objects, found.count);
        status = *loaders == NULL ? HS_NO_MEMORY : HS_OK;
    }
    hs_vm_instances_close(&found);
    return status;
}

/* In a frame of local references. */
static enum hs_status find_classes(JNIEnv *jni, jvmtiEnv *jvmti, jobject loader,
                                   jobjectArray *classes) {
    jint count;
    jclass *found;
    jvmtiError error = (*jvmti)->GetClassLoaderClasses(jvmti, loader, &count, &found);
    if (error != JVMTI_ERROR_NONE) {
        return error == JVMTI_ERROR_OUT_OF_MEMORY ? HS_NO_MEMORY : HS_JVMTI;
    }
    (void)(*jni)->EnsureLocalCapacity(jni, count + SOME_REFS); /* what -Xcheck:jni expects */
    (*jni)->ExceptionClear(jni);
    *classes = new_array(jni, "java/lang/Class", found, count);
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)found);
    return *classes == NULL ? HS_NO_MEMORY : HS_OK;
}

enum hs_status hs_vm_loaders_all(JNIEnv *jni, jobjectArray *loaders) {
    *loaders = NULL;
    if (!hs_vm_push_frame(jni, SOME_REFS)) {
        return HS_NO_MEMORY;
    }
    enum hs_status status = find_all(jni, loaders);
    *loaders = (*jni)->PopLocalFrame(jni, *loaders);
    return status;
}

enum hs_status hs_vm_loaders_classes(JNIEnv *jni, jobject loader, jobjectArray *classes) {
    jvmtiEnv *jvmti;
    *classes = NULL;
    if (!hs_vm_push_frame(jni, SOME_REFS)) {
        return HS_NO_MEMORY;
    }
    enum hs_status status =
        hs_vm_take_tags(jni, &jvmti) ? find_classes(jni, jvmti, loader, classes) : HS_UNSUPPORTED;
    if (jvmti != NULL) {
        (void)(*jvmti)->DisposeEnvironment(jvmti);
    }
    *classes = (*jni)->PopLocalFrame(jni, *classes);
    return status;
}
