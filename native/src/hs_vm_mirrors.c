/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_mirrors.h"

#include <string.h>

#include "hs_clock.h"
#include "hs_mem.h"

enum { MOST_FIELDS = 64, IS_STATIC = 8, REFS_AT_ONCE = 1024 };

/* Classes from one look at the clock to the next: about 0.1 ms. */
enum { LOOK_EVERY = 32 };

static const char *const LEFT_OUT[] = {"module", "classLoader", "componentType"};

/* Fields of java.lang.Class that are read. */
struct fields {
    uint32_t count;
    jfieldID ids[MOST_FIELDS];
    uint32_t numbers[MOST_FIELDS];
};

struct reader {
    const struct hs_vm_env *vm;
    struct hs_trace *trace;
    struct hs_vm_mirrors *mirrors;
    struct fields fields;
    enum hs_status status;
};

static void deallocate(const struct hs_vm_env *vm, void *memory) {
    (void)(*vm->jvmti)->Deallocate(vm->jvmti, memory);
}

/* A field or a value that the VM does not show might lead to a target, so there is no answer without it. */
static void fail(struct reader *reader) {
    reader->status = reader->status == HS_OK ? HS_JVMTI : reader->status;
}

static int64_t tag_of(struct reader *reader, jobject object) {
    jvmtiEnv *jvmti = reader->vm->jvmti;
    jlong tag = 0;
    if ((*jvmti)->GetTag(jvmti, object, &tag) != JVMTI_ERROR_NONE) {
        fail(reader);
    }
    return tag;
}

/* ---- the fields ---- */

/* A text leads nowhere unless some target may be its content. */
static bool is_wanted(const char *name, const char *signature, bool has_text) {
    bool is_reference = signature[0] == 'L' || signature[0] == '[';
    bool is_text = strcmp(signature, "Ljava/lang/String;") == 0;
    for (size_t i = 0; i < sizeof LEFT_OUT / sizeof *LEFT_OUT; i++) {
        is_reference = is_reference && strcmp(name, LEFT_OUT[i]) != 0;
    }
    return is_reference && (has_text || !is_text);
}

static void add_field(struct reader *reader, jclass mirror, jfieldID field, jint place) {
    struct fields *fields = &reader->fields;
    jint number = hs_vm_field_number(reader->vm, mirror, (uint32_t)place);
    if (number < 0 || fields->count == MOST_FIELDS) {
        fail(reader);
        return;
    }
    fields->ids[fields->count] = field;
    fields->numbers[fields->count++] = (uint32_t)number;
}

static void choose_field(struct reader *reader, jclass mirror, jfieldID field, jint place) {
    jvmtiEnv *jvmti = reader->vm->jvmti;
    jint modifiers;
    char *name;
    char *signature;
    if ((*jvmti)->GetFieldModifiers(jvmti, mirror, field, &modifiers) != JVMTI_ERROR_NONE) {
        fail(reader);
        return;
    }
    if ((modifiers & IS_STATIC) != 0) {
        return;
    }
    if ((*jvmti)->GetFieldName(jvmti, mirror, field, &name, &signature, NULL) != JVMTI_ERROR_NONE) {
        fail(reader);
        return;
    }
    if (is_wanted(name, signature, reader->trace->has_text)) {
        add_field(reader, mirror, field, place);
    }
    deallocate(reader->vm, name);
    deallocate(reader->vm, signature);
}

static void find_fields(struct reader *reader) {
    const struct hs_vm_env *vm = reader->vm;
    jclass mirror = hs_vm_find_class(vm->jni, "java/lang/Class");
    jfieldID *fields;
    jint count;
    if (mirror == NULL) {
        reader->status = HS_NO_MEMORY;
        return;
    }
    if ((*vm->jvmti)->GetClassFields(vm->jvmti, mirror, &count, &fields) == JVMTI_ERROR_NONE) {
        for (jint i = 0; i < count && reader->status == HS_OK; i++) {
            choose_field(reader, mirror, fields[i], i);
        }
        deallocate(vm, fields);
        reader->mirrors->class_number = hs_trace_tag_node(tag_of(reader, mirror));
    } else {
        fail(reader);
    }
    (*vm->jni)->DeleteLocalRef(vm->jni, mirror);
}

/* ---- the values ---- */

static bool has_room(struct hs_vm_mirrors *mirrors) {
    if (mirrors->count < mirrors->room) {
        return true;
    }
    size_t room = mirrors->room == 0 ? REFS_AT_ONCE : 2 * mirrors->room;
    jobject *values = hs_mem_new_array(room, sizeof(jobject));
    if (values == NULL) {
        return false;
    }
    if (mirrors->count > 0) {
        memcpy(values, mirrors->values, mirrors->count * sizeof(jobject));
    }
    hs_vm_mirrors_free(mirrors);
    mirrors->values = values;
    mirrors->room = room;
    return true;
}

/* What -Xcheck:jni expects. */
static void expect_reference(const struct reader *reader) {
    if (reader->mirrors->count % REFS_AT_ONCE == 0) {
        (void)(*reader->vm->jni)->EnsureLocalCapacity(reader->vm->jni, 2 * REFS_AT_ONCE);
        (*reader->vm->jni)->ExceptionClear(reader->vm->jni);
    }
}

/* Returns whether the reference stays. */
static bool add_value(struct reader *reader, uint32_t class_number, uint32_t field, jobject value) {
    JNIEnv *jni = reader->vm->jni;
    struct hs_vm_mirrors *mirrors = reader->mirrors;
    jclass class = (*jni)->GetObjectClass(jni, value);
    int64_t class_tag = tag_of(reader, class);
    (*jni)->DeleteLocalRef(jni, class);
    int64_t before = tag_of(reader, value);
    int64_t tag = before;
    if (!has_room(mirrors)) {
        reader->status = HS_NO_MEMORY;
    }
    if (reader->status != HS_OK ||
        !hs_trace_add_class_value(reader->trace, class_number, field, class_tag, &tag) ||
        tag == before) {
        return false;
    }
    jvmtiError error = (*reader->vm->jvmti)->SetTag(reader->vm->jvmti, value, tag);
    if (error != JVMTI_ERROR_NONE) {
        reader->status = error == JVMTI_ERROR_OUT_OF_MEMORY ? HS_NO_MEMORY : HS_JVMTI;
    }
    mirrors->values[mirrors->count++] = value;
    return true;
}

static void read_class(struct reader *reader, uint32_t class_number, jclass class) {
    JNIEnv *jni = reader->vm->jni;
    for (uint32_t i = 0; i < reader->fields.count && reader->status == HS_OK; i++) {
        jobject value = (*jni)->GetObjectField(jni, class, reader->fields.ids[i]);
        if (value == NULL) {
            continue;
        }
        expect_reference(reader);
        if (!add_value(reader, class_number, reader->fields.numbers[i], value)) {
            (*jni)->DeleteLocalRef(jni, value);
        }
    }
}

/* -Xcheck:jni counts all local references in each call, and those to the classes are many. */
static bool is_late(const struct reader *reader, uint32_t number) {
    struct hs_trace *trace = reader->trace;
    if (number % LOOK_EVERY == 0 && trace->values_deadline_us != 0 &&
        hs_clock_monotonic_us() >= trace->values_deadline_us) {
        trace->is_short_of_time = true;
    }
    return trace->is_short_of_time;
}

enum hs_status hs_vm_mirrors_add(const struct hs_vm_env *vm, const struct hs_vm_facts *facts,
                                 struct hs_trace *trace, struct hs_vm_mirrors *mirrors) {
    struct reader reader = {.vm = vm, .trace = trace, .mirrors = mirrors, .status = HS_OK};
    find_fields(&reader);
    for (uint32_t i = 0; i < facts->count && reader.status == HS_OK && !is_late(&reader, i); i++) {
        read_class(&reader, i + 1, facts->classes[i]);
    }
    return reader.status;
}

void hs_vm_mirrors_free(struct hs_vm_mirrors *mirrors) {
    hs_mem_free(mirrors->values, mirrors->room * sizeof(jobject));
    mirrors->values = NULL;
    mirrors->room = 0;
}
