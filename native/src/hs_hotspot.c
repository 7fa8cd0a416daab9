/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_hotspot.h"

#include <dlfcn.h>
#include <string.h>

/* No structure that we read is larger. */
enum { MAX_OFFSET = 64 * 1024 };
/* No thread-local buffer is as large; in bytes. */
enum { MAX_BUFFER = 1 << 30 };
enum { MIN_LOG2_SEGMENT = 5, MAX_LOG2_SEGMENT = 16 };

/* The width of a row is exported beside the table; ours must be the same. */
static bool has_stride(void *library, const char *symbol, uint64_t bytes) {
    const uint64_t *stride = dlsym(library, symbol);
    return stride != NULL && *stride == bytes;
}

const char *hs_hotspot_find(const void *inside_libjvm, struct hs_vm_tables *tables) {
    Dl_info info;
    if (dladdr(inside_libjvm, &info) == 0 || info.dli_fname == NULL) {
        return "libjvm was not found";
    }
    void *library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library == NULL) {
        return "libjvm cannot be opened again";
    }
    const char *reason = NULL;
    const struct hs_vm_field *const *fields = dlsym(library, "gHotSpotVMStructs");
    const struct hs_vm_type *const *types = dlsym(library, "gHotSpotVMTypes");
    if (fields == NULL || types == NULL || *fields == NULL || *types == NULL) {
        reason = "this VM does not export its structures";
    } else if (!has_stride(library, "gHotSpotVMStructEntryArrayStride", sizeof **fields) ||
               !has_stride(library, "gHotSpotVMTypeEntryArrayStride", sizeof **types)) {
        reason = "this VM exports its structures in an unknown form";
    } else {
        tables->fields = *fields;
        tables->types = *types;
    }
    (void)dlclose(library); /* the VM itself keeps it */
    return reason;
}

/* ---- the tables ---- */

const struct hs_vm_field *hs_hotspot_field(const struct hs_vm_tables *tables, const char *type,
                                           const char *name) {
    for (const struct hs_vm_field *field = tables->fields; field->type != NULL; field++) {
        if (strcmp(field->type, type) == 0 && field->field != NULL &&
            strcmp(field->field, name) == 0) {
            return field;
        }
    }
    return NULL;
}

uint64_t hs_hotspot_size(const struct hs_vm_tables *tables, const char *name) {
    for (const struct hs_vm_type *type = tables->types; type->type != NULL; type++) {
        if (strcmp(type->type, name) == 0) {
            return type->size;
        }
    }
    return 0;
}

/* Reads offsets one after the other; remembers the first that was missing or odd. */
struct reader {
    const struct hs_vm_tables *tables;
    const char *reason;
};

/* Where the tables give no size (they do not for a pointer), the type says nothing. */
static bool is_narrower(const struct hs_vm_tables *tables, const struct hs_vm_field *field,
                        uint32_t bytes) {
    uint64_t size = field->field_type == NULL ? 0 : hs_hotspot_size(tables, field->field_type);
    return size != 0 && size < bytes;
}

/* The offset of a field from which `bytes` are read at once; UINT32_MAX when there is none. */
static uint32_t optional(const struct hs_vm_tables *tables, const char *type, const char *name,
                         uint32_t bytes) {
    const struct hs_vm_field *field = hs_hotspot_field(tables, type, name);
    bool is_plausible = field != NULL && !field->is_static && field->offset < MAX_OFFSET &&
                        field->offset % bytes == 0 && !is_narrower(tables, field, bytes);
    return is_plausible ? (uint32_t)field->offset : UINT32_MAX;
}

static uint32_t offset(struct reader *reader, const char *type, const char *name, uint32_t bytes,
                       const char *reason) {
    uint32_t found = optional(reader->tables, type, name, bytes);
    if (found == UINT32_MAX && reader->reason == NULL) {
        reader->reason = reason;
    }
    return found;
}

static const void *static_address(struct reader *reader, const char *type, const char *name,
                                  const char *reason) {
    const struct hs_vm_field *field = hs_hotspot_field(reader->tables, type, name);
    if (field != NULL && field->is_static && field->address != NULL) {
        return field->address;
    }
    if (reader->reason == NULL) {
        reader->reason = reason;
    }
    return NULL;
}

static uintptr_t word_at(uintptr_t address) {
    uintptr_t word;
    memcpy(&word, (const void *)address, sizeof word);
    return word;
}

static int32_t int_at(uintptr_t address) {
    int32_t value;
    memcpy(&value, (const void *)address, sizeof value);
    return value;
}

/* ---- the parts ---- */

enum { WORD = sizeof(uintptr_t), INT = sizeof(int32_t) };

static void read_thread(struct reader *reader, struct hs_layout *layout) {
    static const char REASON[] = "this VM does not say where a thread keeps its last Java frame";
    layout->thread_anchor = offset(reader, "JavaThread", "_anchor", WORD, REASON);
    /* Declared in one class or the other, depending on the version. */
    const char *owner = hs_hotspot_field(reader->tables, "JavaThread", "_stack_base") == NULL
                            ? "Thread"
                            : "JavaThread";
    layout->thread_stack_base = offset(reader, owner, "_stack_base", WORD, REASON);
    layout->thread_stack_size = offset(reader, owner, "_stack_size", WORD, REASON);
    layout->anchor_sp = offset(reader, "JavaFrameAnchor", "_last_Java_sp", WORD, REASON);
    layout->anchor_fp = offset(reader, "JavaFrameAnchor", "_last_Java_fp", WORD, REASON);
    layout->anchor_pc = offset(reader, "JavaFrameAnchor", "_last_Java_pc", WORD, REASON);
    layout->wrapper_anchor = offset(reader, "JavaCallWrapper", "_anchor", WORD, REASON);
}

/* Not needed for walks, so no reason to give them up. */
static void read_allocated(const struct hs_vm_tables *tables, struct hs_layout *layout) {
    uint32_t buffer = optional(tables, "Thread", "_tlab", WORD);
    uint32_t start = optional(tables, "ThreadLocalAllocBuffer", "_start", WORD);
    uint32_t top = optional(tables, "ThreadLocalAllocBuffer", "_top", WORD);
    layout->thread_allocated = optional(tables, "Thread", "_allocated_bytes", sizeof(uint64_t));
    if (buffer == UINT32_MAX || start == UINT32_MAX || top == UINT32_MAX) {
        layout->thread_allocated = UINT32_MAX;
    }
    layout->thread_buffer_start = buffer + start;
    layout->thread_buffer_top = buffer + top;
}

/* Two words that no table names lie between two that it does, on JDK 17 to 24; 25 has only one there. */
static void read_refills(const struct hs_vm_tables *tables, struct hs_layout *layout) {
    static const char BUFFER[] = "ThreadLocalAllocBuffer";
    uint32_t end = optional(tables, BUFFER, "_end", WORD);
    uint32_t desired = optional(tables, BUFFER, "_desired_size", WORD);
    uint32_t limit = optional(tables, BUFFER, "_refill_waste_limit", WORD);
    uint32_t refills = optional(tables, BUFFER, "_number_of_refills", INT);
    bool is_known = layout->thread_allocated != UINT32_MAX && end != UINT32_MAX &&
                    refills != UINT32_MAX && limit == desired + WORD && refills == limit + 3 * WORD;
    layout->thread_refills = UINT32_MAX;
    if (is_known) {
        uint32_t buffer = optional(tables, "Thread", "_tlab", WORD);
        layout->thread_refills = buffer + refills;
        layout->thread_buffer_end = buffer + end;
        layout->thread_desired = buffer + desired;
        layout->thread_before = buffer + limit + WORD;
        layout->thread_ahead = buffer + limit + 2 * WORD;
    }
}

static void read_blobs(struct reader *reader, struct hs_layout *layout) {
    static const char REASON[] = "this VM does not say how it describes compiled code";
    /* JDK 25 has no class between CodeBlob and nmethod. */
    bool has_middle = hs_hotspot_size(reader->tables, "CompiledMethod") != 0;
    const char *owner = has_middle ? "CompiledMethod" : "nmethod";
    layout->blob_name = offset(reader, "CodeBlob", "_name", WORD, REASON);
    layout->blob_frame_size = offset(reader, "CodeBlob", "_frame_size", INT, REASON);
    layout->nmethod_method = offset(reader, owner, "_method", WORD, REASON);
    layout->nmethod_compile_id = offset(reader, "nmethod", "_compile_id", INT, REASON);
    layout->nmethod_orig_pc_offset = offset(reader, "nmethod", "_orig_pc_offset", INT, REASON);
    layout->handlers_are_offsets = !has_middle;
    if (has_middle) {
        layout->nmethod_deopt_handler = offset(reader, owner, "_deopt_handler_begin", WORD, REASON);
        layout->nmethod_deopt_mh_handler =
            offset(reader, owner, "_deopt_mh_handler_begin", WORD, REASON);
    } else {
        layout->nmethod_deopt_handler = offset(reader, owner, "_deopt_handler_offset", INT, REASON);
        layout->nmethod_deopt_mh_handler =
            offset(reader, owner, "_deopt_mh_handler_offset", INT, REASON);
    }
}

static void read_methods(struct reader *reader, struct hs_layout *layout) {
    static const char REASON[] = "this VM does not say how it describes methods";
    struct reader own = {.tables = reader->tables};
    layout->method_const = offset(&own, "Method", "_constMethod", WORD, REASON);
    layout->const_words = offset(&own, "ConstMethod", "_constMethod_size", INT, REASON);
    layout->const_code_size = offset(&own, "ConstMethod", "_code_size", 2, REASON);
    uint64_t header = hs_hotspot_size(reader->tables, "ConstMethod");
    bool is_known = own.reason == NULL && header <= 256 && header % WORD == 0;
    layout->const_header = is_known ? (uint32_t)header : 0;
    if (reader->reason == NULL && layout->const_header == 0) {
        reader->reason = REASON;
    }
}

/* Names can be requested instead, so what is missing here is no reason to give walks up. */
static void read_names(const struct hs_vm_tables *tables, struct hs_layout *layout) {
    struct reader reader = {.tables = tables};
    static const char REASON[] = "this VM does not say how it keeps names";
    layout->const_pool = offset(&reader, "ConstMethod", "_constants", WORD, REASON);
    layout->const_name = offset(&reader, "ConstMethod", "_name_index", 2, REASON);
    layout->const_descriptor = offset(&reader, "ConstMethod", "_signature_index", 2, REASON);
    layout->symbol_length = offset(&reader, "Symbol", "_length", 2, REASON);
    layout->symbol_text = offset(&reader, "Symbol", "_body", 1, REASON);
    uint64_t header = hs_hotspot_size(tables, "ConstantPool");
    bool is_known =
        reader.reason == NULL && layout->const_header != 0 && header <= 256 && header % WORD == 0;
    layout->pool_header = is_known ? (uint32_t)header : 0;
}

/* JDK 23 and 24 lay it out in another way, and get none. */
static void read_scopes_parts(struct reader *reader, struct hs_scopes_layout *layout) {
    static const char REASON[] = "this VM does not say where debug information is";
    layout->is_apart = hs_hotspot_size(reader->tables, "CompiledMethod") == 0;
    layout->pcs = offset(reader, "nmethod", "_scopes_pcs_offset", INT, REASON);
    if (layout->is_apart) {
        layout->code = offset(reader, "CodeBlob", "_code_offset", INT, REASON);
        layout->metadata = offset(reader, "CodeBlob", "_mutable_data", WORD, REASON);
        layout->metadata_size = offset(reader, "CodeBlob", "_mutable_data_size", INT, REASON);
        layout->relocation_size = offset(reader, "CodeBlob", "_relocation_size", INT, REASON);
        layout->data = offset(reader, "nmethod", "_scopes_data_offset", INT, REASON);
        layout->immutable = offset(reader, "nmethod", "_immutable_data", WORD, REASON);
        layout->immutable_size = offset(reader, "nmethod", "_immutable_data_size", INT, REASON);
    } else {
        layout->code = offset(reader, "CodeBlob", "_code_begin", WORD, REASON);
        layout->metadata = offset(reader, "nmethod", "_metadata_offset", INT, REASON);
        layout->data = offset(reader, "CompiledMethod", "_scopes_data_begin", WORD, REASON);
        layout->pcs_end = offset(reader, "nmethod", "_dependencies_offset", INT, REASON);
    }
}

/* Stacks can be requested from the VM instead, so a missing entry here is no reason to give walks up. */
static void read_scopes(const struct hs_vm_tables *tables, struct hs_scopes_layout *layout) {
    enum { MAX_PC_DESC = 64 };
    static const char REASON[] = "this VM does not say where debug information is";
    struct reader reader = {.tables = tables};
    struct hs_scopes_layout found = {0};
    read_scopes_parts(&reader, &found);
    found.pc_desc_pc = offset(&reader, "PcDesc", "_pc_offset", INT, REASON);
    found.pc_desc_scope = offset(&reader, "PcDesc", "_scope_decode_offset", INT, REASON);
    found.method_access = offset(&reader, "Method", "_access_flags", 2, REASON);
    uint64_t desc = hs_hotspot_size(tables, "PcDesc");
    uint64_t header = hs_hotspot_size(tables, "nmethod");
    bool is_known = reader.reason == NULL && desc != 0 && desc <= MAX_PC_DESC && desc % INT == 0 &&
                    found.pc_desc_pc < desc && found.pc_desc_scope < desc && header != 0 &&
                    header <= MAX_OFFSET;
    found.pc_desc_bytes = (uint32_t)desc;
    found.header_bytes = (uint32_t)header;
    *layout = is_known ? found : (struct hs_scopes_layout){0};
}

static void read_code_heap(struct reader *reader, struct hs_layout *layout) {
    static const char REASON[] = "this VM does not say how it keeps compiled code";
    uint32_t memory = offset(reader, "CodeHeap", "_memory", WORD, REASON);
    uint32_t segments = offset(reader, "CodeHeap", "_segmap", WORD, REASON);
    uint32_t low = offset(reader, "VirtualSpace", "_low", WORD, REASON);
    uint32_t high = offset(reader, "VirtualSpace", "_high", WORD, REASON);
    uint32_t header = offset(reader, "HeapBlock", "_header", WORD, REASON);
    uint32_t used = offset(reader, "HeapBlock::Header", "_used", 1, REASON);
    uint32_t length = offset(reader, "HeapBlock::Header", "_length", INT, REASON);
    layout->heap_log2_segment = offset(reader, "CodeHeap", "_log2_segment_size", INT, REASON);
    uint64_t block_bytes = hs_hotspot_size(reader->tables, "HeapBlock");
    if (reader->reason != NULL) {
        return;
    }
    layout->heap_low = memory + low;
    layout->heap_high = memory + high;
    layout->heap_segments_low = segments + low;
    layout->block_bytes = (uint32_t)block_bytes;
    layout->block_used = header + used;
    layout->block_length = header + length;
    if (block_bytes == 0 || block_bytes > 64 || block_bytes % WORD != 0 ||
        layout->block_used >= block_bytes || layout->block_length > block_bytes - INT) {
        reader->reason = "the header of this VM's code blocks has an odd size";
    }
}

static bool is_plausible_heap(const struct hs_layout *layout, uintptr_t heap) {
    uintptr_t low = word_at(heap + layout->heap_low);
    uintptr_t high = word_at(heap + layout->heap_high);
    int32_t log2 = int_at(heap + layout->heap_log2_segment);
    return low != 0 && low % WORD == 0 && high > low && log2 >= MIN_LOG2_SEGMENT &&
           log2 <= MAX_LOG2_SEGMENT && word_at(heap + layout->heap_segments_low) != 0;
}

/* The code heaps; their number never changes once the VM runs. */
static void read_heaps(struct reader *reader, struct hs_layout *layout) {
    static const char REASON[] = "the code heaps of this VM were not found";
    const void *heaps = static_address(reader, "CodeCache", "_heaps", REASON);
    uint32_t length = offset(reader, "GrowableArrayBase", "_len", INT, REASON);
    uint32_t data = offset(reader, "GrowableArray<int>", "_data", WORD, REASON);
    uintptr_t array = reader->reason == NULL ? word_at((uintptr_t)heaps) : 0;
    if (array == 0 || array % WORD != 0) {
        reader->reason = reader->reason == NULL ? REASON : reader->reason;
        return;
    }
    int32_t count = int_at(array + length);
    uintptr_t elements = word_at(array + data);
    if (count < 1 || count > HS_MAX_CODE_HEAPS || elements == 0 || elements % WORD != 0) {
        reader->reason = "this VM has an odd number of code heaps";
        return;
    }
    for (int32_t i = 0; i < count; i++) {
        uintptr_t heap = word_at(elements + (uintptr_t)i * WORD);
        if (heap == 0 || heap % WORD != 0 || !is_plausible_heap(layout, heap)) {
            reader->reason = "a code heap of this VM looks odd";
            return;
        }
        layout->heaps[i] = heap;
    }
    layout->heap_count = (uint32_t)count;
}

static void read_call_stub(struct reader *reader, struct hs_layout *layout) {
    static const char REASON[] = "this VM does not say where its call stub returns to";
    const void *address =
        static_address(reader, "StubRoutines", "_call_stub_return_address", REASON);
    if (address != NULL) {
        layout->call_stub_return = word_at((uintptr_t)address);
        if (layout->call_stub_return == 0) {
            reader->reason = REASON;
        }
    }
}

const char *hs_hotspot_read(const struct hs_vm_tables *tables, struct hs_layout *layout) {
    memset(layout, 0, sizeof *layout);
    struct reader reader = {.tables = tables};
    read_thread(&reader, layout);
    read_allocated(tables, layout);
    read_refills(tables, layout);
    read_blobs(&reader, layout);
    read_methods(&reader, layout);
    read_names(tables, layout);
    read_scopes(tables, &layout->scopes);
    read_code_heap(&reader, layout);
    if (reader.reason == NULL) {
        read_heaps(&reader, layout);
    }
    if (reader.reason == NULL) {
        read_call_stub(&reader, layout);
    }
    return reader.reason;
}

uint64_t hs_hotspot_allocated(const struct hs_layout *layout, uintptr_t current_java_thread) {
    if (layout->thread_allocated == UINT32_MAX) {
        return 0;
    }
    uintptr_t start = word_at(current_java_thread + layout->thread_buffer_start);
    uintptr_t top = word_at(current_java_thread + layout->thread_buffer_top);
    uint64_t retired = word_at(current_java_thread + layout->thread_allocated);
    /* A pause may be taking the buffer away, one word after the other. */
    bool is_whole = start != 0 && start <= top && top - start <= MAX_BUFFER;
    return is_whole ? retired + (top - start) : retired;
}

bool hs_hotspot_refill(const struct hs_layout *layout, uintptr_t current_java_thread,
                       uintptr_t object, struct hs_refill *refill) {
    /* Most samples end here. */
    if (layout->thread_refills == UINT32_MAX || object == 0 ||
        object != word_at(current_java_thread + layout->thread_buffer_start)) {
        return false;
    }
    uintptr_t top = word_at(current_java_thread + layout->thread_buffer_top);
    uintptr_t end = word_at(current_java_thread + layout->thread_buffer_end);
    uint64_t granted = end > top ? end - top : 0;
    uint64_t desired = word_at(current_java_thread + layout->thread_desired) * WORD;
    refill->room = granted > desired ? granted : desired;
    refill->ahead = word_at(current_java_thread + layout->thread_ahead);
    refill->used = word_at(current_java_thread + layout->thread_allocated) -
                   word_at(current_java_thread + layout->thread_before);
    return refill->ahead != 0 && int_at(current_java_thread + layout->thread_refills) == 1;
}
