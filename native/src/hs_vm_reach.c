/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_reach.h"

#include <stdatomic.h>
#include <stdbool.h>

#include "hs_vm_fields.h"

enum { SOME_REFS = 16, PROBED_OBJECTS = 3, PROBE_US = 1000000 };

/* Their virtual threads are not yet part of FollowReferences. */
enum { FIRST_WITHOUT_VIRTUAL = 19 << 16, FIRST_WITH_VIRTUAL = 21 << 16 };

static struct hs_vm_env env_of(const struct hs_vm_reach *self) {
    return (struct hs_vm_env){self->jni, self->jvmti};
}

/* ---- classes of references ---- */

/* Without a tag, objects that its instances refer to count as strongly reachable. */
static void tag_class(const struct hs_vm_reach *self, jclass class) {
    JNIEnv *jni = self->jni;
    const struct hs_vm_env vm = env_of(self);
    jint number = hs_vm_field_number(&vm, class, self->referent);
    if (number >= 0) {
        bool is_soft = (*jni)->IsAssignableFrom(jni, class, self->soft_references);
        jlong tag = hs_reach_class_tag(0, is_soft ? HS_REACH_SOFT_CLASS : HS_REACH_WEAK_CLASS,
                                       (uint32_t)number);
        (void)(*self->jvmti)->SetTag(self->jvmti, class, tag);
    }
}

static bool tag_all(const struct hs_vm_reach *self) {
    JNIEnv *jni = self->jni;
    jint count;
    jclass *classes;
    if ((*self->jvmti)->GetLoadedClasses(self->jvmti, &count, &classes) != JVMTI_ERROR_NONE) {
        return false;
    }
    (void)(*jni)->EnsureLocalCapacity(jni, count + SOME_REFS); /* what -Xcheck:jni expects */
    (*jni)->ExceptionClear(jni);
    for (jint i = 0; i < count; i++) {
        if ((*jni)->IsAssignableFrom(jni, classes[i], self->references)) {
            tag_class(self, classes[i]);
        }
    }
    (void)(*self->jvmti)->Deallocate(self->jvmti, (unsigned char *)classes);
    return true;
}

/* In a frame, since the room for as many local references would stay with the thread. */
static bool tag_loaded_classes(const struct hs_vm_reach *self) {
    JNIEnv *jni = self->jni;
    if (!hs_vm_push_frame(jni, SOME_REFS)) {
        return false;
    }
    bool is_done = tag_all(self);
    (void)(*jni)->PopLocalFrame(jni, NULL);
    return is_done;
}

static bool find_referent(struct hs_vm_reach *self) {
    const struct hs_vm_env vm = env_of(self);
    return hs_vm_field_place(&vm, self->references, "referent", &self->referent);
}

/* ---- marks and walks ---- */

static enum hs_status mark(void *context, hs_ref ref, uint32_t asked) {
    const struct hs_vm_reach *self = context;
    JNIEnv *jni = self->jni;
    jobject object = (*jni)->NewLocalRef(jni, (jobject)ref);
    if (object == NULL) {
        bool has_thrown = (*jni)->ExceptionCheck(jni);
        (*jni)->ExceptionClear(jni);
        return has_thrown ? HS_NO_MEMORY : HS_CLOSED;
    }
    jlong tag = 0;
    jvmtiError error = (*self->jvmti)->GetTag(self->jvmti, object, &tag);
    if (error == JVMTI_ERROR_NONE) {
        error = (*self->jvmti)->SetTag(self->jvmti, object, hs_reach_object_tag(tag, asked));
    }
    (*jni)->DeleteLocalRef(jni, object);
    return error == JVMTI_ERROR_NONE ? HS_OK : HS_JVMTI;
}

/* On the VM thread, inside the pause. */
static jint JNICALL on_edge(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                            jlong class_tag, jlong referrer_class_tag, jlong size, jlong *tag,
                            jlong *referrer_tag, jint length, void *user_data) {
    (void)class_tag;
    (void)size;
    (void)referrer_tag;
    (void)length;
    const struct hs_vm_reach *self = user_data;
    bool is_field = kind == JVMTI_HEAP_REFERENCE_FIELD;
    if (self->probe != NULL && !is_field) {
        return 0;
    }
    struct hs_reach_edge edge = {.is_field = is_field,
                                 .index = is_field ? info->field.index : 0,
                                 .referrer_class = referrer_class_tag,
                                 .referee = *tag};
    switch (hs_reach_see(self->reach, &edge)) {
    case HS_REACH_DESCEND: return JVMTI_VISIT_OBJECTS;
    case HS_REACH_STOP: return JVMTI_VISIT_ABORT;
    default: return 0;
    }
}

static enum hs_status walk(void *context, struct hs_reach *reach) {
    static const jvmtiHeapCallbacks CALLBACKS = {.heap_reference_callback = on_edge};
    struct hs_vm_reach *self = context;
    self->reach = reach;
    jvmtiError error =
        (*self->jvmti)->FollowReferences(self->jvmti, 0, NULL, self->probe, &CALLBACKS, self);
    return error == JVMTI_ERROR_NONE ? HS_OK : HS_JVMTI;
}

/* ---- the probe ---- */

/* A local reference to the field's value; NULL also when there is no such field. */
static jobject part_of(JNIEnv *jni, jobject object, jclass class, const char *field) {
    if (object == NULL || class == NULL) {
        return NULL;
    }
    jfieldID id = (*jni)->GetFieldID(jni, class, field, "Ljava/lang/Object;");
    (*jni)->ExceptionClear(jni);
    return id == NULL ? NULL : (*jni)->GetObjectField(jni, object, id);
}

/* Queries them. Returns whether their tags, which others get afterwards, are off again. */
static bool ask_for(const struct hs_vm_reach *self, struct hs_reach *reach,
                    jobject const parts[PROBED_OBJECTS]) {
    bool is_clear = true;
    for (int i = 0; i < PROBED_OBJECTS; i++) {
        if (parts[i] != NULL) {
            hs_reach_ask(reach, (hs_ref)parts[i]);
        }
    }
    hs_reach_find(reach);
    for (int i = 0; i < PROBED_OBJECTS; i++) {
        if (parts[i] != NULL) {
            jvmtiError error = (*self->jvmti)->SetTag(self->jvmti, parts[i], 0);
            is_clear = is_clear && error == JVMTI_ERROR_NONE;
        }
    }
    return is_clear;
}

/* The probe refers to one object softly and to another strongly, which refers to a third weakly. */
static bool finds_parts(const struct hs_vm_reach *self, struct hs_reach *reach) {
    static const enum hs_reach_state EXPECTED[PROBED_OBJECTS] = {HS_REACH_SOFT, HS_REACH_STRONG,
                                                                 HS_REACH_NONE};
    JNIEnv *jni = self->jni;
    jclass class = (*jni)->GetObjectClass(jni, self->probe);
    jobject content = part_of(jni, self->probe, class, "content");
    jobject const parts[PROBED_OBJECTS] = {part_of(jni, self->probe, self->references, "referent"),
                                           content,
                                           part_of(jni, content, self->references, "referent")};
    bool is_right = ask_for(self, reach, parts) && hs_reach_count(reach) == PROBED_OBJECTS;
    for (uint32_t i = 0; i < PROBED_OBJECTS; i++) {
        is_right = is_right && hs_reach_state(reach, i) == EXPECTED[i];
        (*jni)->DeleteLocalRef(jni, parts[i]);
    }
    (*jni)->DeleteLocalRef(jni, class);
    return is_right;
}

/* A VM that has done it once does it always, so the others of this process are spared two walks. */
static _Atomic bool has_worked;

static bool works(struct hs_vm_reach *self, const struct hs_reach_vm *vm, jobject probe) {
    const struct hs_reach_wish wish = {.vm = *vm, .budget_us = PROBE_US};
    struct hs_reach *reach;
    if (atomic_load_explicit(&has_worked, memory_order_relaxed)) {
        return true;
    }
    if (hs_reach_new(&wish, PROBED_OBJECTS, &reach) != HS_OK) {
        return false;
    }
    self->probe = probe;
    bool is_right = finds_parts(self, reach);
    self->probe = NULL;
    hs_reach_free(reach);
    if (is_right) {
        atomic_store_explicit(&has_worked, true, memory_order_relaxed);
    }
    return is_right;
}

/* ---- open and close ---- */

static bool take_environment(struct hs_vm_reach *self) {
    jint version = (*self->jni)->GetVersion(self->jni);
    bool shows_all_stacks = version < FIRST_WITHOUT_VIRTUAL || version >= FIRST_WITH_VIRTUAL;
    return shows_all_stacks && hs_vm_take_tags(self->jni, &self->jvmti);
}

static bool find_references(struct hs_vm_reach *self) {
    self->references = hs_vm_find_class(self->jni, "java/lang/ref/Reference");
    self->soft_references = hs_vm_find_class(self->jni, "java/lang/ref/SoftReference");
    return self->references != NULL && self->soft_references != NULL && find_referent(self) &&
           tag_loaded_classes(self);
}

enum hs_status hs_vm_reach_open(JNIEnv *jni, jobject probe, struct hs_vm_reach *self,
                                struct hs_reach_vm *vm) {
    *self = (struct hs_vm_reach){.jni = jni};
    *vm = (struct hs_reach_vm){.context = self, .mark = mark, .walk = walk};
    if (take_environment(self) && find_references(self) && works(self, vm, probe)) {
        return HS_OK;
    }
    hs_vm_reach_close(self);
    return HS_UNSUPPORTED;
}

void hs_vm_reach_close(struct hs_vm_reach *self) {
    if (self->jvmti != NULL) {
        (void)(*self->jvmti)->DisposeEnvironment(self->jvmti);
    }
    (*self->jni)->DeleteLocalRef(self->jni, self->references);
    (*self->jni)->DeleteLocalRef(self->jni, self->soft_references);
}
