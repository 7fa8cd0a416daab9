/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "jni_otel.h"

#include "hs_otel_process.h"

static jbyteArray new_bytes(JNIEnv *jni, const unsigned char *payload, jsize length) {
    jbyteArray array = (*jni)->NewByteArray(jni, length);
    if (array != NULL) {
        (*jni)->SetByteArrayRegion(jni, array, 0, length, (const jbyte *)payload);
    }
    return array;
}

static jbyteArray JNICALL process_context(JNIEnv *jni, jclass class, jlongArray place) {
    (void)class;
    uint32_t length = 0;
    jlong header = 0; /* stays, if the VM refuses to give it: unknown */
    (*jni)->GetLongArrayRegion(jni, place, 0, 1, &header);
    struct hs_otel_process process = {.header = (uint64_t)header};
    unsigned char *payload = hs_otel_process_copy(&process, "", 0, &length);
    header = (jlong)process.header;
    (*jni)->SetLongArrayRegion(jni, place, 0, 1, &header);
    jbyteArray array = payload == NULL ? NULL : new_bytes(jni, payload, (jsize)length);
    hs_otel_payload_free(payload, length);
    return array;
}

bool jni_otel_register(JNIEnv *jni, jclass bindings) {
    static const JNINativeMethod METHODS[] = {
        {(char *)(uintptr_t) "processContext", (char *)(uintptr_t) "([J)[B",
         (void *)process_context},
    };
    return (*jni)->RegisterNatives(jni, bindings, METHODS, 1) == JNI_OK;
}
