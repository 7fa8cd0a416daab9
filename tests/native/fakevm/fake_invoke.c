/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The invocation interface: environments, and threads that attach and detach. */
#include "fakevm.h"

static jint JNICALL get_env(JavaVM *vm, void **env, jint version) {
    cr_assert_eq(vm, fake_vm());
    bool is_jvmti = version == JVMTI_VERSION_11;
    if (fake_fails(is_jvmti ? "GetEnv (JVMTI)" : "GetEnv (JNI)")) {
        return JNI_EVERSION;
    }
    cr_assert(is_jvmti || version == JNI_VERSION_1_8);
    if (is_jvmti) {
        return fake_new_jvmti(env);
    }
    *env = fake_env;
    return JNI_OK;
}

static struct fake_env sweeper = {.functions = &FAKE_JNI, .thread = FAKE_SWEEPER};

static jint JNICALL attach_daemon(JavaVM *vm, void **env, void *arguments) {
    cr_assert_eq(vm, fake_vm());
    cr_assert_not_null(arguments);
    cr_assert_null(fake_env);
    if (fake_fails("AttachCurrentThreadAsDaemon")) {
        *env = (void *)16; /* not to be used */
        return JNI_ERR;
    }
    fake_env = &sweeper;
    *env = fake_env;
    return JNI_OK;
}

/* A thread that could not be detached ends nevertheless; the VM cleans up behind it. */
static jint JNICALL detach(JavaVM *vm) {
    cr_assert_eq(vm, fake_vm());
    bool fails = fake_fails("DetachCurrentThread");
    cr_assert_not(fake_env->is_pending);
    cr_assert_eq(fake_env->locals, 0, "the sweeper left local references");
    fake_env = NULL;
    return fails ? JNI_ERR : JNI_OK;
}

const struct JNIInvokeInterface_ FAKE_INVOKE = {
    .GetEnv = get_env,
    .AttachCurrentThreadAsDaemon = attach_daemon,
    .DetachCurrentThread = detach,
};
