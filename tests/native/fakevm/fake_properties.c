/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* System properties: two, of which that of the bindings is always set. */
#include "fakevm.h"

static char engine_property[FAKE_PROPERTY];

void fake_forget_properties(void) {
    engine_property[0] = '\0';
}

char *fake_engine_property(void) {
    return engine_property;
}

jobject fake_get_property(const char *key) {
    bool is_engine = strcmp(key, "heapsampler.engine") == 0;
    cr_assert(is_engine || strcmp(key, "heapsampler.bindings") == 0);
    if (is_engine && engine_property[0] == '\0') {
        return NULL;
    }
    struct fake_object *value = fake_new_object();
    value->text = is_engine ? engine_property : "io.heapsampler.internal.NativeBindings";
    return fake_new_ref(FAKE_LOCAL, value);
}

void fake_set_property(const char *key, const char *value) {
    cr_assert_str_eq(key, "heapsampler.engine");
    cr_assert_lt(strlen(value), sizeof engine_property);
    memcpy(engine_property, value, strlen(value) + 1);
}
