/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Samples with labels: the natives that add and open sets, called as Java does. */
#include "fake_life.h"
#include "hs_label_sets.h"
#include "hs_vm.h"

enum { OTHER_AND_ONE = 2 };

static const char ACME[] = "tenant\0acme"; /* its end is the last byte */

typedef jlong add_native(JNIEnv *, jclass, jbyteArray);
typedef void remove_native(JNIEnv *, jclass, jlong);
typedef jlong open_native(JNIEnv *, jclass, jobject, jboolean, jlong);
typedef void close_native(JNIEnv *, jclass, jobject, jboolean, jlong);

static struct fake_object classes[2]; /* ours, and a copy of it */

/* Its word, or the one of "(other)", as Java does. */
static jlong add(struct fake_object *class_object, const char *bytes, jsize length) {
    struct fake_object object = {.data = bytes, .length = length, .is_kept = true};
    *class_object = (struct fake_object){.is_kept = true};
    jobject class = fake_new_ref(FAKE_LOCAL, class_object);
    jobject array = fake_new_ref(FAKE_LOCAL, &object);
    life_before();
    jlong word = ((add_native *)fake_native("addLabels"))(fake_main_env(), class, array);
    life_after("addLabels", NULL);
    fake_delete_ref(array, FAKE_LOCAL);
    fake_delete_ref(class, FAKE_LOCAL);
    cr_assert(word > 0 || word == -HS_INVALID || (word == -HS_NO_MEMORY && !life.is_whole));
    return word;
}

static jlong open(jobject thread, jboolean is_virtual, jlong word) {
    life_before();
    jlong previous =
        ((open_native *)fake_native("openLabels"))(fake_main_env(), NULL, thread, is_virtual, word);
    life_after("openLabels", NULL);
    cr_assert_geq(previous, 0);
    return previous;
}

static void close(jobject thread, jboolean is_virtual, jlong previous) {
    life_before();
    ((close_native *)fake_native("closeLabels"))(fake_main_env(), NULL, thread, is_virtual,
                                                 previous);
    life_after("closeLabels", NULL);
}

/* Whether it had the labels: where a failure has left the VM's threads without ids, none has any. */
static bool sample_in_scopes(struct fake_object *object, jboolean is_virtual, jlong word) {
    jobject thread = fake_new_ref(FAKE_LOCAL, object);
    bool has_id = hs_vm_thread_id(fake_main_env(), thread) > 0;
    jlong outer = open(thread, is_virtual, word);
    jlong inner = open(thread, is_virtual, (jlong)HS_LABELS_OTHER);
    cr_assert_eq(outer, 0);
    cr_assert(!life.is_whole || (inner > 0) == has_id);
    close(thread, is_virtual, inner);
    life_sample(CLASS_CART, 24, object, true);
    close(thread, is_virtual, outer);
    life_sample(CLASS_CART, 24, object, true);
    fake_delete_ref(thread, FAKE_LOCAL);
    return has_id;
}

static void check_label(void) {
    const struct hs_store *store = hs_vm_sampler()->liveness.store;
    uint32_t bytes;
    const char *text =
        hs_labels_get(store->labels, (struct hs_label_id){HS_LABEL_OTHER + 1}, &bytes);
    cr_assert_eq(hs_labels_end(store->labels), OTHER_AND_ONE + 1U);
    cr_assert(bytes == sizeof ACME && memcmp(text, ACME, bytes) == 0);
}

void life_sample_labelled(void) {
    life_stand(IN_CART);
    jlong word = add(&classes[0], ACME, sizeof ACME);
    cr_assert_eq(add(&classes[1], ACME, 1), -HS_INVALID);
    cr_assert_eq(add(&classes[1], ACME, 0), -HS_INVALID);
    bool has_labels = sample_in_scopes(&FAKE_PLATFORM_THREAD, JNI_FALSE, word);
    has_labels = sample_in_scopes(&FAKE_VIRTUAL_THREAD, JNI_TRUE, word) || has_labels;
    if (life.is_whole && has_labels) {
        check_label();
    }
    life_before();
    ((remove_native *)fake_native("removeLabels"))(fake_main_env(), NULL, word);
    life_after("removeLabels", NULL);
    if (hs_vm_sampler() != NULL) { /* else no class is counted that could leave */
        /* This one is left behind: its class is collected, and the library closed. */
        (void)add(&classes[1], "route\0/o", 9);
        classes[1].is_kept = false;
        classes[1].is_collected = true;
    }
}
