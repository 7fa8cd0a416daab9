/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_holders.h"

#include <string.h>

#include "hs_child_room.h"
#include "hs_mem.h"
#include "hs_vm.h"
#include "hs_vm_heap.h"
#include "hs_vm_ids.h"
#include "hs_vm_traits.h"

/* JDKs whose FollowReferences shows no stacks of virtual threads. */
enum { FIRST_WITHOUT_VIRTUAL = 19, FIRST_WITH_VIRTUAL = 21 };

enum { SOME_REFS = 16, OWN_FRAMES = 64, SAMPLED_CLASSES = 16 };

static uint32_t target_count(const struct hs_vm_holders *self) {
    return self->question->key_count + self->question->watched_count;
}

static void give_back(const struct hs_vm_holders *self, void *memory) {
    if (memory != NULL) {
        (void)(*self->access.jvmti)->Deallocate(self->access.jvmti, memory);
    }
}

/* ---- open and close ---- */

static jfieldID field_of(JNIEnv *jni, const char *class_name, const char *name,
                         const char *signature) {
    jclass class = hs_vm_find_class(jni, class_name);
    jfieldID field = class == NULL ? NULL : (*jni)->GetFieldID(jni, class, name, signature);
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, class);
    return field;
}

static bool find_parts(struct hs_vm_holders *self) {
    JNIEnv *jni = self->vm.jni;
    self->referent = field_of(jni, "java/lang/ref/Reference", "referent", "Ljava/lang/Object;");
    self->thread_id = field_of(jni, "java/lang/Thread", "tid", "J");
    self->byte_array = hs_vm_find_class(jni, "[B");
    self->char_array = hs_vm_find_class(jni, "[C");
    self->loader_class = hs_vm_find_class(jni, "java/lang/ClassLoader");
    self->young = (*jni)->NewByteArray(jni, 1);
    (*jni)->ExceptionClear(jni);
    return self->referent != NULL && self->thread_id != NULL && self->byte_array != NULL &&
           self->char_array != NULL && self->loader_class != NULL;
}

static bool is_own_frame(const struct hs_vm_holders *self, jmethodID method) {
    jvmtiEnv *jvmti = self->vm.jvmti;
    jclass class;
    char *signature;
    char name[HS_SIGNATURE_MAX];
    bool is_own = false;
    if ((*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) != JVMTI_ERROR_NONE) {
        return false;
    }
    if ((*jvmti)->GetClassSignature(jvmti, class, &signature, NULL) == JVMTI_ERROR_NONE) {
        is_own = hs_vm_is_own(&self->access, name, hs_signature_to_name(signature, name));
        give_back(self, signature);
    }
    (*self->vm.jni)->DeleteLocalRef(self->vm.jni, class);
    return is_own;
}

/* Our own frames hold what we look for, and say nothing of the application. */
static void find_own_thread(struct hs_vm_holders *self) {
    jvmtiEnv *jvmti = self->vm.jvmti;
    jvmtiFrameInfo frames[OWN_FRAMES];
    jint count;
    jthread thread;
    if ((*jvmti)->GetCurrentThread(jvmti, &thread) != JVMTI_ERROR_NONE) {
        return;
    }
    self->own_thread = (*self->vm.jni)->GetLongField(self->vm.jni, thread, self->thread_id);
    (*self->vm.jni)->DeleteLocalRef(self->vm.jni, thread);
    if ((*jvmti)->GetStackTrace(jvmti, NULL, 0, OWN_FRAMES, frames, &count) != JVMTI_ERROR_NONE) {
        return;
    }
    if (count < 0 || !hs_vm_are_method_ids(&self->access, frames, (uint32_t)count)) {
        return; /* an id may be stale (JDK-8313332) */
    }
    while (self->own_depth < count && is_own_frame(self, frames[self->own_depth].method)) {
        self->own_depth++;
    }
}

static void find_threads(struct hs_vm_holders *self) {
    if ((*self->vm.jvmti)->GetAllThreads(self->vm.jvmti, &self->thread_count, &self->threads) !=
        JVMTI_ERROR_NONE) {
        self->threads = NULL;
        self->thread_count = 0;
        return;
    }
    (void)(*self->vm.jni)
        ->EnsureLocalCapacity(self->vm.jni,
                              (jint)self->facts.count + self->thread_count + SOME_REFS);
    (*self->vm.jni)->ExceptionClear(self->vm.jni);
}

/* HotSpot's local references are addresses of cells that have the object's. It may move meanwhile, but not out of
 * the heap. */
static uintptr_t address_of(jobject local) {
    uintptr_t address;
    memcpy(&address, (const void *)local, sizeof address);
    return address;
}

/* Would a child have a copy of the heap? By addresses of old objects, classes, and of a new one. */
static bool is_copied(const struct hs_vm_holders *self) {
    uintptr_t addresses[SAMPLED_CLASSES + 1];
    uint32_t count = 0;
    uint32_t step = self->facts.count / SAMPLED_CLASSES + 1;
    for (uint32_t i = 0; i < self->facts.count; i += step) {
        addresses[count++] = address_of(self->facts.classes[i]);
    }
    if (self->young == NULL || count == 0) {
        return false;
    }
    addresses[count++] = address_of(self->young);
    return hs_child_has_copy("", addresses, count);
}

static void describe(struct hs_vm_holders *self, struct hs_holders_heap *heap) {
    struct hs_vm_traits traits;
    uint64_t garbage;
    hs_vm_find_heap((const void *)(uintptr_t)(*self->vm.jvmti)->GetStackTrace, &self->room);
    hs_vm_read_traits(self->vm.jvmti, &traits, &garbage);
    heap->collector = traits.collector;
    heap->feature = traits.feature;
    heap->used = hs_vm_used_heap(&self->room);
    if (heap->used == 0) {
        heap->why_not = "the size of the heap is not known";
    } else if (traits.feature >= FIRST_WITHOUT_VIRTUAL && traits.feature < FIRST_WITH_VIRTUAL) {
        heap->why_not = "JDK 19 and 20 do not show the stacks of virtual threads";
    }
    self->has_places = hs_moves_in_pauses(traits.collector);
    hs_vm_spare_read(self->vm.jvmti, traits.collector, &self->spare);
    heap->is_copied = !hs_is_z(traits.collector) && is_copied(self);
    heap->room = hs_child_room("");
    heap->facts = self->facts.facts;
    heap->size = (struct hs_trace_size){self->facts.count, 0, (uint32_t)self->thread_count};
}

/* From as many tags on their memory, which the VM has freed, is put together here: some 10 ms that the next walk would have in
 * its pause. Not where MOST_FREE times their memory is free, which is others' then: that takes longer, and has its price in a
 * safepoint too. */
enum { MANY_TAGS = 50000, MOST_FREE = 4 };

static void close_vm(void *context) {
    struct hs_vm_holders *self = context;
    if (self->vm.jvmti != NULL) {
        (void)(*self->vm.jvmti)->DisposeEnvironment(self->vm.jvmti);
        self->vm.jvmti = NULL;
        if (self->trace != NULL && self->trace->tagged > MANY_TAGS) {
            (void)hs_mem_join_freed(self->trace->tagged * HS_TAG_BYTES * MOST_FREE);
        }
    }
}

static enum hs_status open_vm(void *context, struct hs_holders_heap *heap) {
    struct hs_vm_holders *self = context;
    enum hs_status status =
        hs_vm_take_tags(self->vm.jni, &self->vm.jvmti) && find_parts(self) ? HS_OK : HS_UNSUPPORTED;
    if (status == HS_OK) {
        status = hs_vm_facts_find(&self->vm, &self->access, self->question->loaders, &self->facts);
    }
    if (status != HS_OK) {
        close_vm(self);
        return status;
    }
    find_own_thread(self);
    find_threads(self);
    describe(self, heap);
    return HS_OK;
}

/* ---- marks ---- */

static void mark_object(struct hs_vm_holders *self, uint32_t target, jobject object) {
    JNIEnv *jni = self->vm.jni;
    jvmtiEnv *jvmti = self->vm.jvmti;
    jlong tag = 0;
    jvmtiError error = (*jvmti)->GetTag(jvmti, object, &tag);
    if (error == JVMTI_ERROR_NONE) {
        error = (*jvmti)->SetTag(jvmti, object, hs_trace_mark_target(self->trace, target, tag));
    }
    self->trace->has_text = self->trace->has_text ||
                            (*jni)->IsInstanceOf(jni, object, self->byte_array) ||
                            (*jni)->IsInstanceOf(jni, object, self->char_array);
    self->trace->has_loaders = self->trace->has_loaders || hs_trace_tag_node(tag) != 0 ||
                               (*jni)->IsInstanceOf(jni, object, self->loader_class);
    self->is_gone[target] = false;
    if (error != JVMTI_ERROR_NONE) {
        self->status = error == JVMTI_ERROR_OUT_OF_MEMORY ? HS_NO_MEMORY : HS_JVMTI;
    }
}

static void mark_live(void *context, uint32_t key, hs_ref ref) {
    struct hs_vm_holders *self = context;
    JNIEnv *jni = self->vm.jni;
    jobject object = (*jni)->NewLocalRef(jni, (jobject)ref);
    if (object == NULL) {
        self->status = (*jni)->ExceptionCheck(jni) ? HS_NO_MEMORY : self->status;
        (*jni)->ExceptionClear(jni);
        return;
    }
    mark_object(self, key, object);
    (*jni)->DeleteLocalRef(jni, object);
}

/* A local reference to the referent; NULL: it is gone. */
static jobject watched_object(const struct hs_vm_holders *self, uint32_t number) {
    JNIEnv *jni = self->vm.jni;
    jobject reference = (*jni)->GetObjectArrayElement(jni, self->question->watched, (jsize)number);
    jobject object =
        reference == NULL ? NULL : (*jni)->GetObjectField(jni, reference, self->referent);
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, reference);
    return object;
}

static void mark_watched(struct hs_vm_holders *self) {
    for (uint32_t i = 0; i < self->question->watched_count; i++) {
        jobject object = watched_object(self, i);
        if (object != NULL) {
            mark_object(self, self->question->key_count + i, object);
            (*self->vm.jni)->DeleteLocalRef(self->vm.jni, object);
        }
    }
}

static void mark_thread(struct hs_vm_holders *self, jthread thread) {
    jvmtiEnv *jvmti = self->vm.jvmti;
    int64_t id = (*self->vm.jni)->GetLongField(self->vm.jni, thread, self->thread_id);
    jlong tag = 0;
    if ((*jvmti)->GetTag(jvmti, thread, &tag) == JVMTI_ERROR_NONE) {
        (void)(*jvmti)->SetTag(jvmti, thread, hs_trace_mark_thread(self->trace, id, tag));
    }
}

static enum hs_status mark(void *context, struct hs_trace *trace) {
    struct hs_vm_holders *self = context;
    self->trace = trace;
    self->status = HS_OK;
    memset(self->is_gone, true, target_count(self)); /* until it is there */
    for (jint i = 0; i < self->thread_count; i++) {
        mark_thread(self, self->threads[i]);
    }
    if (trace->begin != NULL) { /* there is to be a child */
        hs_vm_known_find(self->vm.jvmti, self->threads, self->thread_count, &self->known);
    }
    mark_watched(self);
    hs_sampler_find_live(self->sampler, self->question->keys, self->question->key_count, mark_live,
                         self);
    return self->status == HS_OK ? hs_vm_mirrors_add(&self->vm, &self->facts, trace, &self->mirrors)
                                 : self->status;
}

/* ---- the walk ---- */

/* By kind of the VM's; others say nothing of an object that holds another one. */
static const uint8_t EDGES[] = {
    [JVMTI_HEAP_REFERENCE_CLASS] = HS_EDGE_CLASS,
    [JVMTI_HEAP_REFERENCE_FIELD] = HS_EDGE_FIELD,
    [JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT] = HS_EDGE_ELEMENT,
    [JVMTI_HEAP_REFERENCE_CLASS_LOADER] = HS_EDGE_CLASS_LOADER,
    [JVMTI_HEAP_REFERENCE_SIGNERS] = HS_EDGE_SIGNERS,
    [JVMTI_HEAP_REFERENCE_PROTECTION_DOMAIN] = HS_EDGE_PROTECTION_DOMAIN,
    [JVMTI_HEAP_REFERENCE_INTERFACE] = HS_EDGE_INTERFACE,
    [JVMTI_HEAP_REFERENCE_STATIC_FIELD] = HS_EDGE_STATIC_FIELD,
    [JVMTI_HEAP_REFERENCE_CONSTANT_POOL] = HS_EDGE_CONSTANT_POOL,
    [JVMTI_HEAP_REFERENCE_SUPERCLASS] = HS_EDGE_SUPERCLASS,
};

static int32_t index_of(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info) {
    switch ((int)kind) {
    case JVMTI_HEAP_REFERENCE_FIELD:
    case JVMTI_HEAP_REFERENCE_STATIC_FIELD: return info->field.index;
    case JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT: return info->array.index;
    case JVMTI_HEAP_REFERENCE_CONSTANT_POOL: return info->constant_pool.index;
    default: return 0;
    }
}

/* False where it is our own work, and no root of the application. */
static bool fill_root(const struct hs_vm_holders *self, jvmtiHeapReferenceKind kind,
                      const jvmtiHeapReferenceInfo *info, struct hs_root *root) {
    switch ((int)kind) {
    case JVMTI_HEAP_REFERENCE_JNI_GLOBAL: root->kind = HS_ROOT_JNI_GLOBAL; return true;
    case JVMTI_HEAP_REFERENCE_SYSTEM_CLASS: root->kind = HS_ROOT_SYSTEM_CLASS; return true;
    case JVMTI_HEAP_REFERENCE_MONITOR: root->kind = HS_ROOT_MONITOR; return true;
    case JVMTI_HEAP_REFERENCE_THREAD: root->kind = HS_ROOT_THREAD; return true;
    case JVMTI_HEAP_REFERENCE_STACK_LOCAL:
        *root = (struct hs_root){.kind = HS_ROOT_LOCAL,
                                 .thread = info->stack_local.thread_id,
                                 .method = (uintptr_t)info->stack_local.method,
                                 .depth = info->stack_local.depth,
                                 .slot = info->stack_local.slot};
        return root->thread != self->own_thread || root->depth >= self->own_depth;
    case JVMTI_HEAP_REFERENCE_JNI_LOCAL:
        *root = (struct hs_root){.kind = HS_ROOT_JNI_LOCAL,
                                 .thread = info->jni_local.thread_id,
                                 .method = (uintptr_t)info->jni_local.method,
                                 .depth = info->jni_local.depth};
        return root->thread != self->own_thread;
    default: root->kind = HS_ROOT_OTHER; return true;
    }
}

/* The VM keeps the tags that it shows beside the objects' addresses (CallbackWrapper and TwoOopCallbackWrapper of jvmtiTagMap.cpp,
 * JDK 17 to 25): that of an object behind its address and its size, that of the one that refers behind its address. The trace
 * proves it. */
enum { WORDS_TO_PLACE = 2, WORDS_TO_FROM = 1 };

static uint64_t place_of(const struct hs_vm_holders *self, const jlong *tag, int words) {
    uint64_t place = 0;
    if (self->passes == NULL && self->shows_places) {
        memcpy(&place, tag - words, sizeof place);
    }
    return place;
}

static uint64_t place_of_class(void *context, uint32_t class_number) {
    const struct hs_vm_holders *self = context;
    return address_of(self->facts.classes[class_number - 1]);
}

static enum hs_trace_step see_edge(struct hs_vm_holders *self, const struct hs_trace_edge *edge,
                                   jlong size) {
    return self->passes != NULL ? hs_passes_see_edge(self->passes, edge, size)
                                : hs_trace_see_edge(self->trace, edge);
}

static enum hs_trace_step see_root(struct hs_vm_holders *self, const struct hs_root *root,
                                   jlong class_tag, jlong *tag, jlong size) {
    return self->passes != NULL ? hs_passes_see_root(self->passes, root, class_tag, tag, size)
                                : hs_trace_see_root(self->trace, root, class_tag, tag,
                                                    place_of(self, tag, WORDS_TO_PLACE));
}

/* On the VM thread, inside the pause; in a child's way also in the child. */
static jint JNICALL on_edge(jvmtiHeapReferenceKind kind, const jvmtiHeapReferenceInfo *info,
                            jlong class_tag, jlong referrer_class_tag, jlong size, jlong *tag,
                            jlong *referrer_tag, jint length, void *user_data) {
    (void)length;
    struct hs_vm_holders *self = user_data;
    enum hs_trace_step step = HS_TRACE_PASS_OVER;
    bool is_edge = (size_t)kind < sizeof EDGES && EDGES[kind] != HS_EDGE_NONE;
    if (is_edge) {
        uint64_t from_place = referrer_tag == tag ? place_of(self, tag, WORDS_TO_PLACE)
                                                  : place_of(self, referrer_tag, WORDS_TO_FROM);
        const struct hs_trace_edge edge = {.kind = (enum hs_edge_kind)EDGES[kind],
                                           .index = index_of(kind, info),
                                           .class_tag = class_tag,
                                           .from_class_tag = referrer_class_tag,
                                           .tag = tag,
                                           .from = referrer_tag,
                                           .place = place_of(self, tag, WORDS_TO_PLACE),
                                           .from_place = from_place};
        step = see_edge(self, &edge, size);
    } else {
        struct hs_root root = {.kind = HS_ROOT_OTHER};
        if (fill_root(self, kind, info, &root)) {
            step = see_root(self, &root, class_tag, tag, size);
        } else if (self->passes == NULL && hs_trace_is_class_value(self->trace, *tag)) {
            step = HS_TRACE_DESCEND; /* our reference leads the walk there, and is no root */
        }
    }
    switch (step) {
    case HS_TRACE_DESCEND: return JVMTI_VISIT_OBJECTS;
    case HS_TRACE_STOP: return JVMTI_VISIT_ABORT;
    default: return 0;
    }
}

const jvmtiHeapCallbacks HS_VM_HOLDERS_CALLBACKS = {.heap_reference_callback = on_edge};

static enum hs_status walk(void *context, struct hs_trace *trace) {
    struct hs_vm_holders *self = context;
    self->trace = trace;
    self->shows_places = self->has_places && !trace->has_tags_alone;
    if (self->shows_places) {
        trace->places = (struct hs_trace_places){.of_class = place_of_class, .context = self};
    }
    jvmtiError error =
        (*self->vm.jvmti)
            ->FollowReferences(self->vm.jvmti, 0, NULL, NULL, &HS_VM_HOLDERS_CALLBACKS, self);
    return error == JVMTI_ERROR_NONE ? HS_OK : HS_JVMTI;
}

static void await_spare(void *context, int64_t most_us) {
    const struct hs_vm_holders *self = context;
    hs_vm_spare_await(&self->spare, &self->room, most_us);
}

static void leave_out(void *context, bool is_out) {
    hs_vm_spare_leave_out(&((struct hs_vm_holders *)context)->spare, is_out);
}

/* ---- begin and end ---- */

void hs_vm_holders_begin(JNIEnv *jni, struct hs_sampler *sampler,
                         const struct hs_vm_question *question, struct hs_vm_holders *self,
                         struct hs_holders_vm *vm) {
    *self = (struct hs_vm_holders){.vm = {.jni = jni}, .sampler = sampler, .question = question};
    hs_vm_access_of(jni, &self->access);
    *vm = (struct hs_holders_vm){.context = self,
                                 .open = open_vm,
                                 .mark = mark,
                                 .walk = walk,
                                 .leave_out = leave_out,
                                 .await_spare = await_spare,
                                 .close = close_vm};
    self->is_gone = hs_mem_new_array((size_t)target_count(self) + 1, sizeof *self->is_gone);
}

void hs_vm_holders_end(struct hs_vm_holders *self) {
    close_vm(self);
    give_back(self, self->threads);
    self->threads = NULL;
    struct hs_vm_env vm = {self->vm.jni, self->access.jvmti};
    hs_vm_facts_free(&vm, &self->facts);
    hs_vm_mirrors_free(&self->mirrors);
    hs_vm_known_free(&self->known);
    hs_mem_free(self->is_gone, self->is_gone == NULL
                                   ? 0
                                   : ((size_t)target_count(self) + 1) * sizeof *self->is_gone);
    self->is_gone = NULL;
}

static void note_live(void *context, uint32_t key, hs_ref ref) {
    struct hs_vm_holders *self = context;
    (void)key;
    jobject object = (*self->vm.jni)->NewLocalRef(self->vm.jni, (jobject)ref);
    self->status = object == NULL ? HS_CLOSED : HS_OK;
    (*self->vm.jni)->ExceptionClear(self->vm.jni);
    (*self->vm.jni)->DeleteLocalRef(self->vm.jni, object);
}

bool hs_vm_holders_is_gone(struct hs_vm_holders *self, uint32_t target) {
    if (self->is_gone[target]) {
        return true;
    }
    self->status = HS_CLOSED;
    if (target < self->question->key_count) {
        hs_sampler_find_live(self->sampler, &self->question->keys[target], 1, note_live, self);
        return self->status == HS_CLOSED;
    }
    jobject object = watched_object(self, target - self->question->key_count);
    (*self->vm.jni)->DeleteLocalRef(self->vm.jni, object);
    return object == NULL;
}
