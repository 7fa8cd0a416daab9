/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A Java VM made of tables of functions, for hs_vm* and jni_*: it counts what it lends out, objects to
 * what -Xcheck:jni objects to, and answers one call with an error when it is told to.
 *
 * Three threads know it: the one that a life runs on (MAIN), one that lives for two samples (OTHER),
 * and the sweeper. A life is a whole run of the library, from JNI_OnLoad to JNI_OnUnload. Every
 * object, method and stack is made up here; what walks read is a synthetic VM (unit/synthetic_vm.h).
 * A check that fails ends the process. */
#ifndef FAKEVM_H
#define FAKEVM_H

#include <criterion/criterion.h>
#include <jni.h>
#include <jvmti.h>
#include <stdatomic.h>

#include "unit/walk_items.h"

/* FAKE_MEMORY is none: there the calls of hs_mem fail. */
enum fake_thread { FAKE_MAIN, FAKE_OTHER, FAKE_SWEEPER, FAKE_MEMORY };

/* ---- faults: memory that the process which looks for them shares with the one that meets them ---- */

enum { FAKE_MAX_FUNCTIONS = 80, FAKE_NAME_BYTES = 40 };

struct fake_function {
    char name[FAKE_NAME_BYTES];
    uint32_t called;
    uint32_t struck;
};

struct fake_plan {
    enum fake_thread thread;        /* whose calls fail */
    char function[FAKE_NAME_BYTES]; /* of which function; unless it is FAKE_MEMORY */
    uint64_t at;                    /* which of them; 0: none */
    uint64_t count;                 /* of them so far */
    bool is_armed;                  /* calls count */
    _Atomic uint64_t calls;         /* of JNI and JVMTI, also of what cannot fail */
    bool has_struck;
    struct fake_function functions[FAKE_MAX_FUNCTIONS]; /* every one that could have failed */
};

extern struct fake_plan *fake_plan;

/* Must this call return an error? */
bool fake_fails(const char *function);

/* ---- objects and references ---- */

struct fake_object {
    const char *text;  /* of a string; the signature of a class */
    const char *file;  /* of a class; NULL: Shop.java */
    const void *data;  /* of an array */
    void *room;        /* of an array that is written */
    jsize length;      /* of an array */
    jlong java_id;     /* of a thread */
    jlong java_thread; /* of a thread: its JavaThread; 0: virtual */
    uint32_t strong;   /* references that keep it */
    uint32_t monitors; /* times that its monitor is held */
    bool is_kept;      /* by Java */
    bool is_value;     /* without identity */
    bool is_collected;
};

enum fake_kind { FAKE_GONE, FAKE_LOCAL, FAKE_GLOBAL, FAKE_WEAK, FAKE_KINDS };

jobject fake_new_ref(enum fake_kind kind, struct fake_object *object);
/* NULL for NULL; of a weak one also when it is collected. */
struct fake_object *fake_object_of(jobject handle);
void fake_delete_ref(jobject handle, enum fake_kind kind);

/* Local references made since the last push go with the pop. */
void fake_push_locals(void);
void fake_pop_locals(void);
uint32_t fake_refs(enum fake_kind kind); /* of locals: those of this thread */

/* An object of the fake's own making. */
struct fake_object *fake_new_object(void);

/* What nothing keeps is gone. */
void fake_collect(void);

/* ---- memory that JVMTI lends ---- */

void *fake_lend(size_t bytes);
char *fake_lend_text(const char *text);
void fake_take_back(void *memory);
uint32_t fake_lent(void);

/* ---- threads ---- */

struct fake_env {
    const struct JNINativeInterface_ *functions;
    enum fake_thread thread;
    bool is_pending;    /* an exception */
    const char *thrown; /* the signature of its class */
    uint32_t locals;
};

/* The running thread's; NULL when it is not attached. */
extern _Thread_local struct fake_env *fake_env;

void fake_throw(void);
void fake_throw_of(const char *signature);

/* The exception that is pending. */
extern struct fake_object FAKE_THROWN;

/* What another agent does when an array is made; NULL: nothing. */
extern void (*fake_on_new_array)(void);

/* ---- the tables ---- */

extern const struct JNINativeInterface_ FAKE_JNI;
extern const struct JNIInvokeInterface_ FAKE_INVOKE;

struct fake_jvmti {
    const struct jvmtiInterface_1_ *functions;
    bool is_disposed;
    bool can_sample;
    bool can_tag;
    bool can_see_values;
    jvmtiEventCallbacks callbacks;
    bool is_enabled[JVMTI_MAX_EVENT_TYPE_VAL + 1];
};

/* The Java version of the VM. From 28 on it has value objects. */
extern int fake_feature;

/* The environment that was requested last, or NULL. */
struct fake_jvmti *fake_jvmti(void);
jint fake_new_jvmti(void **env);

/* Is there an environment beside it that has tags? */
bool fake_has_heap_env(void);

/* The environment beside it that gets this event; NULL: none. */
struct fake_jvmti *fake_jvmti_of(jvmtiEvent event);

/* System properties are as at the beginning of a process. */
void fake_forget_properties(void);

/* The property that says where the engine is, FAKE_PROPERTY bytes. */
enum { FAKE_PROPERTY = 512 };
char *fake_engine_property(void);

/* A local reference to the value of a property; NULL: it is not set. */
jobject fake_get_property(const char *key);

void fake_set_property(const char *key, const char *value);

/* A collection, with its events. */
void fake_collection(void);

/* The natives that were registered; NULL when there is none of the name. */
void *fake_native(const char *name);
void fake_add_natives(const JNINativeMethod *methods, jint count);
void fake_forget_natives(void);

/* ---- the world ---- */

/* CLASS_STEPS and those behind it: classes of the methods IS_STEP. */
enum { FAKE_STEPS = 31, FAKE_STEP_CLASSES = 12 };
enum fake_class {
    CLASS_CART,
    CLASS_BYTES,
    CLASS_MAIN,
    CLASS_ITEM,
    CLASS_OWN,
    CLASS_STEPS,
    CLASS_OTHERS = CLASS_STEPS + FAKE_STEP_CLASSES
};

extern struct fake_object FAKE_CLASSES[];
struct fake_object *
fake_class(const char *name); /* as FindClass wants it; made when first requested */

extern struct fake_object FAKE_PLATFORM_THREAD;
extern struct fake_object FAKE_OTHER_THREAD;
extern struct fake_object FAKE_VIRTUAL_THREAD;

/* A method id is the address of one: first the cell that leads to the Method. */
struct fake_id {
    uintptr_t method;
    enum fake_class owner;
    const char *name;
    const char *descriptor;
    struct fake_method content;
};

/* IS_STEP and those behind it are interpreted: methods to make a deep stack of. */
enum fake_method_number {
    IS_MAIN,
    IS_ADD,
    IS_PRICE,
    IS_NATIVE,
    IS_OWN,
    IS_SPECIAL,
    IS_STEP,
    METHODS = IS_STEP + FAKE_STEPS
};
extern struct fake_id FAKE_METHODS[METHODS];

/* Runtime.gc: an id to compare with; no function takes it. */
extern struct fake_id FAKE_RUNTIME_GC;

struct fake_frame {
    enum fake_method_number method;
    jlocation bci;
};

/* What the running thread's stack is from now on, leaf first: for the VM and, in memory, for walks. */
void fake_set_stack(const struct fake_frame *frames, uint32_t count);

/* From now on the VM says other bytecode indexes than the stack does, as for a method that was
 * redefined while it ran. */
void fake_redefine(bool is_redefined);

/* From now on interpreted frames point to the bytecodes of their methods. */
void fake_point_to_bytecodes(void);

/* When the VM is next queried for the lines of `asked`, or whether it is obsolete, the class CLASS_STEPS is redefined: its
 * methods move, and the new version of the class has the pool where the old one had it. METHODS: never. */
void fake_redefine_amid(enum fake_method_number asked);
void fake_lines_are_asked(enum fake_method_number of);

/* When the VM is next queried for the lines of `asked`, the method `rewritten` gets another version, which
 * lies where the old one did and has other tables. */
void fake_rewrite_amid(enum fake_method_number asked, enum fake_method_number rewritten);

/* From now on steps have no frames of their own in memory: they are compiled into what calls them. */
void fake_inline_steps(void);

/* The code of price gets debug information: its place of this bytecode stands for these frames, leaf first, price last.
 * Places come in increasing order. The library reads it once it has the layout. */
void fake_describe_price(jlocation place, const struct fake_frame *frames, uint32_t count);
struct hs_scopes_layout fake_scopes_layout(void);

/* From now on memory has the name of a method where its descriptor should be, and the other way round. */
void fake_mix_names(void);

/* From now on the methods of all classes CLASS_STEPS and behind have one pool. */
void fake_share_pools(void);

/* The next answer, or the one after those that were lied about already, is wrong: for its last frame it
 * has an id that no other answer has and that may not be queried or read through, or the id of
 * another method. */
enum fake_lie { FAKE_STALE, FAKE_SWAPPED };
void fake_lie(enum fake_lie lie);

jvmtiError fake_stack_trace(jint start, jint max, jvmtiFrameInfo *infos, jint *count);
bool fake_is_redefined(void);

/* Runs the function on a thread whose stack goes on into the synthetic one, and waits for its end. */
void fake_run(void (*function)(void));

/* Runs it on another thread meanwhile. */
void fake_run_beside(void (*function)(void));

JNIEnv *fake_main_env(void);
JNIEnv *fake_own_env(void);
JavaVM *fake_vm(void);

/* ---- the heap ---- */

/* A ReachProbe. Beside it and its parts there are, in the heap, the objects that are tagged: those that Java
 * keeps are strongly reachable, all others softly. */
extern struct fake_object FAKE_PROBE;

/* An object that nothing holds but what a class's own object refers to, and a weak reference to it. */
extern struct fake_object FAKE_HELD;
extern struct fake_object FAKE_HELD_REFERENCE;

/* What JVMTI does with tags, classes and fields; a field id is the address of its name. */
jvmtiError fake_get_tag(jobject object, jlong *tag);
jvmtiError fake_set_tag(jobject object, jlong tag);
void fake_forget_tags(void);
void fake_number_fields_from(jint first);
void fake_expect_passes(bool are_expected); /* else a walk from the roots goes on to the rest */
jvmtiError fake_loaded_classes(jint *count, jclass **list);
jvmtiError fake_interfaces_of(jclass class, jint *count, jclass **list);
jvmtiError fake_fields_of(jclass class, jint *count, jfieldID **fields);
const char *fake_signature_of(jfieldID field);
jint fake_modifiers_of(jfieldID field);
jvmtiError fake_follow(jobject from, jvmtiHeapReferenceCallback callback, const void *data);

/* Shows the class loaders, if their classes have a tag; no other object is of a class that has one. */
enum { FAKE_LOADER_COUNT = 2, FAKE_LOADED_COUNT = 3 };
extern struct fake_object FAKE_LOADERS[FAKE_LOADER_COUNT];
jvmtiError fake_iterate(jvmtiHeapIterationCallback callback, const void *data);
jvmtiError fake_tagged(const jlong *wanted, jint wanted_count, jint *count, jobject **list,
                       jlong **list_of_tags);

/* The last of the class loaders has classes. */
jvmtiError fake_classes_of(jobject loader, jint *count, jclass **list);

/* And JNI. */
jobject fake_part_of(jobject object, const char *field);
jclass fake_class_of(jobject object);
jclass fake_superclass_of(jclass class);
bool fake_is_reference(jclass class, jclass other);

/* ---- a life ---- */

/* All that the library does. `fake_plan` says whether it meets a fault. */
void fake_life(void);

/* Lookups prove themselves on the first samples. Once in a process. */
void fake_unproved_life(void);

/* A life in which all rooms but one are taken by threads that never return from learning. */
void fake_life_beside_stuck_learners(void);

/* The same as fake_life, but the stacks of this version are not known. */
void fake_life_of_tomorrow(void);

/* JDK 28: samples without an object, and objects that have no weak reference. */
void fake_life_of_values(void);

/* A search for holders that has no time to read the objects of classes, and one that has. */
void fake_life_without_time(void);

/* Another agent calls the natives in the midst of a snapshot: each is refused, none waits for its own thread. */
void fake_called_back_life(void);

/* The VM answers wrongly, once or twice in a row; twice ends lookups. */
void fake_stale_life(void);
void fake_swapped_life(void);

/* The VM numbers the fields of objects in its own way. */
void fake_odd_fields_life(void);

/* Samples of which everything is known: neither memory nor much of the VM is requested. */
void fake_hot_life(void);

/* Samples of a thread that no recording wants. */
void fake_filtered_life(void);

/* A stack of FAKE_STEPS frames that is met for the first time on this version of Java, first with methods that
 * are new as well, then with known ones. */
void fake_first_life_on_17(void);
void fake_first_life_on_25(void);

/* A class on the stack is redefined while another one is queried. */
void fake_redefined_amid_life(void);

/* A run of inlined frames of which the last ones lie deeper than is kept: learned twice, and met higher up. */
void fake_straddling_life(void);

/* Runs are decoded from debug information; a call fails meanwhile, if the plan says so. Then: of methods that were replaced, and
 * wrong information. */
void fake_decoded_life(void);
void fake_decoded_use_life(void);
void fake_moved_life(void);
void fake_all_kinds_life(void);
void fake_decoded_cut_life(void);
void fake_compared_life(void);
void fake_replaced_life(void);
void fake_wrongly_decoded_life(void);

/* A method that lies deeper than is kept is redefined while its run is learned. */
void fake_rewritten_amid_life(void);

/* Likewise, and its memory is used again. */
void fake_reused_amid_life(void);

/* A thread is sampled, and again when the table of threads was replaced. */
void fake_renewed_threads_life(void);

/* Names cannot be read: they are requested, all of them. */
void fake_mixed_names_life(void);

/* Some were read that differ, and are in the tables. */
void fake_distrusted_names_life(void);

/* Methods of several classes seem to be of one: of other names, of one name and file, of other files, of hidden
 * classes. */
void fake_mixed_owners_life(void);
void fake_same_owners_life(void);
void fake_mixed_files_life(void);
void fake_mixed_flags_life(void);

/* The same until the VM dies; faults from there on. */
void fake_death(void);

/* Lives that begin as an agent. */
void fake_agents(void);

/* Options that are none. */
void fake_wrong_agent(void);

/* Properties of another process. */
void fake_foreign_properties(void);

#endif
