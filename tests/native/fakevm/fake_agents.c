/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Lives that begin as an agent. */
#include <stdio.h>
#include <unistd.h>

#include "fake_life.h"
#include "hs_vm.h"

typedef jobject object_native(JNIEnv *, jclass);

/* What the agent is given, and then once more: naming it twice, or attaching it to a JVM that samples
 * already, changes nothing. */
static char options[256];
static char other_options[] = "interval=4k,maxDepth=16";
static char report[LIFE_PATH];

static void choose_options(bool reports) {
    (void)snprintf(report, sizeof report, "/tmp/hs-agent-%d.txt", (int)getpid());
    (void)snprintf(options, sizeof options,
                   "interval=%d,maxDepth=8,maxTracked=16,maxStacks=64,maxNames=256,maxSites=64,"
                   "maxThreads=16,maxDead=16%s%s",
                   (int)LIFE_INTERVAL, reports ? ",reportOnOom=" : "", reports ? report : "");
}

static void attach_twice(void) {
    jint first = Agent_OnAttach(fake_vm(), options, NULL);
    cr_assert_eq(first == JNI_OK, hs_vm_sampler() != NULL);
    fake_env->is_pending = false; /* as the VM does with whatever an attached agent leaves */
    jint second = Agent_OnAttach(fake_vm(), other_options, NULL);
    cr_assert(second == JNI_ERR || first == JNI_ERR, "there is one engine, and it is taken");
    cr_assert_eq(first == JNI_OK || second == JNI_OK, hs_vm_sampler() != NULL);
}

static void load_twice(void) {
    cr_assert_eq(Agent_OnLoad(fake_vm(), options, NULL), JNI_OK, "the VM would not start");
    const struct fake_jvmti *first = fake_jvmti();
    bool is_awaited = life_gives(JVMTI_EVENT_VM_INIT);
    cr_assert_eq(Agent_OnLoad(fake_vm(), other_options, NULL), JNI_OK, "the VM would not start");
    cr_assert(!is_awaited || fake_jvmti() == first, "one environment waits");
    if (life_gives(JVMTI_EVENT_VM_INIT)) {
        fake_jvmti()->callbacks.VMInit((jvmtiEnv *)(void *)fake_jvmti(), fake_main_env(), NULL);
    }
    cr_assert(fake_jvmti() == NULL || !life_gives(JVMTI_EVENT_VM_INIT));
}

/* As the first options say, whatever came after them. */
static void check_in_force(void) {
    int64_t values[HS_STATUS_VALUES];
    hs_sampler_status(hs_vm_sampler(), values);
    const int64_t *in_force = values + HS_FIGURES;
    cr_assert_eq(in_force[0], 1, "one recording");
    cr_assert_gt(in_force[1], 0, "the process-wide one");
    cr_assert_eq(in_force[2], 1, "takes samples");
    cr_assert_eq(in_force[3], LIFE_INTERVAL);
    cr_assert_eq(in_force[7], 8, "frames");
}

/* A class of ours comes later and goes; to it, memory that runs out is reported where the agent said. */
static void meet_a_class(void) {
    life_load();
    if (hs_vm_sampler() != NULL && life.is_loaded) {
        life_before();
        life_after("status", ((object_native *)fake_native("status"))(fake_main_env(), NULL));
        life_before();
        life_after("reportFile",
                   ((object_native *)fake_native("reportFile"))(fake_main_env(), NULL));
    }
    life_unload();
}

/* From before the VM lives, or attached while it does. */
static void agent_life(void (*begin)(void), bool reports) {
    life.is_whole = fake_plan->at == 0 || fake_plan->has_struck;
    life.has_left_all = false;
    life.fired = 0;
    choose_options(reports);
    fake_forget_properties();
    life_before();
    begin();
    life_after("Agent", NULL);
    cr_assert(!life.is_whole || hs_vm_sampler() != NULL);
    life_stand(IN_CART);
    life_sample(CLASS_CART, 24, &FAKE_PLATFORM_THREAD, false); /* more are for fake_life.c */
    cr_assert(!life.is_whole || life.fired == 1, "sampled before any class came");
    if (life.is_whole) {
        check_in_force();
    }
    meet_a_class();
    cr_assert(!life.is_whole || hs_vm_sampler() != NULL, "the agent is still there");
    cr_assert(!life.is_whole || life_gives(JVMTI_EVENT_RESOURCE_EXHAUSTED) == reports);
    life_exhaust();
    cr_assert(!life.is_whole || (access(report, F_OK) == 0) == reports);
    cr_assert(reports || access(report, F_OK) != 0, "written without a request");
    (void)unlink(report);
    hs_vm_close(fake_main_env());
    cr_assert(life.has_left_all || hs_vm_sampler() == NULL, "it was counted once");
}

static void from_the_start(void) {
    agent_life(load_twice, false);
}

static void from_the_start_with_a_report(void) {
    agent_life(load_twice, true);
}

static void attached(void) {
    agent_life(attach_twice, false);
}

static void attached_with_a_report(void) {
    agent_life(attach_twice, true);
}

void fake_agents(void) {
    static void (*const LIVES[])(void) = {from_the_start, from_the_start_with_a_report, attached,
                                          attached_with_a_report};
    life_run(LIVES, 4);
}

static void attach_wrongly(void) {
    char wrong[] = "interval=64,depth=8";
    cr_assert_eq(Agent_OnAttach(fake_vm(), wrong, NULL), JNI_ERR);
    cr_assert_null(hs_vm_sampler());
    cr_assert_eq(Agent_OnLoad(fake_vm(), wrong, NULL), JNI_OK, "the VM would not start");
    cr_assert_null(fake_jvmti());
}

void fake_wrong_agent(void) {
    fake_run(attach_wrongly);
}
