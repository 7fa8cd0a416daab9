/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A method is asked about while it is on the running stack, which pins its class. What the VM says counts
 * only when the method's key is the same before and after: then it was said of that version. */
#include "hs_vm_methods.h"

#include <string.h>

#include "hs_version.h"

uintptr_t hs_vm_method(const struct hs_vm_access *vm, jmethodID method) {
    bool has_cell = vm->feature != 0 && vm->feature <= HS_LAST_JDK_WITH_METHOD_CELLS;
    return has_cell ? hs_version_method((uintptr_t)method) : 0;
}

/* False where what is known of the method must not be kept: its version cannot be told from others. Where no
 * version can, the VM does not say how it describes methods: then the epoch stands for it. */
static bool key_of(const struct hs_vm_access *vm, jmethodID id, struct hs_method_key *key) {
    const struct hs_layout *layout = hs_lookup_methods(vm->lookup);
    key->id = (uintptr_t)id;
    key->method = hs_vm_method(vm, id);
    key->stamp = vm->epoch;
    if (layout == NULL || key->method == 0) {
        return true;
    }
    return hs_version_sign(layout, key->id, key->method, &key->stamp);
}

/* Numbers a part of what a frame says. */
static enum hs_status name_part(struct hs_store *store, const char *text, uint32_t *number) {
    return hs_names_put_within(store->names, hs_vm_names_of_frames(store), text, strlen(text),
                               number);
}

/* A class without a file has 0. */
static enum hs_status name_file(const struct hs_vm_access *vm, struct hs_store *store, jclass class,
                                struct hs_method *method) {
    char *file;
    jvmtiError error = (*vm->jvmti)->GetSourceFileName(vm->jvmti, class, &file);
    if (error == JVMTI_ERROR_ABSENT_INFORMATION) {
        return HS_OK;
    }
    if (error != JVMTI_ERROR_NONE) {
        return HS_NO_STACK;
    }
    enum hs_status status = name_part(store, file, &method->file);
    hs_vm_give_back(vm, file);
    return status;
}

static enum hs_status name_method(const struct hs_vm_access *vm, struct hs_store *store,
                                  jmethodID id, struct hs_method *method) {
    char *name;
    char *descriptor;
    if ((*vm->jvmti)->GetMethodName(vm->jvmti, id, &name, &descriptor, NULL) != JVMTI_ERROR_NONE) {
        return HS_NO_STACK;
    }
    enum hs_status status = name_part(store, name, &method->name);
    if (status == HS_OK) {
        status = name_part(store, descriptor, &method->descriptor);
    }
    hs_vm_give_back(vm, name);
    hs_vm_give_back(vm, descriptor);
    return status;
}

/* What a line number table says. */
struct line_table {
    struct hs_lines lines;
    int32_t line;   /* of the frame at hand; -1: unknown */
    uint16_t first; /* the least of all but 0, which compilers give to code of their own; 0: none */
};

static void add_entry(struct line_table *table, const jvmtiLineNumberEntry *entry, jlocation bci,
                      jlocation *best) {
    hs_lines_add(&table->lines, entry->start_location, entry->line_number);
    if (entry->start_location <= bci && entry->start_location > *best) {
        *best = entry->start_location;
        table->line = entry->line_number;
    }
    if (entry->line_number > 0 && (table->first == 0 || entry->line_number < table->first)) {
        table->first = (uint16_t)entry->line_number;
    }
}

/* Asks for the lines of the frame's method. A native one has none, nor has one that was compiled without. */
static enum hs_status read_lines(const struct hs_vm_access *vm, const jvmtiFrameInfo *info,
                                 struct line_table *table) {
    jint count;
    jvmtiLineNumberEntry *entries;
    jlocation best = -1;
    *table = (struct line_table){.line = -1};
    if (info->location < 0) {
        return HS_OK;
    }
    jvmtiError error = (*vm->jvmti)->GetLineNumberTable(vm->jvmti, info->method, &count, &entries);
    if (error != JVMTI_ERROR_NONE) {
        return error == JVMTI_ERROR_ABSENT_INFORMATION ? HS_OK : HS_NO_STACK;
    }
    for (jint i = 0; i < count; i++) {
        add_entry(table, &entries[i], info->location, &best);
    }
    hs_vm_give_back(vm, entries);
    return HS_OK;
}

/* Everything but the lines and the raw name of the class, which names->raw is. */
static enum hs_status name_all(const struct hs_vm_access *vm, struct hs_store *store, jmethodID id,
                               struct hs_method *method, struct hs_vm_class_names *names) {
    jclass class;
    memset(method, 0, sizeof *method);
    if ((*vm->jvmti)->GetMethodDeclaringClass(vm->jvmti, id, &class) != JVMTI_ERROR_NONE) {
        return HS_NO_STACK;
    }
    enum hs_status status = hs_vm_name_class(vm, store, class, hs_vm_names_of_frames(store), names);
    if (status == HS_OK) {
        status = name_method(vm, store, id, method);
    }
    if (status == HS_OK) {
        status = name_file(vm, store, class, method);
    }
    if (status == HS_OK) {
        method->class_name = names->name;
        method->flags = names->flags;
    }
    (*vm->jni)->DeleteLocalRef(vm->jni, class);
    return status;
}

/* Is the method still what it was, as far as its key says? Otherwise somebody has redefined it, and whose line
 * is it? */
static bool is_still(const struct hs_vm_access *vm, jmethodID id, bool is_kept,
                     const struct hs_method_key *key) {
    struct hs_method_key now;
    bool is_readable = key_of(vm, id, &now);
    return now.method == key->method && (!is_kept || (is_readable && now.stamp == key->stamp));
}

/* Asks the VM for all that is not known: the method, if `is_known` is false, and the line. */
static enum hs_status ask(const struct hs_vm_access *vm, struct hs_store *store,
                          const jvmtiFrameInfo *info, bool is_known, struct hs_method *method,
                          struct hs_vm_class_names *names, int32_t *line) {
    struct line_table table;
    enum hs_status status = is_known ? HS_OK : name_all(vm, store, info->method, method, names);
    if (status == HS_OK) {
        status = read_lines(vm, info, &table);
    }
    if (status != HS_OK) {
        return status;
    }
    *line = table.line;
    if (is_known) {
        return table.lines.bytes == 0 ? HS_NO_STACK : HS_OK; /* it had too many, so it has some */
    }
    method->lines = table.lines;
    method->flags |= (uint32_t)table.first << HS_FRAME_FIRST_LINE_SHIFT;
    return HS_OK;
}

static enum hs_status intern(struct hs_store *store, const jvmtiFrameInfo *info,
                             const struct hs_method *method, int32_t line, uint32_t *id) {
    struct hs_frame frame = {
        .class_name = method->class_name,
        .method = method->name,
        .descriptor = method->descriptor,
        .file = method->file,
        .line = line,
        .flags = method->flags | (info->location < 0 ? HS_FRAME_NATIVE : 0),
    };
    return hs_frames_put(store->frames, &frame, method->raw_class, id);
}

/* A frame keeps the raw name of the first class that it was met in, and so does the method. No room for it is no
 * loss worth the sample. */
static uint32_t keep_raw_name(struct hs_store *store, uint32_t frame,
                              const struct hs_vm_text *raw) {
    uint32_t number = hs_frames_raw_class(store->frames, frame);
    if (number == 0 && hs_names_put_within(store->names, hs_vm_names_of_frames(store), raw->text,
                                           raw->bytes, &number) == HS_OK) {
        hs_frames_set_raw_class(store->frames, frame, number);
    }
    return number;
}

enum hs_status hs_vm_frame(const struct hs_vm_access *vm, struct hs_store *store,
                           const jvmtiFrameInfo *info, bool anew, uint32_t *id) {
    struct hs_method_key key;
    struct hs_method method;
    struct hs_vm_class_names names;
    names.raw.text[0] = names.normalised.text[0] = 0;
    int32_t line = -1;
    bool is_kept = key_of(vm, info->method, &key);
    bool is_known = is_kept && !anew && hs_methods_find(store->methods, &key, &method);
    if (!is_known || !hs_lines_find(&method.lines, info->location, &line)) {
        enum hs_status status = ask(vm, store, info, is_known, &method, &names, &line);
        if (status == HS_OK && !is_still(vm, info->method, is_kept, &key)) {
            status = HS_NO_STACK;
        }
        if (status != HS_OK) {
            return status;
        }
    }
    enum hs_status status = intern(store, info, &method, line, id);
    if (status == HS_OK && !is_known) {
        method.raw_class = keep_raw_name(store, *id, &names.raw);
    }
    if (is_kept && !is_known) {
        hs_methods_put(store->methods, &key, &method);
    }
    return status;
}
