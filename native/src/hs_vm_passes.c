/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_passes.h"

enum { SOME_REFS = 16 };

/* One pause. `initial`: NULL for the roots. */
static enum hs_status walk(struct hs_vm_holders *self, struct hs_passes *passes, jobject initial) {
    jvmtiEnv *jvmti = self->vm.jvmti;
    self->trace = passes->trace;
    self->passes = passes;
    hs_passes_begin(passes);
    jvmtiError error =
        (*jvmti)->FollowReferences(jvmti, 0, NULL, initial, &HS_VM_HOLDERS_CALLBACKS, self);
    hs_passes_end(passes);
    self->passes = NULL;
    return error == JVMTI_ERROR_NONE ? HS_OK : HS_JVMTI;
}

static void make_frontier(struct hs_vm_holders *self) {
    JNIEnv *jni = self->vm.jni;
    jclass object = hs_vm_find_class(jni, "java/lang/Object");
    if (object != NULL) {
        self->frontier = (*jni)->NewObjectArray(jni, HS_PASSES_FRONTIER, object, NULL);
    }
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, object);
}

static enum hs_status see_roots(void *context, struct hs_passes *passes) {
    struct hs_vm_holders *self = context;
    return self->frontier != NULL ? walk(self, passes, NULL) : HS_NO_MEMORY;
}

/* A pass without one of its objects would call it followed: the VM's refusal is in `status`. */
static void put(struct hs_vm_holders *self, jsize at, jobject object) {
    JNIEnv *jni = self->vm.jni;
    (*jni)->SetObjectArrayElement(jni, self->frontier, at, object);
    self->status = (*jni)->ExceptionCheck(jni) ? HS_JVMTI : self->status;
    (*jni)->ExceptionClear(jni);
}

/* Classes, and what their own objects refer to, are at hand. Puts the last one first, since the VM goes down from the last
 * element first. Returns how many. */
static jsize put_classes(struct hs_vm_holders *self, struct hs_passes *passes, const int64_t *tags,
                         uint32_t count, jlong *others, jint *other_count) {
    jsize at = 0;
    *other_count = 0;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t node = hs_trace_tag_node(tags[i]);
        jobject value = hs_vm_mirrors_value(&self->mirrors, node - self->facts.count);
        if (node <= self->facts.count || value != NULL) {
            put(self, at++, value != NULL ? value : self->facts.classes[node - 1]);
            hs_passes_found(passes, tags[i]);
        } else {
            others[(*other_count)++] = tags[i];
        }
    }
    return at;
}

/* ---- objects that passes have begun at ---- */

static void remember(struct hs_vm_holders *self, uint32_t node, jobject object) {
    uint32_t place = node % HS_VM_BEGUN;
    JNIEnv *jni = self->vm.jni;
    if (self->begun[place].object != NULL) {
        (*jni)->DeleteWeakGlobalRef(jni, self->begun[place].object);
    }
    self->begun[place].object = (*jni)->NewWeakGlobalRef(jni, object);
    self->begun[place].node = node;
    (*jni)->ExceptionClear(jni);
}

/* A local reference; NULL: it is not known, or gone. */
static jobject remembered(const struct hs_vm_holders *self, uint32_t node) {
    uint32_t place = node % HS_VM_BEGUN;
    bool is_known = self->begun[place].node == node && self->begun[place].object != NULL;
    jobject object =
        is_known ? (*self->vm.jni)->NewLocalRef(self->vm.jni, self->begun[place].object) : NULL;
    (*self->vm.jni)->ExceptionClear(self->vm.jni);
    return object;
}

void hs_vm_passes_forget(struct hs_vm_holders *self) {
    for (uint32_t i = 0; i < HS_VM_BEGUN; i++) {
        if (self->begun[i].object != NULL) {
            (*self->vm.jni)->DeleteWeakGlobalRef(self->vm.jni, self->begun[i].object);
            self->begun[i].object = NULL;
        }
    }
}

/* The others are left in `tags`. Returns how many these are. */
static jint put_remembered(struct hs_vm_holders *self, struct hs_passes *passes, jlong *tags,
                           jint count, jsize *at) {
    jint left = 0;
    for (jint i = 0; i < count; i++) {
        jobject object = remembered(self, hs_trace_tag_node(tags[i]));
        if (object != NULL) {
            put(self, (*at)++, object);
            hs_passes_found(passes, tags[i]);
        } else {
            tags[left++] = tags[i];
        }
    }
    return left;
}

static enum hs_status put_tagged(struct hs_vm_holders *self, struct hs_passes *passes,
                                 const jlong *tags, jint count, jsize *at) {
    jvmtiEnv *jvmti = self->vm.jvmti;
    jint found;
    jobject *objects;
    jlong *found_tags;
    jvmtiError error =
        (*jvmti)->GetObjectsWithTags(jvmti, count, tags, &found, &objects, &found_tags);
    if (error != JVMTI_ERROR_NONE) {
        return error == JVMTI_ERROR_OUT_OF_MEMORY ? HS_NO_MEMORY : HS_JVMTI;
    }
    for (jint i = 0; i < found && *at < HS_PASSES_FRONTIER; i++) {
        put(self, (*at)++, objects[i]);
        hs_passes_found(passes, found_tags[i]);
        uint32_t node = hs_trace_tag_node(found_tags[i]);
        if (hs_passes_begins_again(passes, node)) {
            remember(self, node, objects[i]);
        }
    }
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)objects);
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)found_tags);
    return HS_OK;
}

static enum hs_status follow(void *context, struct hs_passes *passes, const int64_t *tags,
                             uint32_t count) {
    struct hs_vm_holders *self = context;
    jlong others[HS_PASSES_FRONTIER];
    jint other_count;
    if (!hs_vm_push_frame(self->vm.jni, (jint)count + SOME_REFS)) {
        return HS_NO_MEMORY;
    }
    self->status = HS_OK;
    jsize length = put_classes(self, passes, tags, count, others, &other_count);
    enum hs_status status = HS_OK;
    other_count = put_remembered(self, passes, others, other_count, &length);
    if (other_count > 0) {
        status = put_tagged(self, passes, others, other_count, &length);
    }
    (void)(*self->vm.jni)->PopLocalFrame(self->vm.jni, NULL); /* the array holds them */
    status = status == HS_OK ? self->status : status;
    if (status == HS_OK) {
        status = walk(self, passes, self->frontier);
    }
    for (jsize i = 0; i < length; i++) {
        put(self, i, NULL);
    }
    return status;
}

/* The array is made before there are many local references: it may be sampled, and -Xcheck:jni complains of them in an event. */
void hs_vm_passes_add(struct hs_vm_holders *self, struct hs_holders_vm *vm) {
    make_frontier(self);
    vm->passes = (struct hs_passes_vm){self, see_roots, follow};
}
