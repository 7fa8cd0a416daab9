/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_gc_calls.h"

#include <stdatomic.h>

#include "hs_clock.h"
#include "hs_vm_ids.h"
#include "hs_vm_traits.h"

/* Runtime.gc, as the VM calls it. */
typedef void JNICALL gc_function(JNIEnv *jni, jobject runtime);

static struct {
    /* These are written once, behind the door, before the event is requested that leads to their readers. */
    jvmtiEnv *jvmti; /* of its own; NULL: not yet */
    uint32_t feature;
    jmethodID runtime_gc; /* for good: its class is never unloaded. Compared only */
    struct hs_gc_calls calls;
    /* What the VM, or an agent before us, would have bound. Written by the thread that binds, read by those that
     * call; release and acquire, so that they see what is above. NULL: nothing was bound. */
    _Atomic(gc_function *) original;
    /* Written behind the door, read by callers; relaxed: it guards nothing. */
    _Atomic bool is_on;
} state;

/* ---- the caller ---- */

/* Of a native method, -1. */
static int32_t line_of(const struct hs_vm_access *vm, const jvmtiFrameInfo *frame) {
    jint count;
    jvmtiLineNumberEntry *entries;
    if ((*vm->jvmti)->GetLineNumberTable(vm->jvmti, frame->method, &count, &entries) !=
        JVMTI_ERROR_NONE) {
        return -1;
    }
    int32_t line = -1;
    jlocation best = -1;
    for (jint i = 0; i < count; i++) { /* they need not be sorted */
        jlocation start = entries[i].start_location;
        if (start <= frame->location && start >= best) {
            best = start;
            line = entries[i].line_number;
        }
    }
    hs_vm_give_back(vm, entries);
    return line;
}

/* Writes the name under which the method's class merges with its like. */
static bool name_class(const struct hs_vm_access *vm, jmethodID method,
                       char name[HS_SIGNATURE_MAX + 1]) {
    jclass class;
    char *signature;
    char raw[HS_SIGNATURE_MAX];
    bool is_hidden;
    if ((*vm->jvmti)->GetMethodDeclaringClass(vm->jvmti, method, &class) != JVMTI_ERROR_NONE) {
        return false;
    }
    jvmtiError error = (*vm->jvmti)->GetClassSignature(vm->jvmti, class, &signature, NULL);
    (*vm->jni)->DeleteLocalRef(vm->jni, class);
    if (error != JVMTI_ERROR_NONE) {
        return false;
    }
    size_t bytes = hs_signature_to_name(signature, raw);
    hs_vm_give_back(vm, signature);
    name[hs_signature_normalise(raw, bytes, name, &is_hidden)] = '\0';
    return true;
}

/* False: no further frame is wanted. */
static bool add_frame(const struct hs_vm_access *vm, const jvmtiFrameInfo *frame,
                      struct hs_gc_stack *stack) {
    char class[HS_SIGNATURE_MAX + 1];
    char *name;
    char *descriptor;
    if (!name_class(vm, frame->method, class) ||
        (*vm->jvmti)->GetMethodName(vm->jvmti, frame->method, &name, &descriptor, NULL) !=
            JVMTI_ERROR_NONE) {
        return false;
    }
    bool is_added = hs_gc_stack_add(stack, class, name, line_of(vm, frame));
    hs_vm_give_back(vm, name);
    hs_vm_give_back(vm, descriptor);
    return is_added;
}

/* The stack of this thread, without Runtime.gc itself. Its methods stay as they are until we return. */
static void read_stack(const struct hs_vm_access *vm, struct hs_gc_stack *stack) {
    jvmtiFrameInfo frames[HS_GC_FRAMES + 1];
    jint count;
    if ((*vm->jvmti)->GetStackTrace(vm->jvmti, NULL, 0, HS_GC_FRAMES + 1, frames, &count) !=
            JVMTI_ERROR_NONE ||
        count <= 0 || !hs_vm_are_method_ids(vm, frames, (uint32_t)count)) {
        return;
    }
    for (jint i = 1; i < count && add_frame(vm, &frames[i], stack); i++) {
    }
}

/* Bound as Runtime.gc. The call comes first: it leaves more memory for the rest. */
static void JNICALL call_gc(JNIEnv *jni, jobject runtime) {
    /* acquire: pairs with the release in on_bind. */
    gc_function *original = atomic_load_explicit(&state.original, memory_order_acquire);
    int64_t began = hs_clock_monotonic_us();
    original(jni, runtime);
    if (atomic_load_explicit(&state.is_on, memory_order_relaxed) && !(*jni)->ExceptionCheck(jni)) {
        struct hs_gc_call call = {.began_us = began, .took_us = hs_clock_monotonic_us() - began};
        struct hs_vm_access vm = {.jvmti = state.jvmti, .jni = jni, .feature = state.feature};
        read_stack(&vm, &call.stack);
        hs_gc_calls_add(&state.calls, &call);
    }
}

/* ---- binding ---- */

/* *next: the function that the VM is about to bind, which may be another agent's. The event stays on: two threads that
 * make the first call at a time bind the method twice. */
static void JNICALL on_bind(jvmtiEnv *jvmti, JNIEnv *jni, jthread thread, jmethodID method,
                            void *address, void **next) {
    (void)jvmti;
    (void)jni;
    (void)thread;
    (void)address;
    if (method == state.runtime_gc && *next != (void *)call_gc) {
        /* release: pairs with the acquire in call_gc. */
        atomic_store_explicit(&state.original, (gc_function *)*next, memory_order_release);
        *next = (void *)call_gc;
    }
}

/* NULL where the VM refuses. */
static jvmtiEnv *new_environment(JavaVM *vm) {
    jvmtiCapabilities wanted = {.can_get_line_numbers = 1,
                                .can_generate_native_method_bind_events = 1};
    jvmtiEventCallbacks callbacks = {.NativeMethodBind = on_bind};
    jvmtiEnv *jvmti = NULL;
    if ((*vm)->GetEnv(vm, (void **)&jvmti, JVMTI_VERSION_11) != JNI_OK || jvmti == NULL) {
        return NULL;
    }
    if ((*jvmti)->AddCapabilities(jvmti, &wanted) != JVMTI_ERROR_NONE ||
        (*jvmti)->SetEventCallbacks(jvmti, &callbacks, (jint)sizeof callbacks) !=
            JVMTI_ERROR_NONE ||
        hs_gc_calls_init(&state.calls) != HS_OK) {
        (void)(*jvmti)->DisposeEnvironment(jvmti);
        return NULL;
    }
    return jvmti;
}

static void set_event(jvmtiEventMode mode) {
    (void)(*state.jvmti)
        ->SetEventNotificationMode(state.jvmti, mode, JVMTI_EVENT_NATIVE_METHOD_BIND, NULL);
}

void hs_vm_gc_calls_on(JavaVM *vm, jmethodID runtime_gc) {
    if (state.jvmti == NULL) {
        state.jvmti = new_environment(vm);
        state.runtime_gc = runtime_gc;
        state.feature = state.jvmti == NULL ? 0 : hs_vm_feature(state.jvmti);
    }
    if (state.jvmti != NULL) {
        atomic_store_explicit(&state.is_on, true, memory_order_relaxed);
        set_event(JVMTI_ENABLE);
    }
}

void hs_vm_gc_calls_off(void) {
    atomic_store_explicit(&state.is_on, false, memory_order_relaxed);
    if (state.jvmti != NULL) {
        set_event(JVMTI_DISABLE);
    }
}

uint64_t hs_vm_gc_calls_count(void) {
    return state.jvmti == NULL ? 0 : hs_gc_calls_count(&state.calls);
}

bool hs_vm_gc_calls_read(uint64_t number, struct hs_gc_call *call) {
    return state.jvmti != NULL && hs_gc_calls_read(&state.calls, number, call);
}
