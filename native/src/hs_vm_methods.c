/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A method is queried while it is on the running stack, which pins its class. What the VM says counts
 * only when the method's key is the same before and after: then it was said of that version. */
#include "hs_vm_methods.h"

#include <string.h>

#include "hs_version.h"

uintptr_t hs_vm_method(const struct hs_vm_access *vm, jmethodID method) {
    bool has_cell = vm->feature != 0 && vm->feature <= HS_LAST_JDK_WITH_METHOD_CELLS;
    return has_cell ? hs_version_method((uintptr_t)method) : 0;
}

/* False where what is known of the method must not be kept: its version cannot be distinguished from others. Where no
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

/* ---- names ---- */

/* One frame, and what was found out about its method. */
struct inquiry {
    const jvmtiFrameInfo *info;
    struct hs_method_key key;
    struct hs_method_key kept; /* under which what is found is remembered */
    bool is_kept;
    bool is_known; /* the method was found there */
    bool anew;
    bool is_compared; /* names that were read are compared with the VM's answer */
    struct hs_method method;
    struct hs_vm_class_names names; /* raw.bytes 0: the class was not queried */
    uintptr_t pool;                 /* of the class; 0: unknown */
    int32_t line;
};

/* Numbers a part of what a frame says. */
static enum hs_status name_part(struct hs_store *store, const char *text, size_t bytes,
                                struct hs_name_id *number) {
    return hs_names_put_within(store->names, hs_vm_names_of_frames(store), text, bytes, number);
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
    enum hs_status status = name_part(store, file, strlen(file), &method->file);
    hs_vm_give_back(vm, file);
    return status;
}

static enum hs_status put_names(struct hs_store *store, const struct hs_version_text *name,
                                const struct hs_version_text *descriptor,
                                struct hs_method *method) {
    enum hs_status status = name_part(store, name->text, name->bytes, &method->name);
    if (status == HS_OK) {
        status = name_part(store, descriptor->text, descriptor->bytes, &method->descriptor);
    }
    return status;
}

static bool is_same_text(const struct hs_version_text *a, const struct hs_version_text *b) {
    return a->bytes == b->bytes && memcmp(a->text, b->text, a->bytes) == 0;
}

/* Asks the VM for name and descriptor; compares them with what was `read`, unless that is NULL. */
static enum hs_status ask_for_names(const struct hs_vm_access *vm, struct hs_store *store,
                                    const struct hs_version_names *read, struct inquiry *inquiry) {
    char *name;
    char *descriptor;
    if ((*vm->jvmti)->GetMethodName(vm->jvmti, inquiry->info->method, &name, &descriptor, NULL) !=
        JVMTI_ERROR_NONE) {
        return HS_NO_STACK;
    }
    struct hs_version_text texts[] = {{name, strlen(name)}, {descriptor, strlen(descriptor)}};
    if (read != NULL) {
        hs_lookup_compare_names(vm->lookup, vm->self->stripe,
                                is_same_text(&texts[0], &read->name) &&
                                    is_same_text(&texts[1], &read->descriptor));
    }
    enum hs_status status = put_names(store, &texts[0], &texts[1], &inquiry->method);
    hs_vm_give_back(vm, name);
    hs_vm_give_back(vm, descriptor);
    return status;
}

#ifdef HS_BREAKABLE
bool hs_vm_mistakes_names;
#endif

/* Reads name and descriptor where that is proved to give what the VM would answer; asks otherwise, and when the
 * VM is to be queried anew. */
static enum hs_status name_method(const struct hs_vm_access *vm, struct hs_store *store,
                                  struct inquiry *inquiry) {
    struct hs_version_names read;
    bool is_proved = false;
    const struct hs_layout *layout = hs_lookup_names(vm->lookup, &is_proved);
    const struct hs_method_key *key = &inquiry->key;
    bool is_read = layout != NULL && hs_version_read_names(layout, key->id, key->method, &read);
#ifdef HS_BREAKABLE
    if (is_read && is_proved && hs_vm_mistakes_names) {
        read.name = read.descriptor;
    }
#endif
    inquiry->pool = is_read ? read.pool : 0;
    inquiry->is_compared =
        !is_proved || inquiry->anew || hs_lookup_compares_names_of(key->method, vm->random);
    if (!is_read || inquiry->is_compared) {
        return ask_for_names(vm, store, is_read ? &read : NULL, inquiry);
    }
    return put_names(store, &read.name, &read.descriptor, &inquiry->method);
}

/* ---- lines ---- */

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

/* Requests the lines of the frame's method. A native one has none, nor has one that was compiled without. */
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

/* ---- the class ---- */

/* What is known of the class, where another method of the same version of it has asked: that method's id still leads
 * where it did, so that its class still has the same pool, and this pool no other class. */
static const struct hs_vm_owner *find_owner(const struct hs_vm_access *vm,
                                            const struct hs_vm_owners *owners, uintptr_t pool) {
    uint32_t count = owners->count < HS_VM_OWNERS ? owners->count : HS_VM_OWNERS;
    for (uint32_t i = 0; pool != 0 && i < count; i++) {
        const struct hs_vm_owner *owner = &owners->owners[i];
        if (owner->pool == pool && hs_vm_method(vm, (jmethodID)owner->id) == owner->method) {
            return owner;
        }
    }
    return NULL;
}

/* Of a class whose raw name is another one only the text is known: it is queried again. */
static void keep_owner(const struct hs_vm_access *vm, struct hs_vm_owners *owners,
                       const struct inquiry *inquiry) {
    const struct hs_vm_text *raw = &inquiry->names.raw;
    const struct hs_vm_text *normalised = &inquiry->names.normalised;
    bool is_plain = raw->bytes != 0 && raw->bytes == normalised->bytes &&
                    memcmp(raw->text, normalised->text, raw->bytes) == 0;
    if (inquiry->pool != 0 && is_plain && find_owner(vm, owners, inquiry->pool) == NULL) {
        owners->owners[owners->count++ % HS_VM_OWNERS] = (struct hs_vm_owner){
            .pool = inquiry->pool,
            .id = inquiry->key.id,
            .method = inquiry->key.method,
            .name = inquiry->method.class_name,
            .file = inquiry->method.file,
            .flags = inquiry->names.flags,
        };
    }
}

/* A file that the VM did not give is no other one. */
static bool is_same_class(const struct hs_vm_owner *owner, const struct hs_method *method) {
    return owner->name.number == method->class_name.number && owner->flags == method->flags &&
           (owner->file.number == method->file.number || owner->file.number == 0 ||
            method->file.number == 0);
}

static enum hs_status ask_for_class(const struct hs_vm_access *vm, struct hs_store *store,
                                    struct inquiry *inquiry) {
    jclass class;
    if ((*vm->jvmti)->GetMethodDeclaringClass(vm->jvmti, inquiry->info->method, &class) !=
        JVMTI_ERROR_NONE) {
        return HS_NO_STACK;
    }
    enum hs_status status =
        hs_vm_name_class(vm, store, class, hs_vm_names_of_frames(store), &inquiry->names);
    if (status == HS_OK) {
        status = name_file(vm, store, class, &inquiry->method);
    }
    if (status == HS_OK) {
        inquiry->method.class_name = inquiry->names.name;
        inquiry->method.flags = inquiry->names.flags;
    }
    (*vm->jni)->DeleteLocalRef(vm->jni, class);
    return status;
}

/* Everything but the lines and the raw name of the class, which names.raw is where it was requested. */
static enum hs_status name_all(const struct hs_vm_access *vm, struct hs_store *store,
                               const struct hs_vm_owners *owners, struct inquiry *inquiry) {
    struct hs_method *method = &inquiry->method;
    memset(method, 0, sizeof *method);
    enum hs_status status = name_method(vm, store, inquiry);
    if (status != HS_OK) {
        return status;
    }
    const struct hs_vm_owner *owner = find_owner(vm, owners, inquiry->pool);
    if (owner == NULL || inquiry->is_compared) {
        status = ask_for_class(vm, store, inquiry);
        if (status == HS_OK && owner != NULL && !is_same_class(owner, method)) {
            hs_lookup_compare_names(vm->lookup, vm->self->stripe, false);
        }
        return status;
    }
    method->class_name = owner->name;
    method->raw_class = owner->name;
    method->file = owner->file;
    method->flags = owner->flags;
    return HS_OK;
}

/* ---- all together ---- */

/* Is the method still what it was, as far as its key says? Otherwise it was redefined, and whose line
 * is it? */
static bool is_still(const struct hs_vm_access *vm, const struct inquiry *inquiry) {
    struct hs_method_key now;
    bool is_readable = key_of(vm, inquiry->info->method, &now);
    return now.method == inquiry->key.method &&
           (!inquiry->is_kept || (is_readable && now.stamp == inquiry->key.stamp));
}

/* Finds out all that is not known: the method, and the line. */
static enum hs_status ask(const struct hs_vm_access *vm, struct hs_store *store,
                          const struct hs_vm_owners *owners, struct inquiry *inquiry) {
    struct line_table table;
    enum hs_status status = inquiry->is_known ? HS_OK : name_all(vm, store, owners, inquiry);
    if (status == HS_OK) {
        status = read_lines(vm, inquiry->info, &table);
    }
    if (status != HS_OK) {
        return status;
    }
    inquiry->line = table.line;
    if (!inquiry->is_known) {
        inquiry->method.lines = table.lines;
        inquiry->method.flags |= (uint32_t)table.first << HS_FRAME_FIRST_LINE_SHIFT;
    } else if (table.lines.bytes == 0) {
        return HS_NO_STACK; /* it had too many, so it has some */
    }
    return is_still(vm, inquiry) ? HS_OK : HS_NO_STACK;
}

static enum hs_status intern(struct hs_store *store, const struct inquiry *inquiry,
                             struct hs_frame_id *id) {
    const struct hs_method *method = &inquiry->method;
    struct hs_frame frame = {
        .class_name = method->class_name,
        .method = method->name,
        .descriptor = method->descriptor,
        .file = method->file,
        .line = inquiry->line,
        .flags = method->flags | (inquiry->info->location < 0 ? HS_FRAME_NATIVE : 0),
    };
    return hs_frames_put(store->frames, &frame, method->raw_class, id);
}

/* A frame keeps the raw name of the first class that it was met in, and so does the method. No room for it is no
 * loss worth the sample. */
static struct hs_name_id keep_raw_name(struct hs_store *store, struct hs_frame_id frame,
                                       const struct inquiry *inquiry) {
    const struct hs_vm_text *raw = &inquiry->names.raw;
    struct hs_name_id name = hs_frames_raw_class(store->frames, frame);
    if (name.number == 0) {
        name = inquiry->method.raw_class;
        if (name.number != 0 || name_part(store, raw->text, raw->bytes, &name) == HS_OK) {
            hs_frames_set_raw_class(store->frames, frame, name);
        }
    }
    return name;
}

enum hs_status hs_vm_frame(const struct hs_vm_access *vm, struct hs_store *store,
                           struct hs_vm_owners *owners, const jvmtiFrameInfo *info, bool anew,
                           struct hs_vm_numbered *numbered) {
    struct inquiry inquiry; /* without an initialiser: it has room for long names */
    inquiry.info = info;
    inquiry.anew = anew;
    inquiry.names.raw.bytes = inquiry.names.normalised.bytes = 0;
    inquiry.pool = 0;
    inquiry.is_compared = false;
    inquiry.line = -1;
    numbered->frame.number = 0;
    inquiry.is_kept = key_of(vm, info->method, &inquiry.key);
    inquiry.kept = inquiry.key;
    inquiry.kept.stamp += hs_lookup_names_era(vm->lookup); /* before any name is read */
    inquiry.is_known =
        inquiry.is_kept && !anew &&
        hs_methods_find(store->methods, store->tables, &inquiry.kept, &inquiry.method);
    if (!inquiry.is_known || !hs_lines_find(&inquiry.method.lines, info->location, &inquiry.line)) {
        enum hs_status status = ask(vm, store, owners, &inquiry);
        if (status != HS_OK) {
            return status;
        }
    }
    numbered->method = inquiry.is_kept ? inquiry.key.method : 0;
    numbered->signature = inquiry.key.stamp;
    enum hs_status status = intern(store, &inquiry, &numbered->frame);
    if (inquiry.is_known) {
        return status;
    }
    if (status == HS_OK) {
        keep_owner(vm, owners, &inquiry);
        inquiry.method.raw_class = keep_raw_name(store, numbered->frame, &inquiry);
    }
    if (inquiry.is_kept) {
        hs_methods_put(store->methods, store->tables, &inquiry.kept, &inquiry.method);
    }
    return status;
}

bool hs_vm_is_current(const struct hs_vm_access *vm, jmethodID method,
                      const struct hs_vm_numbered *numbered) {
    struct hs_method_key now;
    return key_of(vm, method, &now) && now.method == numbered->method &&
           now.stamp == numbered->signature;
}

void hs_vm_expect_frame(const struct hs_vm_access *vm, const struct hs_store *store,
                        jmethodID method) {
    struct hs_version_names names;
    bool is_proved = false;
    const struct hs_layout *layout = hs_lookup_names(vm->lookup, &is_proved);
    uintptr_t id = (uintptr_t)method;
    hs_methods_prefetch(store->methods, id);
    if (layout != NULL && hs_version_read_names(layout, id, hs_vm_method(vm, method), &names)) {
        hs_names_prefetch(store->names, names.name.text, names.name.bytes);
    }
}
