/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_class_values.h"

#include "hs_mem.h"

static jfieldID map_field(JNIEnv *jni) {
    jclass class = hs_vm_find_class(jni, "java/lang/Class");
    jfieldID field = class == NULL ? NULL
                                   : (*jni)->GetFieldID(jni, class, "classValueMap",
                                                        "Ljava/lang/ClassValue$ClassValueMap;");
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, class);
    return field;
}

static void add(JNIEnv *jni, jobject map, uint32_t class_number,
                struct hs_vm_class_values *values) {
    if (values->count < values->room) {
        values->maps[values->count] = map;
        values->classes[values->count++] = class_number;
    } else {
        (*jni)->DeleteLocalRef(jni, map);
    }
}

/* Without room it counts: most classes have none. */
static uint32_t go_through(JNIEnv *jni, jfieldID field, const jclass *classes, uint32_t count,
                           struct hs_vm_class_values *values) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        jobject map = (*jni)->GetObjectField(jni, classes[i], field);
        if (map != NULL) {
            found++;
            add(jni, map, i + 1, values);
        }
    }
    return found;
}

void hs_vm_class_values_find(JNIEnv *jni, const jclass *classes, uint32_t count,
                             struct hs_vm_class_values *values) {
    *values = (struct hs_vm_class_values){0};
    jfieldID field = map_field(jni);
    uint32_t room = field == NULL ? 0 : go_through(jni, field, classes, count, values);
    if (room == 0 || (*jni)->EnsureLocalCapacity(jni, (jint)room) != JNI_OK) {
        (*jni)->ExceptionClear(jni);
        return;
    }
    values->maps = hs_mem_new_array(room, sizeof *values->maps);
    values->classes = hs_mem_new_array(room, sizeof *values->classes);
    values->room = room;
    if (values->maps == NULL || values->classes == NULL) {
        hs_vm_class_values_free(values);
        return;
    }
    (void)go_through(jni, field, classes, count, values);
}

void hs_vm_class_values_mark(const struct hs_vm_env *vm, const struct hs_vm_class_values *values,
                             struct hs_trace *trace) {
    for (uint32_t i = 0; i < values->count; i++) {
        jlong tag = 0;
        if ((*vm->jvmti)->GetTag(vm->jvmti, values->maps[i], &tag) == JVMTI_ERROR_NONE) {
            tag = hs_trace_mark_values(trace, values->classes[i], tag);
            (void)(*vm->jvmti)->SetTag(vm->jvmti, values->maps[i], tag);
        }
    }
}

void hs_vm_class_values_free(struct hs_vm_class_values *values) {
    size_t room = values->room;
    hs_mem_free(values->maps, values->maps == NULL ? 0 : room * sizeof *values->maps);
    hs_mem_free(values->classes, values->classes == NULL ? 0 : room * sizeof *values->classes);
    *values = (struct hs_vm_class_values){0};
}
