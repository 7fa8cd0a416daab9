/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "jni_texts.h"

#include <string.h>

#include "hs_mem.h"

void jni_texts_free(struct jni_texts *texts) {
    for (uint32_t i = 0; i < texts->count; i++) {
        hs_mem_free(texts->texts[i], strlen(texts->texts[i]) + 1);
    }
    hs_mem_free(texts->texts, texts->size * sizeof *texts->texts);
}

/* NULL when there is no memory. */
static char *copy_text(JNIEnv *jni, jstring string) {
    size_t bytes = (size_t)(*jni)->GetStringUTFLength(jni, string) + 1;
    char *text = hs_mem_new(bytes);
    if (text == NULL) {
        return NULL;
    }
    (*jni)->GetStringUTFRegion(jni, string, 0, (*jni)->GetStringLength(jni, string), text);
    if ((*jni)->ExceptionCheck(jni)) {
        hs_mem_free(text, bytes);
        return NULL;
    }
    return text;
}

bool jni_texts_get(JNIEnv *jni, jobjectArray array, struct jni_texts *texts) {
    jsize length = (*jni)->GetArrayLength(jni, array);
    if (length == 0) {
        return true;
    }
    texts->texts = hs_mem_new_array((size_t)length, sizeof *texts->texts);
    if (texts->texts == NULL) {
        return false;
    }
    texts->size = (size_t)length;
    for (jsize i = 0; i < length; i++) {
        jstring string = (*jni)->GetObjectArrayElement(jni, array, i);
        char *text = string == NULL ? NULL : copy_text(jni, string);
        (*jni)->DeleteLocalRef(jni, string);
        if (text == NULL) {
            (*jni)->ExceptionClear(jni);
            return false;
        }
        texts->texts[texts->count++] = text;
    }
    return true;
}
