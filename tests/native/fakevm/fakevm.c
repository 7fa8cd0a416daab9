/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What the fake VM keeps account of: faults, references, memory. */
#include "fakevm.h"

#include <pthread.h>

enum { MAX_REFS = 16384, MAX_FRAMES = 4 };

/* Never given twice: a reference that is used after its end is noticed. */
struct ref {
    enum fake_kind kind;
    enum fake_thread thread; /* of a local one */
    struct fake_object *object;
};

struct fake_plan *fake_plan;
_Thread_local struct fake_env *fake_env;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ref refs[MAX_REFS];
static uint32_t ref_count;
static uint32_t alive[FAKE_KINDS];
static uint32_t lent;

/* ---- faults ---- */

static struct fake_function *entry_of(const char *name) {
    for (uint32_t i = 0; i < FAKE_MAX_FUNCTIONS; i++) {
        struct fake_function *function = &fake_plan->functions[i];
        if (function->name[0] == 0) {
            cr_assert_lt(strlen(name), (size_t)FAKE_NAME_BYTES);
            strcpy(function->name, name);
        }
        if (strcmp(function->name, name) == 0) {
            return function;
        }
    }
    cr_assert_fail("more functions than there is room for: %s", name);
    return NULL;
}

bool fake_fails(const char *function) {
    enum fake_thread thread = fake_env == NULL ? FAKE_SWEEPER : fake_env->thread;
    pthread_mutex_lock(&lock);
    struct fake_function *entry = entry_of(function);
    entry->called++;
    bool is_meant = fake_plan->is_armed && thread == fake_plan->thread &&
                    strcmp(function, fake_plan->function) == 0;
    bool is_its_turn = is_meant && ++fake_plan->count == fake_plan->at;
    if (is_its_turn) {
        entry->struck++;
        fake_plan->has_struck = true;
    }
    pthread_mutex_unlock(&lock);
    return is_its_turn;
}

/* ---- references ---- */

struct fake_object *fake_new_object(void) {
    struct fake_object *object = calloc(1, sizeof *object);
    cr_assert_not_null(object);
    return object;
}

static struct ref *ref_of(jobject handle) {
    struct ref *ref = (struct ref *)(void *)handle;
    cr_assert(ref >= refs && ref < refs + ref_count, "this is no reference");
    cr_assert_neq(ref->kind, FAKE_GONE, "a reference was used after its end");
    return ref;
}

jobject fake_new_ref(enum fake_kind kind, struct fake_object *object) {
    pthread_mutex_lock(&lock);
    cr_assert_lt(ref_count, (uint32_t)MAX_REFS);
    struct ref *ref = &refs[ref_count++];
    *ref = (struct ref){kind, FAKE_MAIN, object};
    if (kind == FAKE_LOCAL) {
        ref->thread = fake_env->thread;
        fake_env->locals++;
    }
    object->strong += kind != FAKE_WEAK;
    alive[kind]++;
    pthread_mutex_unlock(&lock);
    return (jobject)(void *)ref;
}

struct fake_object *fake_object_of(jobject handle) {
    if (handle == NULL) {
        return NULL;
    }
    pthread_mutex_lock(&lock);
    struct ref *ref = ref_of(handle);
    cr_assert(ref->kind != FAKE_LOCAL || ref->thread == fake_env->thread, "of another thread");
    pthread_mutex_unlock(&lock);
    return ref->object;
}

void fake_delete_ref(jobject handle, enum fake_kind kind) {
    if (handle == NULL) {
        return;
    }
    pthread_mutex_lock(&lock);
    struct ref *ref = ref_of(handle);
    cr_assert_eq(ref->kind, kind, "given back as another kind of reference");
    if (kind == FAKE_LOCAL) {
        cr_assert_eq(ref->thread, fake_env->thread, "of another thread");
        fake_env->locals--;
    }
    ref->object->strong -= kind != FAKE_WEAK;
    ref->kind = FAKE_GONE;
    alive[kind]--;
    pthread_mutex_unlock(&lock);
}

/* Where each frame begins, of the one thread that makes some. */
static uint32_t frames[MAX_FRAMES];
static uint32_t frame_count;

void fake_push_locals(void) {
    cr_assert_lt(frame_count, (uint32_t)MAX_FRAMES);
    frames[frame_count++] = ref_count;
}

void fake_pop_locals(void) {
    cr_assert_gt(frame_count, 0, "no frame of local references");
    for (uint32_t i = frames[--frame_count]; i < ref_count; i++) {
        if (refs[i].kind == FAKE_LOCAL && refs[i].thread == fake_env->thread) {
            fake_delete_ref((jobject)(void *)&refs[i], FAKE_LOCAL);
        }
    }
}

uint32_t fake_refs(enum fake_kind kind) {
    pthread_mutex_lock(&lock);
    uint32_t count = kind == FAKE_LOCAL ? fake_env->locals : alive[kind];
    pthread_mutex_unlock(&lock);
    return count;
}

void fake_collect(void) {
    pthread_mutex_lock(&lock);
    for (uint32_t i = 0; i < ref_count; i++) {
        struct fake_object *object = refs[i].object;
        if (refs[i].kind != FAKE_GONE) {
            object->is_collected = object->strong == 0 && !object->is_kept;
        }
    }
    pthread_mutex_unlock(&lock);
}

struct fake_object FAKE_THROWN;

void fake_throw_of(const char *signature) {
    cr_assert_not_null(fake_env);
    fake_env->is_pending = true;
    fake_env->thrown = signature;
}

void fake_throw(void) {
    fake_throw_of("Ljava/lang/OutOfMemoryError;");
}

/* ---- memory ---- */

/* Bytes before what is lent, with a mark that tells it from other memory. */
struct loan {
    _Alignas(16) uint64_t mark;
};

static const uint64_t MARK = UINT64_C(0x4c454e54464f5231);

void *fake_lend(size_t bytes) {
    struct loan *loan = calloc(1, sizeof *loan + bytes);
    cr_assert_not_null(loan);
    loan->mark = MARK;
    pthread_mutex_lock(&lock);
    lent++;
    pthread_mutex_unlock(&lock);
    return loan + 1;
}

char *fake_lend_text(const char *text) {
    size_t bytes = strlen(text) + 1;
    return memcpy(fake_lend(bytes), text, bytes);
}

void fake_take_back(void *memory) {
    struct loan *loan = (struct loan *)memory - 1;
    cr_assert_eq(loan->mark, MARK, "this was not lent, or is back already");
    loan->mark = 0;
    free(loan);
    pthread_mutex_lock(&lock);
    lent--;
    pthread_mutex_unlock(&lock);
}

uint32_t fake_lent(void) {
    pthread_mutex_lock(&lock);
    uint32_t count = lent;
    pthread_mutex_unlock(&lock);
    return count;
}
