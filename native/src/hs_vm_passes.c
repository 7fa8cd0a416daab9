/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_passes.h"

#include "hs_clock.h"
#include "hs_thread_state.h"

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

/* Its elements, so that they are held no longer. */
static void clear(struct hs_vm_holders *self, jsize count) {
    for (jsize i = 0; i < count; i++) {
        put(self, i, NULL);
    }
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

static bool is_at_hand(void *context, uint32_t node) {
    const struct hs_vm_holders *self = context;
    uint32_t place = node % HS_VM_BEGUN;
    return self->begun[place].node == node && self->begun[place].object != NULL;
}

/* A local reference; NULL: it is not known, or gone. */
static jobject remembered(struct hs_vm_holders *self, uint32_t node) {
    jweak known = is_at_hand(self, node) ? self->begun[node % HS_VM_BEGUN].object : NULL;
    jobject object = known == NULL ? NULL : (*self->vm.jni)->NewLocalRef(self->vm.jni, known);
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

/* ---- slices of an array ---- */

struct array {
    uint32_t node;       /* 0: none */
    jobjectArray object; /* a local reference; NULL: it is gone */
    jsize length;
};

static jobject find_tagged(const struct hs_vm_holders *self, jlong tag) {
    jvmtiEnv *jvmti = self->vm.jvmti;
    jint found = 0;
    jobject *objects;
    if ((*jvmti)->GetObjectsWithTags(jvmti, 1, &tag, &found, &objects, NULL) != JVMTI_ERROR_NONE) {
        return NULL;
    }
    jobject object = found > 0 ? objects[0] : NULL;
    (void)(*jvmti)->Deallocate(jvmti, (unsigned char *)objects);
    return object;
}

/* A local reference; NULL: it is gone, or no array. */
static jobjectArray find_array(struct hs_vm_holders *self, uint32_t node, int64_t tag) {
    JNIEnv *jni = self->vm.jni;
    jobject array = remembered(self, node);
    if (array == NULL) {
        array = find_tagged(self, tag);
        if (array != NULL) {
            remember(self, node, array);
        }
    }
    jclass arrays = (*jni)->GetObjectClass(jni, self->frontier);
    bool is_array = array != NULL && (*jni)->IsInstanceOf(jni, array, arrays);
    (*jni)->DeleteLocalRef(jni, arrays);
    return is_array ? (jobjectArray)array : NULL;
}

static struct array open_array(struct hs_vm_holders *self, uint32_t node, int64_t tag) {
    struct array array = {.node = node, .object = find_array(self, node, tag)};
    array.length =
        array.object == NULL ? 0 : (*self->vm.jni)->GetArrayLength(self->vm.jni, array.object);
    return array;
}

/* An element that is looked for. */
struct element {
    const struct hs_vm_holders *vm;
    jobjectArray array;
    jlong tag;
    jobject object; /* a local reference, if it was found */
};

static bool is_at(void *context, int64_t index) {
    struct element *sought = context;
    JNIEnv *jni = sought->vm->vm.jni;
    jvmtiEnv *jvmti = sought->vm->vm.jvmti;
    jlong tag = 0;
    jobject element = (*jni)->GetObjectArrayElement(jni, sought->array, (jsize)index);
    if (element != NULL && (*jvmti)->GetTag(jvmti, element, &tag) == JVMTI_ERROR_NONE &&
        tag == sought->tag) {
        sought->object = element;
        return true;
    }
    (*jni)->DeleteLocalRef(jni, element);
    return false;
}

/* Where the element with this tag is by now, and a local reference to it; -1 and NULL: it is not near. */
static int64_t find_element(const struct hs_vm_holders *self, const struct array *array,
                            struct hs_slices_search *search, uint32_t index, jlong tag,
                            jobject *object) {
    struct element sought = {.vm = self, .array = array->object, .tag = tag};
    int64_t place = hs_slices_find(search, index, array->length, is_at, &sought);
    *object = sought.object;
    return place;
}

static void move_on(const struct hs_vm_holders *self, const struct array *array,
                    struct hs_slices_search *search, struct hs_passes_slice *slice) {
    const struct hs_slices *before = &self->slices;
    jobject element = NULL;
    if (slice->next == 0 || before->array != slice->array) {
        return;
    }
    int64_t place = before->index < 0 ? -1
                                      : find_element(self, array, search, (uint32_t)before->index,
                                                     before->tag, &element);
    slice->next = (uint32_t)hs_slices_next(before, place, slice->most);
    (*self->vm.jni)->DeleteLocalRef(self->vm.jni, element);
}

static void read_slice(struct hs_vm_holders *self, struct hs_passes *passes,
                       const struct array *array) {
    JNIEnv *jni = self->vm.jni;
    struct hs_passes_slice *slice = &passes->slice;
    int64_t at = slice->next;
    int64_t end = hs_slices_most(at, array->length);
    bool has_room = true;
    for (; at < end && has_room; at++) {
        jobject element = (*jni)->GetObjectArrayElement(jni, array->object, (jsize)at);
        if (element != NULL) {
            put(self, (jsize)slice->count, element);
            has_room = hs_passes_read(passes, (uint32_t)at);
            (*jni)->DeleteLocalRef(jni, element);
        }
    }
    hs_slices_read(&self->slices, array->node, slice->next, at);
    slice->next = (uint32_t)at;
    slice->is_last = at >= array->length;
}

/* What the application has put elsewhere meanwhile, and what it has only moved. An object of an array may move in it all the time,
 * and the path says nothing of indexes. */
static void read_again(struct hs_vm_holders *self, struct hs_passes *passes,
                       const struct array *array, struct hs_slices_search *search) {
    JNIEnv *jni = self->vm.jni;
    for (uint32_t i = 0; i < passes->slice.count; i++) {
        uint32_t index = passes->slice.indexes[i];
        jlong tag = 0;
        jobject now = NULL;
        jobject before = (*jni)->GetObjectArrayElement(jni, self->frontier, (jsize)i);
        (void)(*self->vm.jvmti)->GetTag(self->vm.jvmti, before, &tag);
        int64_t place = tag == 0 ? -1 : find_element(self, array, search, index, tag, &now);
        if (tag != 0) { /* one without says nothing: it was never looked for */
            hs_slices_see(&self->slices, index, place, tag);
        }
        if (place < 0) {
            hs_passes_unread(passes, i);
        }
        (*jni)->DeleteLocalRef(jni, before);
        (*jni)->DeleteLocalRef(jni, now);
    }
}

static enum hs_status follow_slice(void *context, struct hs_passes *passes) {
    struct hs_vm_holders *self = context;
    enum hs_status status = HS_OK;
    if (!hs_vm_push_frame(self->vm.jni, SOME_REFS)) {
        return HS_NO_MEMORY;
    }
    self->status = HS_OK;
    struct hs_slices_search search = {0};
    struct array array = open_array(self, passes->slice.array, passes->slice.tag);
    if (array.object == NULL) {
        passes->slice.is_last = true;
    } else {
        move_on(self, &array, &search, &passes->slice);
        read_slice(self, passes, &array);
        status = self->status;
    }
    if (status == HS_OK && passes->slice.count > 0) {
        status = walk(self, passes, self->frontier);
        search.shift = 0;
        read_again(self, passes, &array, &search);
    }
    clear(self, (jsize)passes->slice.count);
    (void)(*self->vm.jni)->PopLocalFrame(self->vm.jni, NULL);
    return status;
}

/* An element of an array, if that still has it. `*array`: the one before, and then the one of this. */
static bool put_element(struct hs_vm_holders *self, struct hs_passes *passes,
                        const struct hs_passes_place *place, struct array *array,
                        struct hs_slices_search *search, jlong tag, jsize at) {
    JNIEnv *jni = self->vm.jni;
    jobject element = NULL;
    if (place->array != array->node) {
        (*jni)->DeleteLocalRef(jni, array->object);
        *array = open_array(self, place->array, place->tag);
        search->shift = 0;
    }
    (void)find_element(self, array, search, place->index, tag, &element);
    if (element != NULL) {
        put(self, at, element);
        hs_passes_found(passes, tag);
    }
    (*jni)->DeleteLocalRef(jni, element);
    return element != NULL;
}

/* ---- the VM's table of tags ---- */

/* Tags between two looks at the clock, and processor time that as many never take, but the table's growth does. */
enum { SOME_TAGS = 64, GROWTH_NS = 5000000, NS_PER_US = 1000 };

/* A tag of no node. */
#define NO_NODE INT64_MIN

/* Nothing holds the objects: no walk shows them, and the table loses their tags after a collection. `*longest_ns`: what one tag
 * took at most, meanwhile a collection may wait. False: the VM has refused one. */
static bool tag_new(const struct hs_vm_holders *self, jclass class, int64_t *longest_ns) {
    JNIEnv *jni = self->vm.jni;
    jvmtiError error = JVMTI_ERROR_NONE;
    *longest_ns = 0;
    for (int i = 0; i < SOME_TAGS && error == JVMTI_ERROR_NONE; i++) {
        jobject object = (*jni)->AllocObject(jni, class);
        int64_t began_ns = hs_clock_ns(CLOCK_MONOTONIC);
        error = object == NULL ? JVMTI_ERROR_OUT_OF_MEMORY
                               : (*self->vm.jvmti)->SetTag(self->vm.jvmti, object, NO_NODE);
        int64_t took_ns = hs_clock_ns(CLOCK_MONOTONIC) - began_ns;
        *longest_ns = took_ns > *longest_ns ? took_ns : *longest_ns;
        (*jni)->ExceptionClear(jni);
        (*jni)->DeleteLocalRef(jni, object);
    }
    return error == JVMTI_ERROR_NONE;
}

/* Returns how long the growth took; 0: there was none. */
static int64_t add_tags(const struct hs_vm_holders *self, jclass class, uint32_t most) {
    bool goes_on = true;
    int64_t growth_ns = 0;
    for (uint32_t tags = 0; goes_on && growth_ns == 0 && tags < most; tags += SOME_TAGS) {
        int64_t longest_ns;
        int64_t began_ns = hs_clock_ns(CLOCK_THREAD_CPUTIME_ID);
        goes_on = tag_new(self, class, &longest_ns);
        bool has_grown = goes_on && hs_clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns >= GROWTH_NS;
        growth_ns = has_grown ? longest_ns : 0;
    }
    return growth_ns / NS_PER_US;
}

/* The objects are no samples: they are not the application's, and -Xcheck:jni complains of the local references in an event. */
static int64_t grow_table(void *context, uint32_t most) {
    const struct hs_vm_holders *self = context;
    struct hs_thread_state *thread = hs_thread_state_current();
    jclass object = hs_vm_find_class(self->vm.jni, "java/lang/Object");
    int64_t growth_us = 0;
    if (thread != NULL && object != NULL) {
        bool was_hidden = thread->is_hidden;
        thread->is_hidden = true;
        growth_us = add_tags(self, object, most);
        thread->is_hidden = was_hidden;
    }
    (*self->vm.jni)->DeleteLocalRef(self->vm.jni, object);
    return growth_us;
}

/* ---- passes ---- */

/* Classes, what their own objects refer to, and elements of long arrays are at hand. Puts the last one first, since the VM goes
 * down from the last element first. Returns how many. */
static jsize put_at_hand(struct hs_vm_holders *self, struct hs_passes *passes, const int64_t *tags,
                         uint32_t count, jlong *others, jint *other_count) {
    struct array array = {0};
    struct hs_slices_search search = {0};
    jsize at = 0;
    *other_count = 0;
    for (uint32_t i = count; i-- > 0;) {
        uint32_t node = hs_trace_tag_node(tags[i]);
        jobject value = hs_vm_mirrors_value(&self->mirrors, node - self->facts.count);
        struct hs_passes_place place;
        if (node <= self->facts.count || value != NULL) {
            put(self, at++, value != NULL ? value : self->facts.classes[node - 1]);
            hs_passes_found(passes, tags[i]);
        } else if (hs_passes_place(passes, i, &place)) {
            at += put_element(self, passes, &place, &array, &search, tags[i], at) ? 1 : 0;
        } else {
            others[(*other_count)++] = tags[i];
        }
    }
    return at;
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
    jsize length = put_at_hand(self, passes, tags, count, others, &other_count);
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
    clear(self, length);
    return status;
}

/* The array is made before there are many local references: it may be sampled, and -Xcheck:jni complains of them in an event. */
void hs_vm_passes_add(struct hs_vm_holders *self, struct hs_holders_vm *vm) {
    make_frontier(self);
    vm->passes =
        (struct hs_passes_vm){self, see_roots, follow, follow_slice, is_at_hand, grow_table};
}
