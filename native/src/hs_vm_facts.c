/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_facts.h"

#include <string.h>

#include "hs_mem.h"

enum { SOME_REFS = 64, MOST_LEVELS = 256, PLATFORM = 0, APPLICATION = 1 };

/* Classes by name whose subclasses are of a kind. */
enum named {
    NAMED_REFERENCE,
    NAMED_SOFT,
    NAMED_FINAL,
    NAMED_THREAD,
    NAMED_LOADER,
    NAMED_CLASS,
    NAMED_STRING,
    NAMED_GROUP,
    NAMED_COUNT
};
static const char *const NAMES[NAMED_COUNT] = {
    "java/lang/ref/Reference", "java/lang/ref/SoftReference", "java/lang/ref/FinalReference",
    "java/lang/Thread",        "java/lang/ClassLoader",       "java/lang/Class",
    "java/lang/String",        "java/lang/ThreadGroup"};

/* Bits of a class beside its facts, while they are found. */
enum {
    IS_SETTLED = 1,
    IS_PLAIN = 2,      /* neither an array nor an interface */
    LEADS_NOWHERE = 4, /* its instances have no references, those of superclasses included */
};

struct finder {
    const struct hs_vm_env *vm;
    const struct hs_vm_access *access;
    const jobject *loaders;
    struct hs_vm_facts *found;
    uint32_t *supers; /* by class number; 0: none */
    uint8_t *states;
    jclass named_classes[NAMED_COUNT]; /* local references */
    uint32_t named[NAMED_COUNT];
    uint32_t referent;  /* place in Reference */
    uint32_t locals[2]; /* places in Thread */
    bool has_locals[2];
    bool has_failed; /* without a superclass, a weak reference would look like a strong one */
};

static uint32_t number_of(struct finder *finder, jobject class) {
    jvmtiEnv *jvmti = finder->vm->jvmti;
    jlong tag = 0;
    if (class != NULL && (*jvmti)->GetTag(jvmti, class, &tag) != JVMTI_ERROR_NONE) {
        finder->has_failed = true;
    }
    return (uint32_t)tag;
}

/* ---- one class by itself ---- */

static bool begins_with(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Of arrays that the collector puts where memory was cut off, and of primitives. */
static bool is_leaf_array(const char *signature) {
    return (signature[1] != 'L' && signature[1] != '[') ||
           begins_with(signature, "[Ljdk/internal/vm/Filler");
}

static void read_signature(struct finder *finder, uint32_t number, jclass class) {
    const struct hs_vm_env *vm = finder->vm;
    struct hs_class_facts *facts = &finder->found->facts[number];
    char *signature;
    char name[HS_SIGNATURE_MAX];
    if ((*vm->jvmti)->GetClassSignature(vm->jvmti, class, &signature, NULL) != JVMTI_ERROR_NONE) {
        finder->has_failed = true;
        return;
    }
    if (signature[0] == '[') {
        facts->bits |= is_leaf_array(signature) ? HS_CLASS_LEAF : 0;
    } else {
        size_t bytes = hs_signature_to_name(signature, name);
        facts->bits |= hs_vm_is_own(finder->access, name, bytes) ? HS_CLASS_OWN : 0;
        finder->states[number] |= IS_PLAIN;
    }
    (void)(*vm->jvmti)->Deallocate(vm->jvmti, (unsigned char *)signature);
}

static void read_loader(struct finder *finder, uint32_t number, jclass class) {
    const struct hs_vm_env *vm = finder->vm;
    JNIEnv *jni = vm->jni;
    jobject loader;
    if ((*vm->jvmti)->GetClassLoader(vm->jvmti, class, &loader) != JVMTI_ERROR_NONE) {
        return;
    }
    uint32_t bits = 0;
    if (loader == NULL || (finder->loaders[PLATFORM] != NULL &&
                           (*jni)->IsSameObject(jni, loader, finder->loaders[PLATFORM]))) {
        bits = HS_CLASS_JDK | HS_CLASS_STAYS;
    } else if (finder->loaders[APPLICATION] != NULL &&
               (*jni)->IsSameObject(jni, loader, finder->loaders[APPLICATION])) {
        bits = HS_CLASS_STAYS;
    }
    finder->found->facts[number].bits |= (uint16_t)bits;
    (*jni)->DeleteLocalRef(jni, loader);
}

static void read_class(struct finder *finder, uint32_t number, jclass class) {
    JNIEnv *jni = finder->vm->jni;
    read_signature(finder, number, class);
    read_loader(finder, number, class);
    if ((finder->states[number] & IS_PLAIN) != 0) {
        jclass super = (*jni)->GetSuperclass(jni, class); /* of an interface: none */
        finder->supers[number] = number_of(finder, super);
        (*jni)->DeleteLocalRef(jni, super);
    }
}

/* ---- what superclasses give ---- */

enum {
    INHERITED = HS_CLASS_SOFT | HS_CLASS_WEAK | HS_CLASS_FINAL | HS_CLASS_THREAD | HS_CLASS_LOADER
};

static uint32_t bits_by_name(const struct finder *finder, uint32_t number, uint32_t inherited) {
    const uint32_t *named = finder->named;
    uint32_t references = HS_CLASS_SOFT | HS_CLASS_WEAK | HS_CLASS_FINAL;
    if (number == named[NAMED_REFERENCE]) {
        return inherited | HS_CLASS_WEAK;
    }
    if (number == named[NAMED_SOFT] || number == named[NAMED_FINAL]) {
        return (inherited & ~references) |
               (number == named[NAMED_SOFT] ? HS_CLASS_SOFT : HS_CLASS_FINAL);
    }
    inherited |= number == named[NAMED_THREAD] ? HS_CLASS_THREAD : 0;
    inherited |=
        number == named[NAMED_LOADER] || number == named[NAMED_CLASS] ? HS_CLASS_LOADER : 0;
    return inherited;
}

/* A field's number in instances of the class; none, which no field has, where that is not known. */
static uint16_t field_number(const struct finder *finder, uint32_t number, uint32_t place) {
    jint at = hs_vm_field_number(finder->vm, finder->found->classes[number - 1], place);
    return at < 0 || at > HS_NO_FIELD ? HS_NO_FIELD : (uint16_t)at;
}

static void number_fields(const struct finder *finder, uint32_t number) {
    struct hs_class_facts *facts = &finder->found->facts[number];
    if ((facts->bits & (HS_CLASS_SOFT | HS_CLASS_WEAK | HS_CLASS_FINAL)) != 0) {
        facts->referent = field_number(finder, number, finder->referent);
    }
    for (int i = 0; i < 2 && (facts->bits & HS_CLASS_THREAD) != 0; i++) {
        facts->locals[i] =
            finder->has_locals[i] ? field_number(finder, number, finder->locals[i]) : HS_NO_FIELD;
    }
}

/* The superclass is settled, or there is none. */
static void settle_one(struct finder *finder, uint32_t number) {
    struct hs_class_facts *all = finder->found->facts;
    struct hs_class_facts *facts = &all[number];
    uint32_t super = finder->supers[number];
    finder->states[number] |= IS_SETTLED;
    if ((finder->states[number] & IS_PLAIN) == 0) {
        return;
    }
    facts->bits |= (uint16_t)bits_by_name(finder, number, all[super].bits & INHERITED);
    number_fields(finder, number);
    bool is_so_far = super == 0 || (finder->states[super] & LEADS_NOWHERE) != 0;
    bool leads_nowhere =
        is_so_far && !hs_vm_declares_reference(finder->vm, finder->found->classes[number - 1]);
    finder->states[number] |= leads_nowhere ? LEADS_NOWHERE : 0;
    if (number == finder->named[NAMED_STRING]) {
        facts->bits |= HS_CLASS_TEXT;
    } else if (number == finder->named[NAMED_GROUP] ||
               (leads_nowhere && (facts->bits & HS_CLASS_STAYS) != 0)) {
        /* Others may be the only ones that keep class and loader. Up to JDK 18 a group knows its threads: each thread that
         * a static field holds would lead to all others. */
        facts->bits |= HS_CLASS_LEAF;
    }
}

/* From the top of the superclasses down. */
static void settle(struct finder *finder, uint32_t number) {
    uint32_t chain[MOST_LEVELS];
    uint32_t count = 0;
    while (number != 0 && count < MOST_LEVELS && (finder->states[number] & IS_SETTLED) == 0) {
        chain[count++] = number;
        number = finder->supers[number];
    }
    while (count > 0) {
        settle_one(finder, chain[--count]);
    }
}

/* ---- all ---- */

static void expect_locals(JNIEnv *jni, jint count) {
    (void)(*jni)->EnsureLocalCapacity(jni, count + SOME_REFS); /* what -Xcheck:jni expects */
    (*jni)->ExceptionClear(jni);
}

static enum hs_status number_classes(const struct finder *finder) {
    const struct hs_vm_env *vm = finder->vm;
    struct hs_vm_facts *found = finder->found;
    jint count;
    if ((*vm->jvmti)->GetLoadedClasses(vm->jvmti, &count, &found->classes) != JVMTI_ERROR_NONE) {
        found->classes = NULL;
        return HS_JVMTI;
    }
    expect_locals(vm->jni, count);
    for (jint i = 0; i < count; i++) {
        jvmtiError error = (*vm->jvmti)->SetTag(vm->jvmti, found->classes[i], (jlong)i + 1);
        if (error != JVMTI_ERROR_NONE) {
            return error == JVMTI_ERROR_OUT_OF_MEMORY ? HS_NO_MEMORY : HS_JVMTI;
        }
    }
    found->count = (uint32_t)count;
    found->facts = hs_mem_new_array((size_t)count + 1, sizeof *found->facts);
    return found->facts == NULL ? HS_NO_MEMORY : HS_OK;
}

/* Before there are many local references: it may allocate, and an event of that would come with too many for
 * -Xcheck:jni. Without one of them no answer would be right. */
static enum hs_status find_named(struct finder *finder) {
    JNIEnv *jni = finder->vm->jni;
    bool is_complete = true;
    for (int i = 0; i < NAMED_COUNT; i++) {
        finder->named_classes[i] = (*jni)->FindClass(jni, NAMES[i]);
        (*jni)->ExceptionClear(jni);
        is_complete = is_complete && finder->named_classes[i] != NULL;
    }
    return is_complete ? HS_OK : HS_UNSUPPORTED;
}

static enum hs_status number_named(struct finder *finder) {
    const struct hs_vm_env *vm = finder->vm;
    jclass threads = finder->named_classes[NAMED_THREAD];
    bool is_complete = hs_vm_field_place(vm, finder->named_classes[NAMED_REFERENCE], "referent",
                                         &finder->referent);
    for (int i = 0; i < NAMED_COUNT; i++) {
        finder->named[i] = number_of(finder, finder->named_classes[i]);
        is_complete = is_complete && (finder->named[i] != 0 || i == NAMED_GROUP);
    }
    finder->has_locals[0] = hs_vm_field_place(vm, threads, "threadLocals", &finder->locals[0]);
    finder->has_locals[1] =
        hs_vm_field_place(vm, threads, "inheritableThreadLocals", &finder->locals[1]);
    return is_complete ? HS_OK : HS_UNSUPPORTED;
}

static enum hs_status read_all(struct finder *finder) {
    size_t places = (size_t)finder->found->count + 1;
    finder->supers = hs_mem_new_array(places, sizeof *finder->supers);
    finder->states = hs_mem_new_array(places, sizeof *finder->states);
    enum hs_status status =
        finder->supers == NULL || finder->states == NULL ? HS_NO_MEMORY : number_named(finder);
    for (uint32_t number = 1; number < places && status == HS_OK; number++) {
        read_class(finder, number, finder->found->classes[number - 1]);
        status = finder->has_failed ? HS_JVMTI : HS_OK;
    }
    for (uint32_t number = 1; number < places && status == HS_OK; number++) {
        settle(finder, number);
    }
    hs_mem_free(finder->supers, finder->supers == NULL ? 0 : places * sizeof *finder->supers);
    hs_mem_free(finder->states, finder->states == NULL ? 0 : places * sizeof *finder->states);
    return status;
}

enum hs_status hs_vm_facts_find(const struct hs_vm_env *vm, const struct hs_vm_access *access,
                                const jobject loaders[2], struct hs_vm_facts *facts) {
    struct finder finder = {.vm = vm, .access = access, .loaders = loaders, .found = facts};
    *facts = (struct hs_vm_facts){0};
    enum hs_status status = find_named(&finder);
    status = status == HS_OK ? number_classes(&finder) : status;
    status = status == HS_OK ? read_all(&finder) : status;
    for (int i = 0; i < NAMED_COUNT; i++) {
        (*vm->jni)->DeleteLocalRef(vm->jni, finder.named_classes[i]);
    }
    return status;
}

void hs_vm_facts_free(const struct hs_vm_env *vm, struct hs_vm_facts *facts) {
    if (facts->classes != NULL) {
        (void)(*vm->jvmti)->Deallocate(vm->jvmti, (unsigned char *)facts->classes);
    }
    hs_mem_free(facts->facts,
                facts->facts == NULL ? 0 : ((size_t)facts->count + 1) * sizeof *facts->facts);
    *facts = (struct hs_vm_facts){0};
}
