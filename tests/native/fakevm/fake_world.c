/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Classes, methods, threads, and a stack: the VM's answer for it, and the memory that a walk reads.
 *
 * The thread that calls the library runs on one half of a piece of memory whose other half holds the
 * synthetic frames, as if they had called it. */
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

#include "fakejvm/fakejvm.h"
#include "fakevm.h"
#include "unit/synthetic_vm.h"

enum { NATIVE_BYTES = 4 << 20, FRAME_BYTES = 256 * 1024, MAX_CLASSES = 32, MAX_ROWS = 40 };
enum { MAX_LIES = 4 };

struct fake_object FAKE_CLASSES[CLASS_OTHERS] = {
    [CLASS_CART] = {.text = "Lshop/Cart;"},
    [CLASS_BYTES] = {.text = "[B"},
    [CLASS_MAIN] = {.text = "Lshop/Main;"},
    [CLASS_ITEM] = {.text = "Lshop/Item;"},
    [CLASS_OWN] = {.text = "Lio/heapsampler/HeapSampler;"},
};

struct fake_object FAKE_PLATFORM_THREAD = {.java_id = 7};
struct fake_object FAKE_OTHER_THREAD = {.java_id = 9};
struct fake_object FAKE_VIRTUAL_THREAD = {.java_id = 8};

struct fake_id FAKE_METHODS[METHODS] = {
    [IS_MAIN] = {.owner = CLASS_MAIN, .name = "main", .descriptor = "([Ljava/lang/String;)V"},
    [IS_ADD] = {.owner = CLASS_CART, .name = "add", .descriptor = "(Lshop/Item;)V"},
    [IS_PRICE] = {.owner = CLASS_ITEM, .name = "price", .descriptor = "()J"},
    [IS_NATIVE] = {.owner = CLASS_ITEM, .name = "read", .descriptor = "()V"},
    [IS_OWN] = {.owner = CLASS_OWN, .name = "snapshot", .descriptor = "()V"},
    [IS_SPECIAL] = {.owner = CLASS_MAIN, .name = "enterSpecial", .descriptor = "()V"},
};

struct fake_id FAKE_RUNTIME_GC = {.name = "gc", .descriptor = "()V"};

/* The JavaThread, and the JNIEnv that lies within it. */
static struct thread {
    uint64_t java_thread[128];
    struct fake_env env;
} main_thread = {.env = {.functions = &FAKE_JNI, .thread = FAKE_MAIN}},
  other_thread = {.env = {.functions = &FAKE_JNI, .thread = FAKE_OTHER}};

static struct fake_pool pools[CLASS_OTHERS];
static const struct JNIInvokeInterface_ *the_vm = &FAKE_INVOKE;
static struct synthetic_vm *vm;
static const struct fake_frame *stack;
static uint32_t stack_depth;
static bool is_redefined;
static enum fake_lie lies[MAX_LIES];
static uint32_t lie_count;
static uint32_t lies_told;

JNIEnv *fake_main_env(void) {
    return (JNIEnv *)(void *)&main_thread.env;
}

JNIEnv *fake_own_env(void) {
    return (JNIEnv *)(void *)fake_env;
}

JavaVM *fake_vm(void) {
    return &the_vm;
}

/* ---- classes by name ---- */

static struct named_class {
    char *name;
    struct fake_object class;
} classes[MAX_CLASSES];

static struct fake_object *class_named(const char *name) {
    for (uint32_t i = 0; i < MAX_CLASSES; i++) {
        if (classes[i].name == NULL) {
            classes[i].name = strdup(name);
            classes[i].class = (struct fake_object){.text = classes[i].name, .is_kept = true};
        }
        if (strcmp(classes[i].name, name) == 0) {
            return &classes[i].class;
        }
    }
    cr_assert_fail("more classes than there is room for: %s", name);
    return NULL;
}

struct fake_object *fake_class(const char *name) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    struct fake_object *class = class_named(name);
    pthread_mutex_unlock(&lock);
    return class;
}

/* ---- natives ---- */

enum { MOST_NATIVES = 64 };

static JNINativeMethod natives[MOST_NATIVES];
static jint native_count;

void fake_forget_natives(void) {
    native_count = 0;
}

void fake_add_natives(const JNINativeMethod *methods, jint count) {
    cr_assert_leq(native_count + count, (jint)MOST_NATIVES);
    memcpy(natives + native_count, methods, (size_t)count * sizeof *methods);
    native_count += count;
}

void *fake_native(const char *name) {
    for (jint i = native_count; i-- > 0;) {
        if (strcmp(natives[i].name, name) == 0) {
            return natives[i].fnPtr;
        }
    }
    return NULL;
}

/* ---- the stack ---- */

bool fake_is_redefined(void) {
    return is_redefined;
}

void fake_redefine(bool is_redefined_now) {
    is_redefined = is_redefined_now;
}

static enum fake_method_number redefined_at = METHODS;

void fake_redefine_amid(enum fake_method_number asked) {
    redefined_at = asked;
}

static enum fake_method_number rewritten_at = METHODS;
static enum fake_method_number to_rewrite;

void fake_rewrite_amid(enum fake_method_number asked, enum fake_method_number rewritten) {
    rewritten_at = asked;
    to_rewrite = rewritten;
}

static bool are_steps_inlined;

void fake_inline_steps(void) {
    are_steps_inlined = true;
}

void fake_lines_are_asked(enum fake_method_number of) {
    static struct fake_method moved[METHODS];
    if (of == rewritten_at) {
        FAKE_METHODS[to_rewrite].content.body[CONST_WORDS - 1]++;
        rewritten_at = METHODS;
    }
    for (int i = IS_STEP; of == redefined_at && i < METHODS; i += FAKE_STEP_CLASSES) {
        moved[i] = FAKE_METHODS[i].content;
        moved[i].method[METHOD_LAYOUT.method_const / VM_WORD] = (uintptr_t)moved[i].body;
        FAKE_METHODS[i].method = (uintptr_t)&moved[i];
    }
}

void fake_mix_names(void) {
    for (uint32_t i = 0; i < METHODS; i++) {
        uintptr_t *entries = &pools[FAKE_METHODS[i].owner].entries[2 * i];
        uintptr_t name = entries[0];
        entries[0] = entries[1];
        entries[1] = name;
    }
}

void fake_share_pools(void) {
    struct fake_pool *shared = &pools[CLASS_STEPS];
    uintptr_t address = (uintptr_t)shared;
    for (uint32_t i = IS_STEP; i < METHODS; i++) {
        struct fake_id *id = &FAKE_METHODS[i];
        memcpy(&shared->entries[2 * i], &pools[id->owner].entries[2 * i],
               2 * sizeof shared->entries[0]);
        memcpy((char *)id->content.body + METHOD_LAYOUT.const_pool, &address, sizeof address);
    }
}

void fake_lie(enum fake_lie lie) {
    cr_assert_lt(lie_count - lies_told, (uint32_t)MAX_LIES);
    lies[lie_count++ % MAX_LIES] = lie;
}

/* Of a table that was freed. */
static jmethodID stale_id(void) {
    static unsigned char *freed;
    static size_t used = VM_WORD;
    if (freed == NULL) {
        freed = mmap(NULL, VM_GUARD, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        cr_assert_neq(freed, MAP_FAILED);
    }
    used += VM_WORD;
    cr_assert_lt(used, (size_t)VM_GUARD);
    return (jmethodID)(void *)(freed + used);
}

static jmethodID wrong_id(enum fake_lie lie, jmethodID right) {
    struct fake_id *other = &FAKE_METHODS[IS_PRICE];
    if (lie == FAKE_STALE) {
        return stale_id();
    }
    return (jmethodID)(void *)(right == (jmethodID)(void *)other ? &FAKE_METHODS[IS_ADD] : other);
}

jvmtiError fake_stack_trace(jint start, jint max, jvmtiFrameInfo *infos, jint *count) {
    *count = 0;
    for (uint32_t i = (uint32_t)start; i < stack_depth && *count < max; i++) {
        jvmtiFrameInfo *info = &infos[(*count)++];
        info->method = (jmethodID)(void *)&FAKE_METHODS[stack[i].method];
        info->location = stack[i].bci + (is_redefined && stack[i].bci >= 0 ? 1 : 0);
    }
    if (*count > 0 && lies_told < lie_count) {
        jvmtiFrameInfo *last = &infos[*count - 1];
        last->method = wrong_id(lies[lies_told++ % MAX_LIES], last->method);
    }
    return JVMTI_ERROR_NONE;
}

static bool are_bytecodes_real;

void fake_point_to_bytecodes(void) {
    are_bytecodes_real = true;
}

static uintptr_t bytecode_of(const struct fake_frame *frame) {
    const void *body = FAKE_METHODS[frame->method].content.body;
    uintptr_t first = are_bytecodes_real ? (uintptr_t)body + METHOD_LAYOUT.const_header : 1;
    return first + (uintptr_t)frame->bci;
}

/* main and the steps are interpreted, the others are compiled; the places in the code are those of the
 * bytecodes. */
static void push(const struct fake_frame *frame) {
    uintptr_t method = FAKE_METHODS[frame->method].method;
    if (are_steps_inlined && frame->method >= IS_STEP) {
        return;
    }
    switch (frame->method) {
    case IS_NATIVE: vm_push_compiled(vm, vm->native, 16); break;
    case IS_ADD:
    case IS_PRICE:
    case IS_OWN:
    case IS_SPECIAL:
        vm_push_compiled(vm, vm->compiled[frame->method - 1], 16 + (uint32_t)frame->bci);
        break;
    default: vm_push_interpreted(vm, method, bytecode_of(frame), 3);
    }
}

/* ---- debug information ---- */

enum { STREAM_BYTES = 256, MAX_PLACES = 16, DESC_WORDS = 5 };

/* Of the code of price: rows of pcs, and the stream. `block` has both, without a gap. */
static struct {
    int32_t rows[MAX_PLACES][DESC_WORDS];
    unsigned char stream[STREAM_BYTES];
    _Alignas(8) unsigned char block[MAX_PLACES * DESC_WORDS * 4 + STREAM_BYTES];
} described;
static uint32_t described_rows;
static uint32_t described_bytes = 1; /* no scope lies at 0 */

struct hs_scopes_layout fake_scopes_layout(void) {
    struct hs_scopes_layout layout = vm->layout.scopes;
    layout.has_no_zeros = true;
    layout.method_access = (METHOD_WORDS - 1) * sizeof(uint64_t);
    FAKE_METHODS[IS_NATIVE].content.method[METHOD_WORDS - 1] = 0x100;
    cr_assert_eq(layout.pc_desc_bytes, sizeof described.rows[0]);
    return layout;
}

/* All numbers are small: a byte each. Returns its place. */
static uint32_t put_scope(uint32_t caller, const struct fake_frame *frame) {
    uint32_t at = described_bytes;
    const uint32_t numbers[] = {caller, (uint32_t)frame->method + 1, (uint32_t)frame->bci + 1};
    cr_assert_leq(at + 3, (uint32_t)STREAM_BYTES);
    for (uint32_t i = 0; i < 3; i++) {
        cr_assert_lt(numbers[i], 191);
        described.stream[described_bytes++] = (unsigned char)(numbers[i] + 1);
    }
    return at;
}

void fake_describe_price(jlocation place, const struct fake_frame *frames, uint32_t count) {
    static uintptr_t methods[METHODS];
    const struct hs_scopes_layout *layout = &vm->layout.scopes;
    uintptr_t blob = vm->compiled[IS_PRICE - 1];
    uint32_t scope = 0;
    cr_assert_lt(described_rows, (uint32_t)MAX_PLACES);
    for (uint32_t i = count; i > 0; i--) {
        scope = put_scope(scope, &frames[i - 1]);
    }
    int32_t *row = described.rows[described_rows++];
    row[layout->pc_desc_pc / sizeof *row] = 16 + (int32_t)place;
    row[layout->pc_desc_scope / sizeof *row] = (int32_t)scope;
    for (uint32_t i = 0; i < METHODS; i++) {
        methods[i] = FAKE_METHODS[i].method;
    }
    uint32_t bytes = described_rows * layout->pc_desc_bytes;
    memcpy(described.block, described.rows, bytes);
    memcpy(described.block + bytes, described.stream, STREAM_BYTES);
    vm_set_int(blob + layout->code, VM_HEADER_BYTES);
    vm_set_word(blob + layout->metadata, (uintptr_t)methods);
    vm_set_int(blob + layout->metadata_size, sizeof methods);
    vm_set_int(blob + layout->relocation_size, 0);
    vm_set_word(blob + layout->immutable, (uintptr_t)described.block);
    vm_set_int(blob + layout->immutable_size, (int32_t)(bytes + STREAM_BYTES));
    vm_set_int(blob + layout->pcs, 0);
    vm_set_int(blob + layout->data, (int32_t)bytes);
}

void fake_set_stack(const struct fake_frame *frames, uint32_t count) {
    vm->junk.state = 1;
    vm_clear(vm);
    for (uint32_t i = count; i > 0; i--) {
        push(&frames[i - 1]);
    }
    (void)vm_leave_java(vm, true);
    memcpy(main_thread.java_thread, vm->thread, sizeof main_thread.java_thread);
    stack = frames;
    stack_depth = count;
}

/* ---- what libjvm would export ---- */

static struct hs_vm_field *add_row(struct hs_vm_field *rows, const char *type, const char *field,
                                   uint64_t offset) {
    *rows = (struct hs_vm_field){.type = type, .field = field, .offset = offset};
    return rows + 1;
}

static struct hs_vm_field *add_static(struct hs_vm_field *rows, const char *type, const char *field,
                                      const void *address) {
    *rows = (struct hs_vm_field){.type = type, .field = field, .is_static = 1, .address = address};
    return rows + 1;
}

static struct hs_vm_field *add_code_rows(struct hs_vm_field *row, const struct hs_layout *layout) {
    row = add_row(row, "CodeBlob", "_name", layout->blob_name);
    row = add_row(row, "CodeBlob", "_frame_size", layout->blob_frame_size);
    row = add_row(row, "nmethod", "_method", layout->nmethod_method);
    row = add_row(row, "nmethod", "_compile_id", layout->nmethod_compile_id);
    row = add_row(row, "nmethod", "_orig_pc_offset", layout->nmethod_orig_pc_offset);
    row = add_row(row, "nmethod", "_deopt_handler_offset", layout->nmethod_deopt_handler);
    row = add_row(row, "nmethod", "_deopt_mh_handler_offset", layout->nmethod_deopt_mh_handler);
    row = add_row(row, "CodeHeap", "_memory", layout->heap_high);
    row = add_row(row, "CodeHeap", "_segmap", layout->heap_segments_low - 16);
    row = add_row(row, "CodeHeap", "_log2_segment_size", layout->heap_log2_segment);
    row = add_row(row, "VirtualSpace", "_low", layout->heap_low - layout->heap_high);
    row = add_row(row, "VirtualSpace", "_high", 0);
    row = add_row(row, "HeapBlock", "_header", 0);
    row = add_row(row, "HeapBlock::Header", "_used", layout->block_used);
    return add_row(row, "HeapBlock::Header", "_length", layout->block_length);
}

static struct hs_vm_field *add_thread_rows(struct hs_vm_field *row,
                                           const struct hs_layout *layout) {
    row = add_row(row, "JavaThread", "_anchor", layout->thread_anchor);
    row = add_row(row, "JavaThread", "_stack_base", layout->thread_stack_base);
    row = add_row(row, "JavaThread", "_stack_size", layout->thread_stack_size);
    row = add_row(row, "JavaFrameAnchor", "_last_Java_sp", layout->anchor_sp);
    row = add_row(row, "JavaFrameAnchor", "_last_Java_fp", layout->anchor_fp);
    row = add_row(row, "JavaFrameAnchor", "_last_Java_pc", layout->anchor_pc);
    row = add_row(row, "JavaCallWrapper", "_anchor", layout->wrapper_anchor);
    row = add_row(row, "Method", "_constMethod", layout->method_const);
    row = add_row(row, "ConstMethod", "_constMethod_size", layout->const_words);
    return add_row(row, "ConstMethod", "_code_size", layout->const_code_size);
}

static struct hs_vm_field *add_name_rows(struct hs_vm_field *row, const struct hs_layout *layout) {
    row = add_row(row, "ConstMethod", "_constants", layout->const_pool);
    row = add_row(row, "ConstMethod", "_name_index", layout->const_name);
    row = add_row(row, "ConstMethod", "_signature_index", layout->const_descriptor);
    row = add_row(row, "Symbol", "_length", layout->symbol_length);
    return add_row(row, "Symbol", "_body", layout->symbol_text);
}

static void export_tables(const struct hs_layout *layout) {
    static struct hs_vm_field fields[MAX_ROWS + 1];
    static struct hs_vm_type types[4];
    static uint64_t array[4]; /* GrowableArray of the heaps: length, elements */
    static uintptr_t heaps;
    static uintptr_t call_stub;
    heaps = (uintptr_t)array;
    call_stub = layout->call_stub_return;
    array[0] = layout->heap_count;
    array[1] = (uintptr_t)layout->heaps;
    struct hs_vm_field *row = add_thread_rows(add_code_rows(fields, layout), layout);
    row = add_name_rows(row, layout);
    row = add_row(row, "GrowableArrayBase", "_len", 0);
    row = add_row(row, "GrowableArray<int>", "_data", 8);
    row = add_static(row, "CodeCache", "_heaps", &heaps);
    row = add_static(row, "StubRoutines", "_call_stub_return_address", &call_stub);
    cr_assert_leq(row - fields, MAX_ROWS);
    types[0] = (struct hs_vm_type){.type = "ConstMethod", .size = layout->const_header};
    types[1] = (struct hs_vm_type){.type = "HeapBlock", .size = layout->block_bytes};
    types[2] = (struct hs_vm_type){.type = "ConstantPool", .size = layout->pool_header};
    fakejvm_export(fields, sizeof fields[0], types, sizeof types[0]);
}

/* ---- the thread ---- */

static void name_steps(void) {
    static char class_texts[FAKE_STEP_CLASSES][32];
    static char method_names[FAKE_STEPS][32];
    for (uint32_t i = 0; i < FAKE_STEP_CLASSES; i++) {
        (void)snprintf(class_texts[i], sizeof class_texts[i], "Lshop/Step%u;", i);
        FAKE_CLASSES[CLASS_STEPS + i] = (struct fake_object){.text = class_texts[i]};
    }
    for (uint32_t i = 0; i < FAKE_STEPS; i++) {
        (void)snprintf(method_names[i], sizeof method_names[i], "step%u", i);
        FAKE_METHODS[IS_STEP + i] = (struct fake_id){.owner = CLASS_STEPS + i % FAKE_STEP_CLASSES,
                                                     .name = method_names[i],
                                                     .descriptor = "()V"};
    }
}

/* All methods of a class have their names in its pool. */
static void make_method(uint32_t number) {
    static struct fake_symbol symbols[METHODS][2];
    struct fake_id *id = &FAKE_METHODS[number];
    id->method = method_init(&id->content, number);
    method_set_names(&id->content, &pools[id->owner], (uint16_t)(2 * number),
                     symbol_init(&symbols[number][0], id->name),
                     symbol_init(&symbols[number][1], id->descriptor));
    FAKE_CLASSES[id->owner].is_kept = true;
}

/* The kind like JDK 25, in the shape of this processor: its methods lie as those of walk_items.h. */
static void make_synthetic(unsigned char *memory) {
    int kind = hs_walk_shape() == &HS_SHAPE_AARCH64 ? 3 : 1;
    vm = vm_new(&VM_KINDS[kind]);
    cr_assert_eq(vm->layout.method_const, METHOD_LAYOUT.method_const);
    vm->low = (uintptr_t)memory;
    vm->base = vm->low + NATIVE_BYTES + FRAME_BYTES;
    name_steps();
    for (uint32_t i = 0; i < METHODS; i++) {
        make_method(i);
    }
    for (uint32_t i = IS_ADD; i < IS_STEP; i++) {
        uintptr_t blob = i == IS_NATIVE ? vm->native : vm->compiled[i - 1];
        vm_set_word(blob + vm->layout.nmethod_method, FAKE_METHODS[i].method);
    }
    FAKE_CLASSES[CLASS_BYTES].is_kept = true;
    FAKE_PLATFORM_THREAD.is_kept = true;
    FAKE_PLATFORM_THREAD.java_thread = (jlong)(uintptr_t)main_thread.java_thread;
    FAKE_OTHER_THREAD.is_kept = true;
    FAKE_OTHER_THREAD.java_thread = (jlong)(uintptr_t)other_thread.java_thread;
    FAKE_VIRTUAL_THREAD.is_kept = true;
    export_tables(&vm->layout);
}

struct task {
    void (*function)(void);
    struct thread *thread;
};

static void *run(void *argument) {
    const struct task *task = argument;
    fake_env = &task->thread->env;
    task->function();
    return NULL;
}

/* Nothing is anchored on its stack: it cannot be walked. */
void fake_run_beside(void (*function)(void)) {
    struct task task = {function, &other_thread};
    pthread_t thread;
    cr_assert_eq(pthread_create(&thread, NULL, run, &task), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
}

void fake_run(void (*function)(void)) {
    static unsigned char *memory; /* for good: the library looks at the tables once only */
    struct task task = {function, &main_thread};
    pthread_attr_t attributes;
    pthread_t thread;
    if (memory == NULL) {
        memory = mmap(NULL, NATIVE_BYTES + FRAME_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        cr_assert_neq(memory, MAP_FAILED);
        make_synthetic(memory);
    }
    cr_assert_eq(pthread_attr_init(&attributes), 0);
    cr_assert_eq(pthread_attr_setstack(&attributes, memory, NATIVE_BYTES), 0);
    cr_assert_eq(pthread_create(&thread, &attributes, run, &task), 0);
    cr_assert_eq(pthread_join(thread, NULL), 0);
    cr_assert_eq(pthread_attr_destroy(&attributes), 0);
}
