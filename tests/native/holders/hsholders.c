/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* libhsholders.so, the native half of tests/holders (holders.Native): references of JNI that keep objects alive, and a
 * system that refuses forks. Leaves the exceptions of the methods that it calls pending. */
#include <errno.h>
#include <jni.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static jlong JNICALL new_global(JNIEnv *jni, jclass self, jobject object) {
    (void)self;
    return (jlong)(intptr_t)(*jni)->NewGlobalRef(jni, object);
}

static void JNICALL delete_global(JNIEnv *jni, jclass self, jlong handle) {
    (void)self;
    (*jni)->DeleteGlobalRef(jni, (jobject)(intptr_t)handle);
}

static jlong JNICALL new_weak_global(JNIEnv *jni, jclass self, jobject object) {
    (void)self;
    return (jlong)(intptr_t)(*jni)->NewWeakGlobalRef(jni, object);
}

static jobject JNICALL get(JNIEnv *jni, jclass self, jlong handle) {
    (void)self;
    return (*jni)->NewLocalRef(jni, (jweak)(intptr_t)handle);
}

static void JNICALL delete_weak_global(JNIEnv *jni, jclass self, jlong handle) {
    (void)self;
    (*jni)->DeleteWeakGlobalRef(jni, (jweak)(intptr_t)handle);
}

/* The method of an object's class; NULL with an exception. */
static jmethodID method_of(JNIEnv *jni, jobject object, const char *name, const char *signature) {
    jclass class = (*jni)->GetObjectClass(jni, object);
    jmethodID method = (*jni)->GetMethodID(jni, class, name, signature);
    (*jni)->DeleteLocalRef(jni, class);
    return method;
}

static void JNICALL with_local(JNIEnv *jni, jclass self, jobject make, jobject then) {
    (void)self;
    jmethodID get = method_of(jni, make, "get", "()Ljava/lang/Object;");
    if (get == NULL) {
        return;
    }
    jobject local = (*jni)->CallObjectMethod(jni, make, get);
    if ((*jni)->ExceptionCheck(jni)) {
        return;
    }
    jmethodID run = method_of(jni, then, "run", "()V");
    if (run != NULL) {
        (*jni)->CallVoidMethod(jni, then, run);
    }
    (*jni)->DeleteLocalRef(jni, local);
}

/* ---- a system that refuses forks ---- */

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
/* Goes on behind the next instruction unless the loaded value is this. */
#define IF(value)     BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), 0, 1)
#define RETURN(value) BPF_STMT(BPF_RET | BPF_K, (value))
#define REFUSE(error) RETURN(SECCOMP_RET_ERRNO | (error))

/* New threads are allowed: of them clone says CLONE_THREAD, and for want of clone3 libc uses clone. */
static struct sock_filter NO_FORKS[] = {
    LOAD(nr),
#ifdef SYS_fork
    IF(SYS_fork),
    REFUSE(EPERM),
    IF(SYS_vfork),
    REFUSE(EPERM),
#endif
#ifdef SYS_clone3
    IF(SYS_clone3),
    REFUSE(ENOSYS),
#endif
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 1, 0),
    RETURN(SECCOMP_RET_ALLOW),
    LOAD(args[0]), /* its low half */
    BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD, 0, 1),
    RETURN(SECCOMP_RET_ALLOW),
    REFUSE(EPERM),
};

/* For all threads. */
static jboolean JNICALL forbid_forks(JNIEnv *jni, jclass self) {
    (void)jni;
    (void)self;
    const struct sock_fprog program = {.len = sizeof NO_FORKS / sizeof NO_FORKS[0],
                                       .filter = NO_FORKS};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0;
}

#define METHOD(name, signature, function) \
    { (char *)name, (char *)signature, (void *)function }

static const JNINativeMethod METHODS[] = {
    METHOD("newGlobal", "(Ljava/lang/Object;)J", new_global),
    METHOD("deleteGlobal", "(J)V", delete_global),
    METHOD("newWeakGlobal", "(Ljava/lang/Object;)J", new_weak_global),
    METHOD("get", "(J)Ljava/lang/Object;", get),
    METHOD("deleteWeakGlobal", "(J)V", delete_weak_global),
    METHOD("forbidForks", "()Z", forbid_forks),
    METHOD("withLocal", "(Ljava/util/function/Supplier;Ljava/lang/Runnable;)V", with_local),
};

JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *reserved) {
    JNIEnv *jni;
    (void)reserved;
    if ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_10) != JNI_OK) {
        return JNI_ERR;
    }
    jclass class = (*jni)->FindClass(jni, "holders/Native");
    jint count = (jint)(sizeof METHODS / sizeof METHODS[0]);
    return class != NULL && (*jni)->RegisterNatives(jni, class, METHODS, count) == JNI_OK
               ? JNI_VERSION_10
               : JNI_ERR;
}
