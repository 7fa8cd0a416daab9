/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "jni_labels.h"

#include "hs_intake.h"
#include "hs_label_scopes.h"
#include "hs_vm.h"
#include "jni_owner.h"

/* ---- sets ---- */

/* Copies of the Java classes that were collected have left sets behind, if the table is full. */
static enum hs_status add(JNIEnv *jni, const char *bytes, uint32_t count, hs_ref owner,
                          uint64_t *word) {
    struct hs_phaser *phaser = &hs_vm_intake()->phaser;
    enum hs_status status = hs_label_sets_add(phaser, bytes, count, owner, word);
    if (status == HS_FULL) {
        hs_vm_remove_label_orphans(jni);
        status = hs_label_sets_add(phaser, bytes, count, owner, word);
    }
    return status;
}

static jlong JNICALL add_labels(JNIEnv *jni, jclass class, jbyteArray array) {
    char bytes[HS_MAX_LABEL_SET];
    uint64_t word;
    jsize length = (*jni)->GetArrayLength(jni, array);
    if (length == 0 || length > HS_MAX_LABEL_SET) {
        return -(jlong)HS_INVALID;
    }
    bytes[0] = '\0'; /* stays, if the VM refuses to give them */
    (*jni)->GetByteArrayRegion(jni, array, 0, length, (jbyte *)bytes);
    if (bytes[0] == '\0') {
        return -(jlong)HS_INVALID;
    }
    hs_ref owner = jni_owner_new(jni, class);
    if (owner == 0) {
        return -(jlong)HS_NO_MEMORY;
    }
    enum hs_status status = add(jni, bytes, (uint32_t)length, owner, &word);
    if (status != HS_OK) {
        jni_owner_free(jni, owner);
    }
    return status == HS_OK ? (jlong)word : -(jlong)status;
}

static void JNICALL remove_labels(JNIEnv *jni, jclass class, jlong word) {
    (void)class;
    hs_ref owner = hs_label_sets_remove(&hs_vm_intake()->phaser, (uint64_t)word);
    if (owner != 0) {
        jni_owner_free(jni, owner);
    }
}

/* ---- scopes ---- */

static uint64_t open_platform(int64_t java_thread, uint64_t word, bool *is_lost) {
    struct hs_thread_state *self = hs_thread_state_current();
    *is_lost = self == NULL; /* without memory */
    return self == NULL ? 0 : hs_label_scopes_open(self, java_thread, word);
}

static jlong JNICALL open_labels(JNIEnv *jni, jclass class, jobject current, jboolean is_virtual,
                                 jlong word) {
    (void)class;
    int64_t java_thread = hs_vm_thread_id(jni, current);
    bool is_lost = false;
    if (java_thread <= 0) { /* its samples have no thread either */
        return 0;
    }
    uint64_t previous = is_virtual ? hs_label_map_open(java_thread, (uint64_t)word, &is_lost)
                                   : open_platform(java_thread, (uint64_t)word, &is_lost);
    if (is_lost) {
        hs_intake_lose(hs_vm_intake(), HS_DROP_LABELS_FULL);
    }
    return (jlong)previous;
}

static void JNICALL close_labels(JNIEnv *jni, jclass class, jobject current, jboolean is_virtual,
                                 jlong previous) {
    (void)class;
    if (is_virtual) {
        hs_label_map_close(hs_vm_thread_id(jni, current), (uint64_t)previous);
        return;
    }
    struct hs_thread_state *self = hs_thread_state_known();
    if (self != NULL) {
        hs_label_scopes_close(self, (uint64_t)previous);
    }
}

#define METHOD(name, signature, function) \
    { (char *)(uintptr_t)(name), (char *)(uintptr_t)(signature), (void *)(function) }

static const JNINativeMethod METHODS[] = {
    METHOD("addLabels", "([B)J", add_labels),
    METHOD("removeLabels", "(J)V", remove_labels),
    METHOD("openLabels", "(Ljava/lang/Thread;ZJ)J", open_labels),
    METHOD("closeLabels", "(Ljava/lang/Thread;ZJ)V", close_labels),
};

bool jni_labels_register(JNIEnv *jni, jclass bindings) {
    return (*jni)->RegisterNatives(jni, bindings, METHODS,
                                   (jint)(sizeof METHODS / sizeof METHODS[0])) == JNI_OK;
}
