/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* JNI. Like -Xcheck:jni, it objects to calls on another thread's environment and to calls with an
 * exception pending, except for the few that JNI allows then. */
#include <stdarg.h>

#include "fakevm.h"

static struct fake_env *enter_pending(JNIEnv *jni) {
    struct fake_env *env = (struct fake_env *)(void *)jni;
    cr_assert_eq(env, fake_env, "a JNIEnv of another thread");
    fake_plan->calls++;
    return env;
}

static struct fake_env *enter(JNIEnv *jni, const char *function) {
    struct fake_env *env = enter_pending(jni);
    cr_assert_not(env->is_pending, "%s with an exception pending", function);
    return env;
}

/* True: the call fails, as most do, with an exception. */
static bool throws(JNIEnv *jni, const char *function) {
    (void)enter(jni, function);
    bool fails = fake_fails(function);
    if (fails) {
        fake_throw();
    }
    return fails;
}

/* ---- exceptions ---- */

static void JNICALL exception_clear(JNIEnv *jni) {
    enter_pending(jni)->is_pending = false;
}

static jthrowable JNICALL exception_occurred(JNIEnv *jni) {
    return enter_pending(jni)->is_pending ? fake_new_ref(FAKE_LOCAL, &FAKE_THROWN) : NULL;
}

static jboolean JNICALL exception_check(JNIEnv *jni) {
    return enter_pending(jni)->is_pending;
}

static jint JNICALL throw_again(JNIEnv *jni, jthrowable thrown) {
    (void)enter(jni, "Throw"); /* as ThrowNew */
    cr_assert_eq(fake_object_of(thrown), &FAKE_THROWN);
    fake_throw();
    return JNI_OK;
}

static jint JNICALL throw_new(JNIEnv *jni, jclass class, const char *message) {
    (void)enter(jni, "ThrowNew"); /* called where something has failed already, so it does not */
    cr_assert_eq(fake_object_of(class), fake_class("java/lang/UnsatisfiedLinkError"));
    cr_assert_not_null(strstr(message, "the engine could not be opened: "));
    fake_throw();
    return JNI_OK;
}

/* ---- classes and methods ---- */

static jclass JNICALL find(JNIEnv *jni, const char *name) {
    return throws(jni, "FindClass") ? NULL : fake_new_ref(FAKE_LOCAL, fake_class(name));
}

static jfieldID JNICALL get_field(JNIEnv *jni, jclass class, const char *name, const char *type) {
    static const char *const NAMES[] = {"tid", "eetop"};
    if (throws(jni, "GetFieldID")) {
        return NULL;
    }
    if (strcmp(type, "J") != 0) {
        cr_assert_str_eq(type, "Ljava/lang/Object;");
        cr_assert_not_null(fake_object_of(class));
        return (jfieldID)(uintptr_t)name;
    }
    cr_assert_eq(fake_object_of(class), fake_class("java/lang/Thread"));
    cr_assert_str_eq(type, "J");
    bool is_id = strcmp(name, NAMES[0]) == 0;
    cr_assert(is_id || strcmp(name, NAMES[1]) == 0);
    return (jfieldID)(uintptr_t)(is_id ? NAMES[0] : NAMES[1]);
}

static jlong JNICALL get_long(JNIEnv *jni, jobject object, jfieldID field) {
    const char *name = (const char *)(uintptr_t)field;
    (void)enter(jni, "GetLongField");
    const struct fake_object *thread = fake_object_of(object);
    return strcmp(name, "tid") == 0 ? thread->java_id : thread->java_thread;
}

static jobject JNICALL get_object(JNIEnv *jni, jobject object, jfieldID field) {
    (void)enter(jni, "GetObjectField");
    return fake_part_of(object, (const char *)(uintptr_t)field);
}

static jclass JNICALL class_of(JNIEnv *jni, jobject object) {
    (void)enter(jni, "GetObjectClass");
    return fake_class_of(object);
}

static jclass JNICALL superclass_of(JNIEnv *jni, jclass class) {
    (void)enter(jni, "GetSuperclass");
    return fake_superclass_of(class);
}

static jboolean JNICALL is_assignable(JNIEnv *jni, jclass class, jclass other) {
    (void)enter(jni, "IsAssignableFrom");
    return fake_is_reference(class, other);
}

static jmethodID JNICALL get_method(JNIEnv *jni, jclass class, const char *name,
                                    const char *descriptor) {
    (void)descriptor;
    if (throws(jni, "GetStaticMethodID")) {
        return NULL;
    }
    cr_assert_not_null(fake_object_of(class));
    return (jmethodID)(strcmp(name, "enterSpecial") == 0
                           ? (void *)&FAKE_METHODS[IS_SPECIAL]
                           : (void *)fake_class(name)); /* an address for the name */
}

static jmethodID JNICALL get_instance_method(JNIEnv *jni, jclass class, const char *name,
                                             const char *descriptor) {
    if (throws(jni, "GetMethodID")) {
        return NULL;
    }
    cr_assert_eq(fake_object_of(class), fake_class("java/lang/Runtime"));
    cr_assert_str_eq(name, FAKE_RUNTIME_GC.name);
    cr_assert_str_eq(descriptor, FAKE_RUNTIME_GC.descriptor);
    return (jmethodID)(void *)&FAKE_RUNTIME_GC;
}

/* System.getProperty and setProperty, and Class.forName of a class that is there. */
static jobject JNICALL call(JNIEnv *jni, jclass class, jmethodID method, ...) {
    va_list arguments;
    if (throws(jni, "CallStaticObjectMethod")) {
        return NULL;
    }
    cr_assert_not_null(fake_object_of(class));
    va_start(arguments, method);
    struct fake_object *argument = fake_object_of(va_arg(arguments, jobject));
    if ((void *)method == (void *)fake_class("setProperty")) {
        fake_set_property(argument->text, fake_object_of(va_arg(arguments, jobject))->text);
        va_end(arguments);
        return NULL;
    }
    va_end(arguments);
    if ((void *)method == (void *)fake_class("getProperty")) {
        return fake_get_property(argument->text);
    }
    cr_assert_str_eq(argument->text, "jdk.internal.vm.Continuation");
    return fake_new_ref(FAKE_LOCAL, fake_class(argument->text));
}

/* Of one class alone; there is no other thread to wait for. */
static jint JNICALL enter_monitor(JNIEnv *jni, jobject object) {
    if (throws(jni, "MonitorEnter")) {
        return JNI_ERR;
    }
    struct fake_object *class = fake_object_of(object);
    cr_assert_eq(class, fake_class("java/lang/System"));
    class->monitors++;
    return JNI_OK;
}

static jint JNICALL exit_monitor(JNIEnv *jni, jobject object) {
    (void)enter_pending(jni);
    cr_assert_gt(fake_object_of(object)->monitors, 0);
    fake_object_of(object)->monitors--;
    return JNI_OK;
}

static jint JNICALL register_natives(JNIEnv *jni, jclass class, const JNINativeMethod *methods,
                                     jint count) {
    if (throws(jni, "RegisterNatives")) {
        return JNI_ERR;
    }
    cr_assert_eq(fake_object_of(class), fake_class("io/heapsampler/internal/NativeBindings"));
    fake_add_natives(methods, count);
    return JNI_OK;
}

/* ---- references ---- */

/* NULL for an object that is collected. */
static jobject JNICALL new_local(JNIEnv *jni, jobject object) {
    if (throws(jni, "NewLocalRef")) {
        return NULL;
    }
    struct fake_object *of = fake_object_of(object);
    return of == NULL || of->is_collected ? NULL : fake_new_ref(FAKE_LOCAL, of);
}

static jint JNICALL push_frame(JNIEnv *jni, jint capacity) {
    cr_assert_gt(capacity, 0);
    if (throws(jni, "PushLocalFrame")) {
        return JNI_ENOMEM;
    }
    fake_push_locals();
    return JNI_OK;
}

static jint JNICALL ensure_capacity(JNIEnv *jni, jint capacity) {
    cr_assert_gt(capacity, 0);
    return throws(jni, "EnsureLocalCapacity") ? JNI_ENOMEM : JNI_OK;
}

static jobject JNICALL pop_frame(JNIEnv *jni, jobject result) {
    (void)enter_pending(jni);
    struct fake_object *kept = fake_object_of(result);
    fake_pop_locals();
    return kept == NULL ? NULL : fake_new_ref(FAKE_LOCAL, kept);
}

static jobject JNICALL new_global(JNIEnv *jni, jobject object) {
    (void)enter(jni, "NewGlobalRef"); /* returns NULL and throws nothing */
    return fake_fails("NewGlobalRef") ? NULL : fake_new_ref(FAKE_GLOBAL, fake_object_of(object));
}

static jweak JNICALL new_weak(JNIEnv *jni, jobject object) {
    if (throws(jni, "NewWeakGlobalRef")) {
        return NULL;
    }
    if (fake_object_of(object)->is_value) {
        fake_throw_of("Ljava/lang/IdentityException;");
        return NULL;
    }
    return fake_new_ref(FAKE_WEAK, fake_object_of(object));
}

static void JNICALL delete_local(JNIEnv *jni, jobject object) {
    (void)enter_pending(jni);
    fake_delete_ref(object, FAKE_LOCAL);
}

static void JNICALL delete_global(JNIEnv *jni, jobject object) {
    (void)enter_pending(jni);
    fake_delete_ref(object, FAKE_GLOBAL);
}

static void JNICALL delete_weak(JNIEnv *jni, jweak object) {
    (void)enter_pending(jni);
    fake_delete_ref(object, FAKE_WEAK);
}

static jboolean JNICALL is_same(JNIEnv *jni, jobject a, jobject b) {
    (void)enter(jni, "IsSameObject");
    const struct fake_object *left = fake_object_of(a);
    const struct fake_object *right = fake_object_of(b);
    left = left != NULL && left->is_collected ? NULL : left;
    right = right != NULL && right->is_collected ? NULL : right;
    return left == right;
}

static jboolean JNICALL is_instance(JNIEnv *jni, jobject object, jclass class) {
    (void)enter(jni, "IsInstanceOf");
    bool is_virtual = fake_object_of(object) == &FAKE_VIRTUAL_THREAD;
    const struct fake_object *of = fake_object_of(class);
    bool is_of_threads = of == fake_class("java/lang/BaseVirtualThread");
    cr_assert(is_of_threads || of == fake_class("[B") || of == fake_class("[C") ||
              of == fake_class("java/lang/ClassLoader"));
    return is_virtual && is_of_threads;
}

static jobject JNICALL alloc(JNIEnv *jni, jclass class) {
    if (throws(jni, "AllocObject")) {
        return NULL;
    }
    cr_assert_eq(fake_object_of(class), fake_class("java/lang/Object"));
    return fake_new_ref(FAKE_LOCAL, fake_new_object());
}

/* ---- strings and arrays ---- */

static jstring JNICALL new_string(JNIEnv *jni, const char *text) {
    if (throws(jni, "NewStringUTF")) {
        return NULL;
    }
    struct fake_object *string = fake_new_object();
    string->text = text;
    return fake_new_ref(FAKE_LOCAL, string);
}

static const char *JNICALL get_chars(JNIEnv *jni, jstring string, jboolean *is_copy) {
    (void)is_copy;
    return throws(jni, "GetStringUTFChars") ? NULL : fake_lend_text(fake_object_of(string)->text);
}

static void JNICALL release_chars(JNIEnv *jni, jstring string, const char *text) {
    (void)enter_pending(jni);
    cr_assert_str_eq(fake_object_of(string)->text, text);
    fake_take_back((void *)(uintptr_t)text);
}

static jsize JNICALL get_string_length(JNIEnv *jni, jstring string) {
    (void)enter(jni, "GetStringLength");
    return (jsize)strlen(fake_object_of(string)->text);
}

static void JNICALL get_string(JNIEnv *jni, jstring string, jsize start, jsize count, char *text) {
    if (!throws(jni, "GetStringUTFRegion")) {
        memcpy(text, fake_object_of(string)->text + start, (size_t)count);
        text[count] = 0;
    }
}

static jsize JNICALL get_length(JNIEnv *jni, jarray array) {
    (void)enter(jni, "GetArrayLength");
    return fake_object_of(array)->length;
}

static jobject JNICALL get_element(JNIEnv *jni, jobjectArray array, jsize i) {
    const struct fake_object *object = fake_object_of(array);
    if (throws(jni, "GetObjectArrayElement")) {
        return NULL;
    }
    cr_assert(i >= 0 && i < object->length);
    struct fake_object *element = ((struct fake_object *const *)object->data)[i];
    return element == NULL ? NULL : fake_new_ref(FAKE_LOCAL, element);
}

static void JNICALL get_ints(JNIEnv *jni, jintArray array, jsize start, jsize count, jint *values) {
    const struct fake_object *object = fake_object_of(array);
    if (!throws(jni, "GetIntArrayRegion")) {
        cr_assert(start >= 0 && count >= 0 && start + count <= object->length);
        memcpy(values, (const jint *)object->data + start, (size_t)count * sizeof *values);
    }
}

static void JNICALL get_some_longs(JNIEnv *jni, jlongArray array, jsize start, jsize count,
                                   jlong *values) {
    const struct fake_object *object = fake_object_of(array);
    if (!throws(jni, "GetLongArrayRegion")) {
        cr_assert(start >= 0 && count >= 0 && start + count <= object->length);
        memcpy(values, (const jlong *)object->data + start, (size_t)count * sizeof *values);
    }
}

static void JNICALL get_bytes(JNIEnv *jni, jbyteArray array, jsize start, jsize count,
                              jbyte *values) {
    const struct fake_object *object = fake_object_of(array);
    if (!throws(jni, "GetByteArrayRegion")) {
        cr_assert(start >= 0 && count >= 0 && start + count <= object->length);
        memcpy(values, (const jbyte *)object->data + start, (size_t)count);
    }
}

static jlong *JNICALL get_longs(JNIEnv *jni, jlongArray array, jboolean *is_copy) {
    (void)is_copy;
    const struct fake_object *object = fake_object_of(array);
    if (throws(jni, "GetLongArrayElements")) {
        return NULL;
    }
    size_t bytes = (size_t)object->length * sizeof(jlong);
    jlong *copy = fake_lend(bytes);
    if (bytes != 0) {
        memcpy(copy, object->data, bytes);
    }
    return copy;
}

static void JNICALL release_longs(JNIEnv *jni, jlongArray array, jlong *values, jint mode) {
    (void)enter_pending(jni);
    cr_assert_not_null(fake_object_of(array));
    cr_assert_eq(mode, JNI_ABORT);
    fake_take_back(values);
}

void (*fake_on_new_array)(void);

/* It may be sampled, and -Xcheck:jni objects to more local references than that in an event. */
enum { MOST_LOCALS_IN_EVENT = 32 };

static jobject new_array(JNIEnv *jni, const char *function, jsize length, size_t bytes) {
    cr_assert_leq(fake_env->locals, (uint32_t)MOST_LOCALS_IN_EVENT, "%s", function);
    if (throws(jni, function)) {
        return NULL;
    }
    if (fake_on_new_array != NULL) {
        fake_on_new_array();
    }
    struct fake_object *array = fake_new_object();
    array->length = length;
    array->room = calloc((size_t)length, bytes);
    array->data = array->room;
    return fake_new_ref(FAKE_LOCAL, array);
}

static jbyteArray JNICALL new_bytes(JNIEnv *jni, jsize length) {
    return new_array(jni, "NewByteArray", length, 1);
}

static jlongArray JNICALL new_longs(JNIEnv *jni, jsize length) {
    return new_array(jni, "NewLongArray", length, sizeof(jlong));
}

static jobjectArray JNICALL new_objects(JNIEnv *jni, jsize length, jclass class, jobject first) {
    cr_assert_not_null(fake_object_of(class));
    cr_assert_null(first);
    return new_array(jni, "NewObjectArray", length, sizeof(struct fake_object *));
}

static void JNICALL set_element(JNIEnv *jni, jobjectArray array, jsize i, jobject element) {
    const struct fake_object *object = fake_object_of(array);
    if (!throws(jni, "SetObjectArrayElement")) {
        cr_assert(i >= 0 && i < object->length);
        ((struct fake_object **)object->room)[i] = fake_object_of(element);
    }
}

static void set_region(JNIEnv *jni, const char *function, jarray array, size_t from, size_t bytes,
                       const void *values) {
    const struct fake_object *object = fake_object_of(array);
    if (!throws(jni, function)) {
        cr_assert_not_null(object->room, "an array that is not to be written");
        memcpy((char *)object->room + from, values, bytes);
    }
}

static void JNICALL set_bytes(JNIEnv *jni, jbyteArray array, jsize start, jsize count,
                              const jbyte *values) {
    cr_assert_leq(start + count, fake_object_of(array)->length);
    set_region(jni, "SetByteArrayRegion", array, (size_t)start, (size_t)count, values);
}

static void JNICALL set_longs(JNIEnv *jni, jlongArray array, jsize start, jsize count,
                              const jlong *values) {
    cr_assert_leq(start + count, fake_object_of(array)->length);
    set_region(jni, "SetLongArrayRegion", array, (size_t)start * sizeof *values,
               (size_t)count * sizeof *values, values);
}

/* ---- the VM ---- */

static jint JNICALL get_version(JNIEnv *jni) {
    (void)enter(jni, "GetVersion");
    return JNI_VERSION_10;
}

static jint JNICALL get_vm(JNIEnv *jni, JavaVM **vm) {
    (void)enter(jni, "GetJavaVM");
    *vm = fake_vm();
    return fake_fails("GetJavaVM") ? JNI_ERR : JNI_OK;
}

const struct JNINativeInterface_ FAKE_JNI = {
    .GetVersion = get_version,
    .GetJavaVM = get_vm,
    .ExceptionClear = exception_clear,
    .ExceptionOccurred = exception_occurred,
    .ExceptionCheck = exception_check,
    .Throw = throw_again,
    .ThrowNew = throw_new,
    .FindClass = find,
    .GetFieldID = get_field,
    .GetLongField = get_long,
    .GetObjectField = get_object,
    .GetObjectClass = class_of,
    .GetSuperclass = superclass_of,
    .IsAssignableFrom = is_assignable,
    .GetMethodID = get_instance_method,
    .GetStaticMethodID = get_method,
    .CallStaticObjectMethod = call,
    .MonitorEnter = enter_monitor,
    .MonitorExit = exit_monitor,
    .RegisterNatives = register_natives,
    .NewGlobalRef = new_global,
    .NewWeakGlobalRef = new_weak,
    .NewLocalRef = new_local,
    .PushLocalFrame = push_frame,
    .PopLocalFrame = pop_frame,
    .EnsureLocalCapacity = ensure_capacity,
    .DeleteLocalRef = delete_local,
    .DeleteGlobalRef = delete_global,
    .DeleteWeakGlobalRef = delete_weak,
    .IsSameObject = is_same,
    .IsInstanceOf = is_instance,
    .AllocObject = alloc,
    .NewStringUTF = new_string,
    .GetStringUTFChars = get_chars,
    .ReleaseStringUTFChars = release_chars,
    .GetStringLength = get_string_length,
    .GetStringUTFLength = get_string_length,
    .GetStringUTFRegion = get_string,
    .GetArrayLength = get_length,
    .GetObjectArrayElement = get_element,
    .NewObjectArray = new_objects,
    .SetObjectArrayElement = set_element,
    .GetIntArrayRegion = get_ints,
    .GetByteArrayRegion = get_bytes,
    .GetLongArrayRegion = get_some_longs,
    .GetLongArrayElements = get_longs,
    .ReleaseLongArrayElements = release_longs,
    .NewByteArray = new_bytes,
    .NewLongArray = new_longs,
    .SetByteArrayRegion = set_bytes,
    .SetLongArrayRegion = set_longs,
};
