/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_events.h"

#include "hs_thread_state.h"

/* Nothing after an error. */
static void set_event(jvmtiEnv *jvmti, jvmtiEventMode mode, jvmtiEvent event, jvmtiError *error) {
    if (*error == JVMTI_ERROR_NONE) {
        *error = (*jvmti)->SetEventNotificationMode(jvmti, mode, event, NULL);
    }
}

bool hs_vm_events_on(jvmtiEnv *jvmti, const jvmtiEventCallbacks *callbacks) {
    jvmtiCapabilities always = {
        .can_get_line_numbers = 1,
        .can_get_source_file_name = 1,
        .can_generate_garbage_collection_events = 1,
    };
    jvmtiError error = (*jvmti)->AddCapabilities(jvmti, &always);
    if (error == JVMTI_ERROR_NONE) {
        error = (*jvmti)->SetEventCallbacks(jvmti, callbacks, (jint)sizeof *callbacks);
    }
    set_event(jvmti, JVMTI_ENABLE, JVMTI_EVENT_GARBAGE_COLLECTION_START, &error);
    set_event(jvmti, JVMTI_ENABLE, JVMTI_EVENT_GARBAGE_COLLECTION_FINISH, &error);
    set_event(jvmti, JVMTI_ENABLE, JVMTI_EVENT_VM_DEATH, &error);
    return error == JVMTI_ERROR_NONE;
}

void hs_vm_sampling_off(jvmtiEnv *jvmti) {
    jvmtiCapabilities sampling = {.can_generate_sampled_object_alloc_events = 1};
    (void)(*jvmti)->SetEventNotificationMode(jvmti, JVMTI_DISABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC,
                                             NULL);
    (void)(*jvmti)->SetHeapSamplingInterval(jvmti, HS_VM_DEFAULT_INTERVAL);
    (void)(*jvmti)->RelinquishCapabilities(jvmti, &sampling);
}

enum hs_status hs_vm_sampling_claim(jvmtiEnv *jvmti, int32_t *error) {
    jvmtiCapabilities sampling = {.can_generate_sampled_object_alloc_events = 1};
    jvmtiError result = (*jvmti)->AddCapabilities(jvmti, &sampling);
    *error = (int32_t)result;
    if (result == JVMTI_ERROR_NONE) {
        return HS_OK;
    }
    return result == JVMTI_ERROR_NOT_AVAILABLE ? HS_OWNED : HS_JVMTI;
}

enum hs_status hs_vm_sampling_on(jvmtiEnv *jvmti, uint32_t interval, int32_t *error) {
    jvmtiError result = JVMTI_ERROR_NONE;
    /* Threads first: one that begins from here on knows its interval. */
    set_event(jvmti, JVMTI_ENABLE, JVMTI_EVENT_THREAD_START, &result);
    if (result == JVMTI_ERROR_NONE) {
        result = (*jvmti)->SetHeapSamplingInterval(jvmti, (jint)interval);
    }
    set_event(jvmti, JVMTI_ENABLE, JVMTI_EVENT_SAMPLED_OBJECT_ALLOC, &result);
    *error = (int32_t)result;
    return result == JVMTI_ERROR_NONE ? HS_OK : HS_JVMTI;
}

enum hs_status hs_vm_watch_exhaustion(jvmtiEnv *jvmti, bool is_wanted, int32_t *error) {
    jvmtiCapabilities exhaustion = {.can_generate_resource_exhaustion_heap_events = 1,
                                    .can_generate_resource_exhaustion_threads_events = 1};
    jvmtiError result = JVMTI_ERROR_NONE;
    if (is_wanted) {
        result = (*jvmti)->AddCapabilities(jvmti, &exhaustion);
    }
    set_event(jvmti, is_wanted ? JVMTI_ENABLE : JVMTI_DISABLE, JVMTI_EVENT_RESOURCE_EXHAUSTED,
              &result);
    *error = (int32_t)result;
    return result == JVMTI_ERROR_NONE ? HS_OK : HS_JVMTI;
}
