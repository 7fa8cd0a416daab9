/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What the files of a life share: fake_calls.c calls the natives as Java does, fake_events.c is what the VM
 * tells, fake_life.c and fake_agents.c are lives. What is checked holds whatever call has failed; what is
 * expected when none has stands under `is_whole`. */
#ifndef FAKE_LIFE_H
#define FAKE_LIFE_H

#include "fakevm.h"

enum { LIFE_INTERVAL = 64, LIFE_PATH = 64, LIFE_PAUSE_US = 10000000 };

struct life {
    jlong fired;             /* samples that the first recording is to account for */
    jlong values;            /* of these, value objects */
    jint config_version;     /* that recordings are opened under */
    bool is_whole;           /* no call has failed or is going to */
    bool is_loaded;          /* JNI_OnLoad has said so */
    bool is_dead;            /* the VM */
    bool has_lookups;        /* stacks are looked up */
    bool has_odd_fields;     /* the VM numbers fields otherwise than JVMTI says */
    bool has_mismatch;       /* names that are read differ from the VM's */
    uint32_t stuck_learners; /* rooms that are taken for good */
    bool is_unproved;        /* lookups have yet to prove themselves; otherwise they have */
    jint depth;              /* frames per stack; 0: 8 */
    jint feature;            /* the version of Java; 0: one whose stacks are known */
    const char *refusal;     /* why stacks are not looked up; NULL: not for any of this */
    bool has_left_all;       /* JNI_OnUnload was given no JNIEnv */
    bool had_struck;         /* before this call */
};

extern struct life life;

/* ---- around each call of the library ---- */

void life_before(void);

/* `result`: a reference it answered. Only what the VM itself has thrown may be pending. */
void life_after(const char *function, jobject result);

/* ---- calls of natives ---- */

void life_ask_texts(void);
void life_change_facade(jint change);
void life_configure(void);

/* Its handle, or a status below 0. `is_filtered`: for one thread, one class, two packages. */
jint life_open(bool is_filtered);
jint life_hold(void);
void life_keep_tables(void);
void life_control(const char *function, jint handle);
void life_control_interval(const char *function, jint handle, jint interval);
void life_snapshot(jint handle, jint after);

/* As its array is made, another agent is called back, and calls the natives. */
void life_snapshot_called_back(jint handle);

/* Returns what life_snapshot takes. */
jint life_expect_collection(jint handle);
void life_snapshot_with_reach(jint handle);

/* Finds the holders of all live objects of a snapshot, by the way of one stop. */
void life_held_by(jint handle);
void life_held_by_passes(jint handle);

/* The same with less time than it takes to read what the objects of classes refer to. */
void life_held_by_without_time(jint handle);

/* Lists the class loaders, and the classes of each. */
void life_class_loaders(void);
void life_check_lookups(void);

/* Requests a report, which memory that runs out then makes due, and asks no longer. */
void life_run_out(void);

/* ---- the sweeper ---- */

uint64_t life_rounds(void);

/* It has been woken after `rounds_before` rounds: waits until it is done, and so is where it was in
 * every other life. */
void life_await_sweeper(uint64_t rounds_before);

/* ---- events ---- */

bool life_gives(jvmtiEvent event);
void life_collect(void);
void life_exhaust(void);
void life_start_thread(struct fake_object *object);

/* System.gc(), called by the code that life_stand has put on the stack. */
void life_call_gc(void);

/* The same while there is no engine: the VM is not called. */
void life_call_gc_unseen(void);

/* One sampled allocation; `is_garbage`: nothing keeps the object. */
void life_sample(enum fake_class class, jlong size, struct fake_object *thread, bool is_garbage);

/* One sampled value object, as JDK 28 reports it or, `is_early`, as its first builds do. */
void life_sample_value(bool is_early);

enum life_stack { IN_CART, IN_DEEP, IN_CUT, IN_OWN_CODE, IN_LAST };
void life_stand(enum life_stack stack);

/* Hot: first requested, then looked up and compared, then looked up alone. */
void life_sample_hot(void);
void life_sample_new(void);

/* With a set of labels in force, on a platform thread and on a virtual one, and after it. */
void life_sample_labelled(void);

/* On a thread that the library has not met. */
void life_sample_first(void);

/* ---- loading ---- */

void life_load(void);
void life_unload(void);

/* `left`: bytes that stay. */
void life_check_all_is_back(size_t left);

/* Runs them apart, each on a thread of its own, with the faults of the plan, and checks after each that all
 * is back. */
void life_run(void (*const lives[])(void), int count);

#endif
