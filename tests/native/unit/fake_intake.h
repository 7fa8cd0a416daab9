/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The VM's side of a sample, made of answers. It checks that it is called in order, each function at most once, and
 * only while the thread is inside the phaser. */
#ifndef FAKE_INTAKE_H
#define FAKE_INTAKE_H

#include <criterion/criterion.h>

#include "fake_ops.h"
#include "hs_intake_sample.h"

enum fake_call {
    FAKE_NONE,
    FAKE_BEGIN,
    FAKE_IS_DUE,
    FAKE_THREAD_ID,
    FAKE_NAME_CLASS,
    FAKE_FIND_STACK,
    FAKE_NUMBER_THREAD,
    FAKE_NEW_REF,
    FAKE_RELEASE,
    FAKE_CALLS
};

struct fake_report {
    struct hs_report report;
    struct hs_intake *intake;
    /* The answers. */
    const char *class_name;
    enum hs_status named; /* other than HS_OK: the class has no number */
    int64_t thread;
    bool is_not_due;
    enum hs_status walked;
    struct hs_intake_stack found; /* its flags; the stack is one frame */
    enum hs_status numbered;      /* other than HS_OK: the thread is the other one */
    enum hs_drop no_ref; /* why there is no reference; 0, which no reference has: there is one */
    /* Called at the beginning of each call, when set. */
    void (*during)(enum fake_call call);
    /* What was called last, and the references that were made and given back. */
    enum fake_call last;
    hs_ref made;
    hs_ref released;
};

static inline struct fake_report fake_report(struct hs_intake *intake, const char *class_name,
                                             uint64_t size) {
    return (struct fake_report){
        .report = {.size = size, .has_thread = true, .has_object = true},
        .intake = intake,
        .class_name = class_name,
        .thread = 7,
    };
}

/* Threads inside the phaser. */
static inline int64_t fake_inside(struct hs_intake *intake) {
    int64_t sum = 0;
    for (int i = 0; i < HS_PHASER_STRIPES; i++) {
        sum += atomic_load(&intake->phaser.stripes[i].inside[0]) +
               atomic_load(&intake->phaser.stripes[i].inside[1]);
    }
    return sum;
}

static inline struct fake_report *fake_called(struct hs_report *report, enum fake_call call) {
    struct fake_report *mine = (struct fake_report *)(void *)report;
    if (mine->last >= call || fake_inside(mine->intake) <= 0) {
        fake_wrong("an operation of the intake out of order, or outside the phaser", (hs_ref)call);
    }
    mine->last = call;
    if (mine->during != NULL) {
        mine->during(call);
    }
    return mine;
}

static inline void fake_begin(struct hs_report *report, struct hs_thread_state *self) {
    (void)self;
    (void)fake_called(report, FAKE_BEGIN);
}

static inline bool fake_is_due(struct hs_report *report, struct hs_bias *bias, uint32_t drawn) {
    (void)bias;
    (void)drawn;
    return !fake_called(report, FAKE_IS_DUE)->is_not_due;
}

static inline enum hs_status fake_name_class(struct hs_report *report, struct hs_store *store,
                                             struct hs_intake_class *class) {
    const struct fake_report *mine = fake_called(report, FAKE_NAME_CLASS);
    size_t bytes = strlen(mine->class_name);
    *class = (struct hs_intake_class){.bytes = (uint32_t)bytes, .text = mine->class_name};
    return mine->named != HS_OK ? mine->named
                                : hs_names_put(store->names, mine->class_name, bytes, &class->name);
}

static inline int64_t fake_thread_id(struct hs_report *report) {
    return fake_called(report, FAKE_THREAD_ID)->thread;
}

static inline enum hs_status fake_find_stack(struct hs_report *report, struct hs_store *store,
                                             uint32_t random, bool inside_facade,
                                             struct hs_intake_stack *found) {
    (void)random;
    (void)inside_facade;
    const struct hs_frame_id frame = {0};
    const struct fake_report *mine = fake_called(report, FAKE_FIND_STACK);
    *found = mine->found;
    return mine->walked != HS_OK ? mine->walked
                                 : hs_stacks_put(store->stacks, &frame, 1, &found->stack);
}

static inline enum hs_status fake_number_thread(struct hs_report *report, struct hs_store *store,
                                                int64_t java_thread, struct hs_thread_id *id) {
    enum hs_status status = fake_called(report, FAKE_NUMBER_THREAD)->numbered;
    id->number = HS_THREAD_OTHER;
    if (status == HS_OK) {
        status = hs_threads_put(store->threads, java_thread, id);
    }
    if (status == HS_OK) {
        hs_threads_set_name(store->threads, *id, "main", 4);
    }
    return status;
}

static inline hs_ref fake_new_ref(struct hs_report *report, enum hs_drop *cause) {
    struct fake_report *mine = fake_called(report, FAKE_NEW_REF);
    if (mine->no_ref != 0) {
        *cause = mine->no_ref;
        return 0;
    }
    mine->made = fake_ref();
    return mine->made;
}

static inline void fake_release_ref(struct hs_report *report, hs_ref ref) {
    fake_called(report, FAKE_RELEASE)->released = ref;
    fake_release(FAKE_ENV, ref);
}

static const struct hs_intake_ops FAKE_INTAKE_OPS = {
    .begin = fake_begin,
    .is_due = fake_is_due,
    .name_class = fake_name_class,
    .thread_id = fake_thread_id,
    .find_stack = fake_find_stack,
    .number_thread = fake_number_thread,
    .new_ref = fake_new_ref,
    .release = fake_release_ref,
};

/* Takes the sample in. Returns the reference that the live table has of its object now; 0: none. */
static inline hs_ref fake_take_in(struct fake_report *report) {
    hs_intake_sample(report->intake, &FAKE_INTAKE_OPS, &report->report);
    return report->released == report->made ? 0 : report->made;
}

#endif
