/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Targets are written to a buffer of their own, while the names that they need are collected in another one; then the head, the
 * names and the targets follow each other. */
#include "hs_vm_held.h"

#include <string.h>

#include "hs_hash.h"
#include "hs_mem.h"

enum { VERSION = 1, FIELD_PLACES = 4096, FLAG_DOMINATORS = 1, FLAG_MOMENTS = 2, FIGURES = 7 };
#define WATCHED (UINT32_C(1) << 31)

/* Names of a field: that of the class that declares it, and its own. */
struct field_names {
    uint64_t key; /* class << 32 | number; 0: none */
    uint32_t class_name;
    uint32_t name;
};

struct writer {
    struct hs_vm_holders *self;
    struct hs_vm_env vm;
    struct hs_buffer names;
    struct hs_buffer targets;
    uint32_t name_count;
    uint32_t *class_names; /* by class number; 0: not named yet */
    /* By hash of the key. One displaces another, which is found again when it is needed. */
    struct field_names fields[FIELD_PLACES];
};

static uint32_t add_name(struct writer *writer, const char *text, size_t bytes) {
    if (bytes == 0) {
        return 0;
    }
    hs_buffer_u32(&writer->names, (uint32_t)bytes);
    hs_buffer_bytes(&writer->names, text, bytes);
    return writer->name_count++;
}

static void give_back(const struct writer *writer, void *memory) {
    (void)(*writer->vm.jvmti)->Deallocate(writer->vm.jvmti, memory);
}

static uint32_t name_class(struct writer *writer, jclass class) {
    char *signature;
    char raw[HS_SIGNATURE_MAX];
    char name[HS_SIGNATURE_MAX];
    bool is_hidden;
    if ((*writer->vm.jvmti)->GetClassSignature(writer->vm.jvmti, class, &signature, NULL) !=
        JVMTI_ERROR_NONE) {
        return 0;
    }
    size_t bytes = hs_signature_to_name(signature, raw);
    give_back(writer, signature);
    return add_name(writer, name, hs_signature_normalise(raw, bytes, name, &is_hidden));
}

/* The number comes from a path, so perhaps from a child: it may be any. */
static uint32_t name_number(struct writer *writer, uint32_t number) {
    const struct hs_vm_facts *facts = &writer->self->facts;
    if (number == 0 || number > facts->count) {
        return 0;
    }
    if (writer->class_names[number] == 0) {
        writer->class_names[number] = name_class(writer, facts->classes[number - 1]);
    }
    return writer->class_names[number];
}

static struct field_names find_field(struct writer *writer, uint32_t class_number,
                                     uint32_t number) {
    struct field_names found = {.key = (uint64_t)class_number << 32 | number};
    jclass declaring;
    char *name;
    if (hs_vm_field_at(&writer->vm, writer->self->facts.classes[class_number - 1], number,
                       &declaring, &name)) {
        found.class_name = name_class(writer, declaring);
        found.name = add_name(writer, name, strlen(name));
        give_back(writer, name);
        (*writer->vm.jni)->DeleteLocalRef(writer->vm.jni, declaring);
    }
    return found;
}

static struct field_names name_field(struct writer *writer, uint32_t class_number,
                                     uint32_t number) {
    if (class_number == 0 || class_number > writer->self->facts.count) {
        return (struct field_names){0};
    }
    uint64_t key = (uint64_t)class_number << 32 | number;
    struct field_names *place =
        &writer->fields[hs_hash_word(HS_HASH_BEGIN, key) >> 32 & (FIELD_PLACES - 1)];
    if (place->key != key) {
        *place = find_field(writer, class_number, number);
    }
    return *place;
}

/* ---- roots ---- */

struct root_names {
    uint32_t class_name;
    uint32_t name;
    uint32_t slot;
};

static struct root_names name_method(struct writer *writer, const struct hs_root *root) {
    jvmtiEnv *jvmti = writer->vm.jvmti;
    struct root_names names = {.slot = (uint32_t)root->slot};
    jmethodID method = (jmethodID)(uintptr_t)root->method;
    jclass class;
    char *name;
    bool is_known = !writer->self->is_forked || hs_vm_known_has(&writer->self->known, method);
    if (method == NULL || !is_known ||
        (*jvmti)->GetMethodDeclaringClass(jvmti, method, &class) != JVMTI_ERROR_NONE) {
        return names;
    }
    names.class_name = name_class(writer, class);
    (*writer->vm.jni)->DeleteLocalRef(writer->vm.jni, class);
    if ((*jvmti)->GetMethodName(jvmti, method, &name, NULL, NULL) == JVMTI_ERROR_NONE) {
        names.name = add_name(writer, name, strlen(name));
        give_back(writer, name);
    }
    return names;
}

static struct root_names name_root(struct writer *writer, const struct hs_path *path) {
    if (path->root.kind == HS_ROOT_STATIC_FIELD && path->step_count > 0) {
        struct field_names field =
            name_field(writer, path->steps[0].from_class, path->steps[0].index);
        return (struct root_names){field.class_name, field.name, 0};
    }
    bool is_local = path->root.kind == HS_ROOT_LOCAL || path->root.kind == HS_ROOT_JNI_LOCAL;
    return is_local ? name_method(writer, &path->root) : (struct root_names){0};
}

/* ---- targets ---- */

static void write_step(struct writer *writer, const struct hs_path_step *step) {
    struct field_names names = {0};
    uint32_t kind = (uint32_t)step->kind;
    if (step->kind == HS_EDGE_OTHER) {
        kind = HS_EDGE_FIELD; /* of java.lang.Class, which the class refers by: hs_vm_mirrors.h */
        names = name_field(writer, writer->self->mirrors.class_number, step->index);
    }
    if (step->kind == HS_EDGE_FIELD || step->kind == HS_EDGE_STATIC_FIELD) {
        names = name_field(writer, step->from_class, step->index);
    }
    if (names.class_name == 0) {
        names.class_name = name_number(writer, step->from_class);
    }
    hs_buffer_u32(&writer->targets, kind | (uint32_t)step->flags << 8);
    hs_buffer_u32(&writer->targets, names.class_name);
    hs_buffer_u32(&writer->targets, names.name);
    hs_buffer_u32(&writer->targets, name_number(writer, step->to_class));
}

static void write_target(struct writer *writer, uint32_t place, const struct hs_path *path) {
    bool is_held = path->outcome == HS_HELD;
    uint32_t root = is_held ? (uint32_t)path->root.kind : 0;
    uint32_t steps = is_held ? path->step_count : 0;
    hs_buffer_u32(&writer->targets, place);
    hs_buffer_u32(&writer->targets, (uint32_t)path->outcome | root << 8 | steps << 16);
    if (!is_held) {
        return;
    }
    struct root_names names = name_root(writer, path);
    hs_buffer_u32(&writer->targets, names.class_name);
    hs_buffer_u32(&writer->targets, names.name);
    hs_buffer_u32(&writer->targets, names.slot);
    hs_buffer_u64(&writer->targets, (uint64_t)path->root.thread);
    for (uint32_t i = 0; i < steps; i++) {
        write_step(writer, &path->steps[i]);
    }
}

static uint32_t write_targets(struct writer *writer, struct hs_holders *holders,
                              const uint32_t *indexes) {
    uint32_t keys = writer->self->question->key_count;
    /* Passes take time, and see what is held at different moments. */
    bool may_die = hs_holders_figures(holders)->way == HS_WAY_PASSES;
    uint32_t i = 0;
    for (struct hs_path path; hs_holders_next(holders, &path); i++) {
        if ((path.outcome != HS_HELD || may_die) && hs_vm_holders_is_gone(writer->self, i)) {
            path.outcome = HS_UNRESOLVED_DIED;
        }
        write_target(writer, i < keys ? indexes[i] : WATCHED + (i - keys), &path);
    }
    return i;
}

/* ---- the block ---- */

static void write_head(const struct hs_holders_figures *figures, struct hs_buffer *buffer) {
    const int64_t values[FIGURES] = {
        figures->longest_pause_us, figures->pauses_us,      figures->time_us,       figures->cpu_us,
        (int64_t)figures->bytes,   (int64_t)figures->nodes, (int64_t)figures->edges};
    hs_buffer_bytes(buffer, "HHLD", 4);
    hs_buffer_u32(buffer, VERSION);
    hs_buffer_u32(buffer, (uint32_t)figures->way);
    hs_buffer_u32(buffer, (figures->has_dominators ? FLAG_DOMINATORS : 0) |
                              (figures->way == HS_WAY_PASSES ? FLAG_MOMENTS : 0));
    for (int i = 0; i < FIGURES; i++) {
        hs_buffer_u64(buffer, (uint64_t)values[i]);
    }
    hs_buffer_u32(buffer, (uint32_t)strlen(figures->reason));
    hs_buffer_bytes(buffer, figures->reason, strlen(figures->reason));
    hs_buffer_u32(buffer, (uint32_t)strlen(figures->failure));
    hs_buffer_bytes(buffer, figures->failure, strlen(figures->failure));
}

static enum hs_status assemble(struct writer *writer, const struct hs_holders_figures *figures,
                               uint32_t target_count, struct hs_buffer *buffer) {
    struct hs_buffer head = {0};
    write_head(figures, &head);
    hs_buffer_u32(&head, writer->name_count);
    hs_buffer_u32(&head, 0); /* the empty name */
    bool has_failed = head.has_failed || writer->names.has_failed || writer->targets.has_failed;
    if (!has_failed) {
        hs_buffer_expect(buffer, head.length + writer->names.length + sizeof(uint32_t) +
                                     writer->targets.length);
        hs_buffer_bytes(buffer, head.data, head.length);
        hs_buffer_bytes(buffer, writer->names.data, writer->names.length);
        hs_buffer_u32(buffer, target_count);
        hs_buffer_bytes(buffer, writer->targets.data, writer->targets.length);
        hs_buffer_end(buffer);
        has_failed = buffer->has_failed;
    }
    hs_buffer_free(&head);
    return has_failed ? HS_NO_MEMORY : HS_OK;
}

enum hs_status hs_vm_held_write(struct hs_vm_holders *self, struct hs_holders *holders,
                                const uint32_t *indexes, struct hs_buffer *buffer) {
    struct writer *writer = hs_mem_new(sizeof *writer);
    size_t classes = (size_t)self->facts.count + 1;
    if (writer == NULL) {
        return HS_NO_MEMORY;
    }
    enum hs_status status = HS_NO_MEMORY;
    writer->self = self;
    self->is_forked = hs_holders_figures(holders)->way == HS_WAY_CHILD;
    writer->vm = (struct hs_vm_env){self->vm.jni, self->access.jvmti};
    writer->name_count = 1;
    writer->class_names = hs_mem_new_array(classes, sizeof *writer->class_names);
    if (writer->class_names != NULL) {
        uint32_t count = write_targets(writer, holders, indexes);
        status = assemble(writer, hs_holders_figures(holders), count, buffer);
        hs_mem_free(writer->class_names, classes * sizeof *writer->class_names);
    }
    hs_buffer_free(&writer->names);
    hs_buffer_free(&writer->targets);
    hs_mem_free(writer, sizeof *writer);
    return status;
}

void hs_vm_held_set_times(struct hs_buffer *block, const struct hs_holders_figures *later) {
    enum { LONGEST_AT = 16, PAUSES_AT = 24, TIME_AT = 32 };
    hs_buffer_patch_u64(block, LONGEST_AT, (uint64_t)later->longest_pause_us);
    hs_buffer_patch_u64(block, PAUSES_AT, (uint64_t)later->pauses_us);
    hs_buffer_patch_u64(block, TIME_AT, (uint64_t)later->time_us);
}
