/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The heap as FollowReferences shows it: a probe with its parts, the tagged objects, and what a field of a class's own object
 * leads to. */
#include "fakevm.h"

enum { MOST_TAGS = 64, CONSTANTS = 2, REFERENT = 1 };

static const char *const FIELDS[] = {"queue", "referent", "next"}; /* of Reference */
enum { FIELD_COUNT = sizeof FIELDS / sizeof FIELDS[0], CONTENT = CONSTANTS + FIELD_COUNT };

/* Of java.lang.Class: the last ones are read, as the library reads no text unless some target is one. */
static const struct class_field {
    const char *name;
    const char *signature;
    jint modifiers;
} CLASS_FIELDS[] = {{"all", "Ljava/util/Map;", 8 /* static */},
                    {"module", "Ljava/lang/Module;", 0},
                    {"name", "Ljava/lang/String;", 0},
                    {"redefinitions", "I", 0},
                    {"reflectionData", "Ljava/lang/ref/SoftReference;", 0},
                    {"annotationType", "Ljava/lang/Object;", 0}};
enum { CLASS_FIELD_COUNT = sizeof CLASS_FIELDS / sizeof CLASS_FIELDS[0], FIRST_READ = 4 };

static const char REFERENCES[] = "java/lang/ref/Reference";
static const char OBJECTS[] = "java/lang/Object";
static const char SOFT[] = "java/lang/ref/SoftReference";
static const char WEAK[] = "java/lang/ref/WeakReference";
static const char FINAL[] = "java/lang/ref/FinalReference";
static const char PROBES[] = "ReachProbe"; /* extends SoftReference implements Numbered */
static const char NUMBERED[] = "Numbered"; /* with constants */
static const char CLASS[] = "java/lang/Class";
static const char LOADERS[] = "java/lang/ClassLoader";
static const char PLUGIN_LOADERS[] = "shop/PluginLoader"; /* extends it */

static struct fake_object softly_held = {.is_kept = true};
static struct fake_object weakly_held = {.is_kept = true};
static struct fake_object content = {.is_kept = true};     /* a weak reference */
static struct fake_object class_value = {.is_kept = true}; /* a soft reference */
static struct fake_object leaf_value = {.is_kept = true};  /* of Object */
struct fake_object FAKE_HELD = {.is_kept = true};
struct fake_object FAKE_HELD_REFERENCE = {.is_kept = true};
struct fake_object FAKE_PROBE = {.is_kept = true};
struct fake_object FAKE_LOADERS[] = {{.is_kept = true}, {.is_kept = true}};

static struct tag {
    struct fake_object *object;
    jlong tag;
} tags[MOST_TAGS];
static uint32_t tag_count;
static bool are_passes_expected;
static jint first_number; /* of a field, where JVMTI says 0 */

/* ---- tags ---- */

static struct tag *entry_of(struct fake_object *object) {
    for (uint32_t i = 0; i < tag_count; i++) {
        if (tags[i].object == object) {
            return &tags[i];
        }
    }
    cr_assert_lt(tag_count, (uint32_t)MOST_TAGS);
    tags[tag_count] = (struct tag){.object = object};
    return &tags[tag_count++];
}

jvmtiError fake_get_tag(jobject object, jlong *tag) {
    *tag = entry_of(fake_object_of(object))->tag;
    return JVMTI_ERROR_NONE;
}

jvmtiError fake_set_tag(jobject object, jlong tag) {
    entry_of(fake_object_of(object))->tag = tag;
    return JVMTI_ERROR_NONE;
}

void fake_forget_tags(void) {
    tag_count = 0;
}

/* ---- classes ---- */

static bool is_one_of(jclass class, const char *const *names, size_t count) {
    const struct fake_object *object = fake_object_of(class);
    bool is_one = false;
    for (size_t i = 0; i < count; i++) {
        is_one = is_one || object == fake_class(names[i]);
    }
    return is_one;
}

static bool is_named(jclass class, const char *name) {
    return is_one_of(class, &name, 1);
}

static jvmtiError answer_classes(const char *const *names, jint class_count, jint *count,
                                 jclass **list) {
    *count = class_count;
    *list = fake_lend((size_t)class_count * sizeof **list);
    for (jint i = 0; i < class_count; i++) {
        (*list)[i] = fake_new_ref(FAKE_LOCAL, fake_class(names[i]));
    }
    return JVMTI_ERROR_NONE;
}

jvmtiError fake_loaded_classes(jint *count, jclass **list) {
    static const char *const LOADED[] = {OBJECTS,
                                         REFERENCES,
                                         SOFT,
                                         WEAK,
                                         FINAL,
                                         NUMBERED,
                                         PROBES,
                                         "java/lang/Thread",
                                         LOADERS,
                                         PLUGIN_LOADERS,
                                         CLASS,
                                         "java/lang/String",
                                         "java/lang/ThreadGroup"};
    return answer_classes(LOADED, sizeof LOADED / sizeof LOADED[0], count, list);
}

jvmtiError fake_interfaces_of(jclass class, jint *count, jclass **list) {
    static const char *const INTERFACES[] = {NUMBERED};
    return answer_classes(INTERFACES, is_named(class, PROBES) ? 1 : 0, count, list);
}

static jvmtiError answer_class_fields(jint *count, jfieldID **fields) {
    *count = CLASS_FIELD_COUNT;
    *fields = fake_lend(CLASS_FIELD_COUNT * sizeof **fields);
    for (jint i = 0; i < CLASS_FIELD_COUNT; i++) {
        (*fields)[i] = (jfieldID)(uintptr_t)CLASS_FIELDS[i].name;
    }
    return JVMTI_ERROR_NONE;
}

jvmtiError fake_fields_of(jclass class, jint *count, jfieldID **fields) {
    bool is_reference = is_named(class, REFERENCES);
    if (is_named(class, CLASS)) {
        return answer_class_fields(count, fields);
    }
    *count = is_reference ? FIELD_COUNT : is_named(class, NUMBERED) ? CONSTANTS : 0;
    *fields = fake_lend((size_t)*count * sizeof **fields);
    for (jint i = 0; i < *count; i++) {
        (*fields)[i] = (jfieldID)(uintptr_t)FIELDS[i];
    }
    return JVMTI_ERROR_NONE;
}

/* NULL for a field of another class. */
static const struct class_field *class_field_of(const char *name) {
    for (jint i = 0; i < CLASS_FIELD_COUNT; i++) {
        if (CLASS_FIELDS[i].name == name) {
            return &CLASS_FIELDS[i];
        }
    }
    return NULL;
}

const char *fake_signature_of(jfieldID field) {
    const struct class_field *own = class_field_of((const char *)(uintptr_t)field);
    return own == NULL ? "Lshop/Cart;" : own->signature;
}

jint fake_modifiers_of(jfieldID field) {
    const struct class_field *own = class_field_of((const char *)(uintptr_t)field);
    return own == NULL ? 0 : own->modifiers;
}

jclass fake_class_of(jobject handle) {
    const struct fake_object *object = fake_object_of(handle);
    if (object == &FAKE_THROWN) {
        return fake_new_ref(FAKE_LOCAL, fake_class(fake_env->thrown));
    }
    if (object == &class_value || object == &leaf_value) {
        return fake_new_ref(FAKE_LOCAL, fake_class(object == &class_value ? SOFT : OBJECTS));
    }
    cr_assert_eq(object, &FAKE_PROBE);
    return fake_new_ref(FAKE_LOCAL, fake_class(PROBES));
}

jclass fake_superclass_of(jclass class) {
    static const char *const REFERENCE_KINDS[] = {SOFT, WEAK, FINAL};
    if (is_named(class, OBJECTS) || is_named(class, NUMBERED)) {
        return NULL;
    }
    if (is_named(class, PROBES)) {
        return fake_new_ref(FAKE_LOCAL, fake_class(SOFT));
    }
    bool is_one = is_one_of(class, REFERENCE_KINDS, 3);
    return fake_new_ref(FAKE_LOCAL, fake_class(is_one ? REFERENCES : OBJECTS));
}

bool fake_is_reference(jclass class, jclass other) {
    static const char *const SUBCLASSES[] = {PROBES, SOFT, WEAK, REFERENCES};
    static const char *const OF_LOADERS[] = {LOADERS, PLUGIN_LOADERS};
    bool is_all = is_named(other, REFERENCES);
    if (is_named(other, LOADERS)) {
        return is_one_of(class, OF_LOADERS, 2);
    }
    cr_assert(is_all || is_named(other, SOFT));
    return is_one_of(class, SUBCLASSES, is_all ? 4 : 2);
}

/* Two classes share a value. */
static jobject value_of_class(const struct fake_object *class, const struct class_field *field) {
    cr_assert_geq(field - CLASS_FIELDS, FIRST_READ, "%s leads nowhere new", field->name);
    if (field - CLASS_FIELDS > FIRST_READ) {
        return class == fake_class(PROBES) ? fake_new_ref(FAKE_LOCAL, &leaf_value) : NULL;
    }
    bool has_value = class == fake_class(NUMBERED) || class == fake_class(PROBES);
    return has_value ? fake_new_ref(FAKE_LOCAL, &class_value) : NULL;
}

jobject fake_part_of(jobject object, const char *field) {
    const struct fake_object *whole = fake_object_of(object);
    const struct class_field *of_class = class_field_of(field);
    if (of_class != NULL) {
        return value_of_class(whole, of_class);
    }
    if (whole == &FAKE_HELD_REFERENCE) {
        return fake_new_ref(FAKE_LOCAL, &FAKE_HELD);
    }
    bool is_referent = strcmp(field, "referent") == 0;
    cr_assert(is_referent || strcmp(field, "content") == 0);
    cr_assert(whole == &FAKE_PROBE || (whole == &content && is_referent));
    struct fake_object *referent = whole == &FAKE_PROBE ? &softly_held : &weakly_held;
    return fake_new_ref(FAKE_LOCAL, is_referent ? referent : &content);
}

/* ---- edges ---- */

void fake_number_fields_from(jint first) {
    first_number = first;
}

void fake_expect_passes(bool are_expected) {
    are_passes_expected = are_expected;
}

struct walk {
    jvmtiHeapReferenceCallback callback;
    void *data;
    bool is_over;
};

/* Returns whether what it leads to is visited. `class` NULL: from a root. */
static bool show(struct walk *walk, jvmtiHeapReferenceKind kind, jint index, const char *class,
                 struct fake_object *to) {
    const jvmtiHeapReferenceInfo info = {.field = {.index = index + first_number}};
    bool has_info = kind == JVMTI_HEAP_REFERENCE_FIELD;
    jlong class_tag = class == NULL ? 0 : entry_of(fake_class(class))->tag;
    if (walk->is_over) {
        return false;
    }
    jint answer = walk->callback(kind, has_info ? &info : NULL, 0, class_tag, 16,
                                 &entry_of(to)->tag, NULL, -1, walk->data);
    walk->is_over = (answer & JVMTI_VISIT_ABORT) != 0;
    return (answer & JVMTI_VISIT_OBJECTS) != 0;
}

static void show_probe(struct walk *walk) {
    bool is_visited = show(walk, JVMTI_HEAP_REFERENCE_CLASS, 0, PROBES, fake_class(PROBES));
    cr_assert_not(is_visited, "from a class all of the heap can be reached");
    (void)show(walk, JVMTI_HEAP_REFERENCE_FIELD, CONSTANTS + REFERENT, PROBES, &softly_held);
    if (show(walk, JVMTI_HEAP_REFERENCE_FIELD, CONTENT, PROBES, &content)) {
        (void)show(walk, JVMTI_HEAP_REFERENCE_FIELD, REFERENT, WEAK, &weakly_held);
    }
}

static void show_held(struct walk *walk) {
    const jvmtiHeapReferenceInfo next = {.field = {.index = REFERENT + 1}};
    struct tag *value = entry_of(&class_value);
    jint answer =
        walk->callback(JVMTI_HEAP_REFERENCE_FIELD, &next, entry_of(fake_class(OBJECTS))->tag,
                       entry_of(fake_class(SOFT))->tag, 16, &entry_of(&FAKE_HELD)->tag, &value->tag,
                       -1, walk->data);
    walk->is_over = (answer & JVMTI_VISIT_ABORT) != 0;
}

/* The walk comes here by the library's local reference, which is to lead on: from there FAKE_HELD is seen. Not so where
 * passes go on from the roots. */
static void show_class_value(struct walk *walk) {
    const jvmtiHeapReferenceInfo local = {
        .jni_local = {.thread_id = FAKE_PLATFORM_THREAD.java_id, .depth = 0}};
    struct tag *value = entry_of(&class_value);
    jlong soft = entry_of(fake_class(SOFT))->tag;
    if (value->tag == 0 || walk->is_over) {
        return;
    }
    jint answer = walk->callback(JVMTI_HEAP_REFERENCE_JNI_LOCAL, &local, soft, 0, 16, &value->tag,
                                 NULL, -1, walk->data);
    cr_assert_eq(answer, are_passes_expected ? 0 : JVMTI_VISIT_OBJECTS,
                 "the value of a class is not visited");
    if (!are_passes_expected) {
        show_held(walk);
    }
}

/* What a pass begins at, in an array: the last one first, as the VM does. */
static void show_frontier(struct walk *walk, const struct fake_object *array) {
    jlong no_tag = 0;
    for (jsize i = array->length; i-- > 0 && !walk->is_over;) {
        struct fake_object *object = ((struct fake_object **)array->room)[i];
        const jvmtiHeapReferenceInfo info = {.array = {.index = i}};
        if (object == NULL) {
            continue;
        }
        jint answer = walk->callback(JVMTI_HEAP_REFERENCE_ARRAY_ELEMENT, &info, 0, 0, 16,
                                     &entry_of(object)->tag, &no_tag, -1, walk->data);
        walk->is_over = (answer & JVMTI_VISIT_ABORT) != 0;
        if (object == &class_value && (answer & JVMTI_VISIT_OBJECTS) != 0) {
            show_held(walk);
        }
    }
}

static void show_tagged(struct walk *walk) {
    for (uint32_t i = 0; i < tag_count; i++) {
        if (tags[i].object == &FAKE_HELD || tags[i].object == &class_value) {
            continue;
        }
        if (tags[i].object->is_kept) {
            (void)show(walk, JVMTI_HEAP_REFERENCE_JNI_GLOBAL, 0, NULL, tags[i].object);
        } else {
            (void)show(walk, JVMTI_HEAP_REFERENCE_FIELD, REFERENT, SOFT, tags[i].object);
        }
    }
}

jvmtiError fake_follow(jobject from, jvmtiHeapReferenceCallback callback, const void *data) {
    struct walk walk = {.callback = callback, .data = (void *)(uintptr_t)data};
    if (from == NULL) {
        show_tagged(&walk);
        show_class_value(&walk);
    } else if (are_passes_expected && fake_object_of(from) != &FAKE_PROBE) {
        show_frontier(&walk, fake_object_of(from));
    } else {
        cr_assert_eq(fake_object_of(from), &FAKE_PROBE);
        show_probe(&walk);
    }
    return JVMTI_ERROR_NONE;
}

/* ---- instances of classes ---- */

jvmtiError fake_iterate(jvmtiHeapIterationCallback callback, const void *data) {
    static const char *const CLASSES[FAKE_LOADER_COUNT] = {LOADERS, PLUGIN_LOADERS};
    for (int i = 0; i < FAKE_LOADER_COUNT; i++) {
        jlong class_tag = entry_of(fake_class(CLASSES[i]))->tag;
        if (class_tag != 0) {
            jint answer = callback(class_tag, 16, &entry_of(&FAKE_LOADERS[i])->tag, -1,
                                   (void *)(uintptr_t)data);
            cr_assert_eq(answer, 0);
        }
    }
    return JVMTI_ERROR_NONE;
}

static bool is_wanted(jlong tag, const jlong *wanted, jint wanted_count) {
    bool is_wanted = false;
    for (jint i = 0; i < wanted_count; i++) {
        is_wanted = is_wanted || wanted[i] == tag;
    }
    return is_wanted;
}

jvmtiError fake_tagged(const jlong *wanted, jint wanted_count, jint *count, jobject **list,
                       jlong **list_of_tags) {
    *count = 0;
    *list = fake_lend(MOST_TAGS * sizeof **list);
    if (list_of_tags != NULL) {
        *list_of_tags = fake_lend(MOST_TAGS * sizeof **list_of_tags);
    }
    for (uint32_t i = 0; i < tag_count; i++) {
        if (is_wanted(tags[i].tag, wanted, wanted_count)) {
            if (list_of_tags != NULL) {
                (*list_of_tags)[*count] = tags[i].tag;
            }
            (*list)[(*count)++] = fake_new_ref(FAKE_LOCAL, tags[i].object);
        }
    }
    return JVMTI_ERROR_NONE;
}

jvmtiError fake_classes_of(jobject loader, jint *count, jclass **list) {
    static const char *const NAMES[FAKE_LOADED_COUNT] = {"shop/Plugin", "shop/Plugin$Job", OBJECTS};
    bool is_last = fake_object_of(loader) == &FAKE_LOADERS[FAKE_LOADER_COUNT - 1];
    return answer_classes(NAMES, is_last ? FAKE_LOADED_COUNT : 0, count, list);
}
