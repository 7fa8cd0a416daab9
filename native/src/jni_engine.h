/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Engine: one for the whole process, however often the library is loaded.
 *
 * The VM ties a library to one class loader, so copies of the Java classes in several loaders load
 * copies of the library, and an agent may have loaded another before. Only one of them can sample. The
 * first that comes writes into the system property "heapsampler.engine" where it is; those that come
 * later bind their Java classes to it and do nothing else. A library is never unmapped, so this holds
 * for good. A thread that reads and writes the property holds the monitor of java.lang.System, as the Java
 * classes do while they load a copy.
 *
 * The property: ABI/version/address/file, such as 12/0.1.0/7f31c0a02b40/.../libheapsampler-0.1.0.so. Java
 * looks at the first two, and says what is wrong where they differ; here, such an engine is a refusal as well.
 * One of our version that is not there, in that file, as when a process was given the properties of another, is
 * none, and what is written is overwritten. */
#ifndef JNI_ENGINE_H
#define JNI_ENGINE_H

#include <jni.h>
#include <stdbool.h>

/* JNI_REFUSED: the class is not bound, and an exception says why. JNI_BOUND: it is, to natives that return
 * HS_UNSUPPORTED, since this VM has no JVMTI. JNI_COUNTED: it is, and a user has to leave. A class that is
 * bound to an engine which others open and close must be counted. */
enum jni_joined { JNI_REFUSED, JNI_BOUND, JNI_COUNTED };

/* One more Java class that is bound, or one less; as hs_vm_open and hs_vm_close. */
typedef enum jni_joined jni_engine_join(JavaVM *vm, JNIEnv *jni, jclass bindings,
                                        const char *package);
typedef void jni_engine_leave(JNIEnv *jni);

struct jni_engine {
    char magic[16];
    jni_engine_join *join;
    jni_engine_leave *leave;
};

/* That of this copy of the library. */
extern const struct jni_engine JNI_ENGINE;

/* The engine of the process: that of another copy or, when there is none, ours, whose place is then
 * written down. NULL: there is one of another version.
 * Thread: one that loads the library, with no exception pending. */
const struct jni_engine *jni_engine_of_process(JNIEnv *jni);

/* The value of a system property, into `text`; false when it has none, or one that is too long. */
bool jni_property(JNIEnv *jni, const char *key, char *text, size_t size);

#endif
