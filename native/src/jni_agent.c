/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What the VM calls when the library is named as an agent, with -agentpath or while the VM runs: sampling
 * begins without any Java class of ours. Java classes that come later find this engine (jni_engine.h). A
 * refusal goes to stderr, and the VM runs on. There is no Agent_OnUnload: VMDeath has been before. */
#include <stdio.h>

#include "hs_mem.h"
#include "hs_oom_file.h"
#include "hs_options.h"
#include "hs_vm.h"
#include "jni_engine.h"

static const char OWN_PACKAGE[] = "io.heapsampler";
static const char WHAT[] = "cannot start";

enum { TRACKED = 65536, TRACKED_BY_Z_GENERATIONAL = 8192 };

/* Between Agent_OnLoad and the beginning of the VM's life, on one thread. */
static struct hs_options awaiting;
static bool is_awaited;

/* How a complaint ends: was the JVM sampling before? */
static const char NOBODY[] = "The JVM runs on without sampling";
static const char PERHAPS[] = "Nothing has changed in the JVM";

static void complain(const char *what, const char *why, const char *end) {
    (void)fprintf(stderr, "HeapSampler: %s: %s. %s.\n", what, why, end);
}

static struct hs_limits limits_of(const struct hs_options *wanted, enum hs_collector collector,
                                  uint64_t garbage_bytes) {
    uint64_t tracked = wanted->max_tracked;
    if (tracked == UINT64_MAX) {
        tracked = collector == HS_Z_GENERATIONAL ? TRACKED_BY_Z_GENERATIONAL : TRACKED;
    }
    return (struct hs_limits){
        .depth = (uint32_t)wanted->max_depth,
        .tracked = (uint32_t)tracked,
        .stacks = (uint32_t)wanted->max_stacks,
        .names = (uint32_t)wanted->max_names,
        .sites = (uint32_t)wanted->max_sites,
        .threads = (uint32_t)wanted->max_threads,
        .dead = (uint32_t)wanted->max_dead,
        .garbage_bytes = garbage_bytes,
    };
}

static struct hs_strategy strategy_of(const struct hs_options *wanted) {
    if (wanted->allocations != 0) {
        return (struct hs_strategy){HS_BY_ALLOCATIONS, wanted->allocations};
    }
    if (wanted->at_most_one_us != 0) {
        return (struct hs_strategy){HS_BY_TIME, wanted->at_most_one_us};
    }
    return (struct hs_strategy){HS_BY_BYTES, 0};
}

static enum hs_status start(JNIEnv *jni, const struct hs_options *options) {
    struct hs_sampler *sampler = hs_vm_sampler();
    struct hs_strategy strategy = strategy_of(options);
    struct hs_vm_traits traits;
    uint64_t garbage_bytes;
    uint64_t most = HS_NO_WISH - 1;
    uint64_t wish = options->interval < most ? options->interval : most;
    const struct hs_hold hold = {.interval = (uint32_t)wish,
                                 .overhead = (uint32_t)options->max_overhead,
                                 .name = "agentpath"};
    struct hs_config_version config_version;
    struct hs_hold_id id;
    hs_vm_traits(&traits, &garbage_bytes);
    struct hs_limits limits = limits_of(options, traits.collector, garbage_bytes);
    enum hs_status status =
        hs_sampler_configure(sampler, jni, &limits, &strategy, &traits, &config_version);
    if (status == HS_OK) {
        hs_vm_prepare_lookup_as_told(jni);
        status = hs_sampler_hold(sampler, jni, config_version, hold.interval, &hold, &id);
    }
    if (status == HS_OK && options->report_on_oom[0] != '\0') {
        status = hs_sampler_report_on_oom(sampler, options->report_on_oom);
        if (status != HS_OK) {
            bool is_closed;
            (void)hs_sampler_release(sampler, jni, id, &is_closed);
        }
    }
    return status;
}

static void complain_of(enum hs_status status) {
    const char *why = hs_status_text((int)status);
    bool is_taken = status == HS_BUSY || status == HS_CHANGED;
    if (is_taken) {
        why = "sampling goes on in this JVM already; look at what it finds, or call "
              "HeapSampler.stop() and reset() first";
    } else if (status == HS_NO_MEMORY) {
        why =
            "no native memory is left; all tables together can have 256 MiB, so lower maxTracked, "
            "maxStacks, maxNames or maxSites";
    }
    complain(WHAT, why, is_taken ? PERHAPS : NOBODY);
}

_Static_assert(HS_MEM_DEFAULT_BUDGET == 256u << 20, "as the complaint about memory says");

/* The VM lives. */
static bool begin(JavaVM *vm, JNIEnv *jni, const struct hs_options *options) {
    const struct jni_engine *engine = jni_engine_of_process(jni);
    if (engine == NULL) {
        complain(WHAT,
                 "a HeapSampler of another version is in this JVM already; use the same version "
                 "for the agent and for each copy in the application",
                 PERHAPS);
        return false;
    }
    if (engine != &JNI_ENGINE) {
        complain(WHAT,
                 "another copy of HeapSampler is in this JVM already; start sampling with "
                 "that one",
                 PERHAPS);
        return false;
    }
    enum hs_status status = hs_vm_open(vm, jni, OWN_PACKAGE);
    if (status == HS_OK) {
        status = start(jni, options);
        if (status != HS_OK) {
            hs_vm_close(jni);
        }
    }
    if (status != HS_OK) {
        complain_of(status);
    }
    return status == HS_OK;
}

static void begin_later(JavaVM *vm, JNIEnv *jni) {
    is_awaited = false;
    (void)begin(vm, jni, &awaiting);
}

/* The file is inspected again when it is written; a missing folder must be reported before that. */
static bool is_report_possible(const char *path, char message[HS_OPTIONS_MESSAGE]) {
    enum { LONGEST_SHOWN = 240 };
    const char *why = path[0] == '\0' ? NULL : hs_oom_file_why_not(path);
    if (why != NULL) {
        (void)snprintf(message, HS_OPTIONS_MESSAGE,
                       "reportOnOom names %.*s, where no report can be written: %s; name a file of "
                       "this user's own, in a folder that is there and that others cannot write to",
                       LONGEST_SHOWN, path, why);
    }
    return why == NULL;
}

/* What is there stays as it is unless all options are good. */
static bool read_options(const char *text, struct hs_options *into, const char *end) {
    char message[HS_OPTIONS_MESSAGE];
    struct hs_options read;
    if (!hs_options_read(text, &read, message) ||
        !is_report_possible(read.report_on_oom, message)) {
        complain("bad option of the agent", message, end);
        return false;
    }
    *into = read;
    return true;
}

/* Never refuses: the VM would not start then. */
JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *vm, char *text, void *reserved) {
    (void)reserved;
    if (is_awaited) {
        (void)fprintf(stderr, "HeapSampler: the library is named as an agent twice; the first "
                              "options count.\n");
    } else if (read_options(text, &awaiting, NOBODY)) {
        enum hs_status status = hs_vm_await_init(vm, begin_later);
        is_awaited = status == HS_OK;
        if (status != HS_OK) {
            complain_of(status);
        }
    }
    return JNI_OK;
}

/* Refuses, and the attaching process sees why. Thread: any, several at once. */
JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *vm, char *text, void *reserved) {
    (void)reserved;
    JNIEnv *jni;
    struct hs_options options;
    if ((*vm)->GetEnv(vm, (void **)&jni, JNI_VERSION_1_8) != JNI_OK ||
        !read_options(text, &options, PERHAPS)) {
        return JNI_ERR;
    }
    return begin(vm, jni, &options) ? JNI_OK : JNI_ERR;
}
