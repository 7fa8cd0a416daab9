/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_vm_discover.h"

#include <pthread.h>

#include "hs_vm_methods.h"
#include "hs_vm_scopes.h"

enum { FIRST_JDK_WITH_CONTINUATIONS = 21 };

/* JDK-8292758: numbers in the debug information of code. */
enum { FIRST_JDK_WITHOUT_ZEROS = 20 };

/* jdk.internal.vm.Continuation, by way of the boot loader: ours may not know it. */
static jclass continuation_class(JNIEnv *jni) {
    jclass class = (*jni)->FindClass(jni, "java/lang/Class");
    jmethodID for_name = class == NULL
                             ? NULL
                             : (*jni)->GetStaticMethodID(
                                   jni, class, "forName",
                                   "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;");
    jstring name =
        for_name == NULL ? NULL : (*jni)->NewStringUTF(jni, "jdk.internal.vm.Continuation");
    jclass found =
        name == NULL ? NULL
                     : (*jni)->CallStaticObjectMethod(jni, class, for_name, name, JNI_FALSE, NULL);
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, name);
    (*jni)->DeleteLocalRef(jni, class);
    return found;
}

/* The Method of the frame that a mounted virtual thread's stack ends at; 0 where there is none. Makes
 * the VM initialise the class, which does no more than it would do for the first virtual thread. */
static uintptr_t continuation_root(const struct hs_vm_access *vm) {
    JNIEnv *jni = vm->jni;
    jclass class = continuation_class(jni);
    jmethodID method = class == NULL
                           ? NULL
                           : (*jni)->GetStaticMethodID(jni, class, "enterSpecial",
                                                       "(Ljdk/internal/vm/Continuation;ZZ)V");
    (*jni)->ExceptionClear(jni);
    (*jni)->DeleteLocalRef(jni, class);
    return method == NULL ? 0 : hs_vm_method(vm, method);
}

#ifdef HS_BREAKABLE
#include <string.h>

/* Test builds: flaws named by a system property. */
static void read_flaws(const struct hs_vm_access *vm) {
    char *flaws;
    if ((*vm->jvmti)->GetSystemProperty(vm->jvmti, "heapsampler.breakStacks", &flaws) ==
        JVMTI_ERROR_NONE) {
        hs_walk_flaws.drops_compile_id = strstr(flaws, "compile-id") != NULL;
        hs_walk_flaws.ignores_deoptimisation = strstr(flaws, "deopt") != NULL;
        hs_code_believes = strstr(flaws, "places") != NULL;
        hs_vm_scopes_flaws.moves_index = strstr(flaws, "index") != NULL;
        hs_vm_scopes_flaws.drops_inlined = strstr(flaws, "inlined") != NULL;
        hs_vm_mistakes_names = strstr(flaws, "names") != NULL;
        (void)(*vm->jvmti)->Deallocate(vm->jvmti, (unsigned char *)flaws);
    }
}
#endif

/* Any function of the VM leads to its library. */
static const char *read_tables(const struct hs_vm_access *vm) {
    struct hs_vm_tables tables;
    const char *reason =
        hs_hotspot_find((const void *)(uintptr_t)(*vm->jvmti)->GetStackTrace, &tables);
    if (reason == NULL) {
        reason = hs_hotspot_read(&tables, &vm->lookup->layout);
        vm->lookup->layout.scopes.has_no_zeros = vm->feature >= FIRST_JDK_WITHOUT_ZEROS;
        /* release: a callback that sees it sees the layout. */
        atomic_store_explicit(&vm->lookup->has_layout, true, memory_order_release);
    }
    return reason;
}

const char *hs_vm_read_layout(const struct hs_vm_access *vm) {
    /* An agent may attach while a copy of the Java classes begins: the first one reads. */
    static pthread_mutex_t reading = PTHREAD_MUTEX_INITIALIZER;
    static bool has_read;
    static const char *flaw;
    if (vm->feature < HS_FIRST_WALKED_JDK || vm->feature > HS_LAST_WALKED_JDK) {
        return "the stacks of this version of Java are not known";
    }
    if (vm->java_thread_field == NULL) {
        return "this VM does not say where its threads are";
    }
    (void)pthread_mutex_lock(&reading);
    if (!has_read) {
        flaw = read_tables(vm);
        has_read = true;
    }
    const char *reason = flaw;
    (void)pthread_mutex_unlock(&reading);
    return reason;
}

const char *hs_vm_discover(const struct hs_vm_access *vm, bool is_wanted, bool verifies_all) {
    const char *reason =
        is_wanted ? NULL : "it was switched off by the property heapsampler.fastStacks";
#ifdef HS_BREAKABLE
    read_flaws(vm);
#endif
    /* JDK 19 and 20 have them as well, for previews. */
    uintptr_t root = reason == NULL ? continuation_root(vm) : 0;
    if (reason == NULL && vm->feature >= FIRST_JDK_WITH_CONTINUATIONS) {
        reason = root == 0 ? "this VM does not say where virtual threads begin" : NULL;
    }
    if (reason == NULL && hs_lookup_on(vm->lookup, root, verifies_all) != HS_OK) {
        reason = atomic_load_explicit(&vm->lookup->reason, memory_order_acquire);
    }
    return reason;
}
