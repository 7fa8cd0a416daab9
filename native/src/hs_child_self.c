/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hs_child_parts.h"
#include "hs_child_room.h"
#include "hs_clock.h"
#include "hs_proc.h"

/* Newer than some headers; the same number on all our processors. */
enum { CALL_CLOSE_RANGE = 436 };

enum { IOPRIO_WHO_PROCESS = 1, IOPRIO_IDLE = 3 << 13 };

enum {
    TICK_US = 10000,    /* how often the watcher looks */
    CALM_TICKS = 10,    /* in a row */
    CALM_US = 100000,   /* and as long */
    LEAVE_US = 1000000, /* for a callback to leave when it is over */
    LOCKED_US =
        1000000, /* after that a lock that another thread has is never left; the watcher's are, at once */
    NICER = 10,     /* than the application; its measurement is in doc/holders.md */
    ROOM_TICKS = 5, /* how often the watcher looks for room */
    WATCHER_STACK = 1024 * 1024,
    ENTRIES_BYTES = 2048,      /* of a folder, at once */
    MOST_DESCRIPTORS = 1 << 20 /* tried one by one where the system does not list them */
};

static void sleep_us(long us) {
    const struct timespec time = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
    (void)nanosleep(&time, NULL);
}

/* --- What a child is ------------------------------------------------------------------------------ */

/* What the watcher reads; in a child, from the fork on. -1: cannot be read. */
static int state_file = -1;
static int call_file = -1;

static int open_proc(const char *path) {
    int file = hs_child_fails(HS_CHILD_CALL_PROC) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    return file;
}

static void forget_handlers(void) {
    const struct sigaction standard = {.sa_handler = SIG_DFL};
    const struct sigaction ignored = {.sa_handler = SIG_IGN};
    sigset_t none;
    for (int signal = 1; signal < NSIG; signal++) {
        (void)sigaction(signal, signal == SIGPIPE ? &ignored : &standard, NULL);
    }
    sigemptyset(&none);
    (void)pthread_sigmask(SIG_SETMASK, &none, NULL);
}

/* As the kernel returns it. */
struct entry {
    uint64_t inode;
    int64_t next;
    uint16_t length;
    uint8_t type;
    char name[];
};

static void close_entries(const char *entries, long count, int but, int folder) {
    for (long at = 0; at < count;) {
        const struct entry *entry = (const void *)(entries + at);
        long number = strtol(entry->name, NULL, 10);
        if (entry->name[0] != '.' && number != but && number != folder) {
            (void)close((int)number);
        }
        at += entry->length;
    }
}

/* Not with opendir, which takes memory. */
static bool close_listed(int but) {
    _Alignas(struct entry) char entries[ENTRIES_BYTES];
    int folder = open_proc("/proc/self/fd");
    if (folder < 0) {
        return false;
    }
    long count;
    while ((count = syscall(SYS_getdents64, folder, entries, sizeof entries)) > 0) {
        close_entries(entries, count, but, folder);
    }
    (void)close(folder);
    return count == 0;
}

static void close_each(int but) {
    struct rlimit limit = {.rlim_cur = MOST_DESCRIPTORS};
    (void)getrlimit(RLIMIT_NOFILE, &limit);
    int most = limit.rlim_cur < MOST_DESCRIPTORS ? (int)limit.rlim_cur : MOST_DESCRIPTORS;
    for (int file = 0; file < most; file++) {
        if (file != but) {
            (void)close(file);
        }
    }
}

static bool close_ranges(unsigned but) {
    return !hs_child_fails(HS_CHILD_CALL_CLOSE_RANGE) &&
           syscall(CALL_CLOSE_RANGE, but + 1, ~0U, 0) == 0 &&
           (but == 0 || syscall(CALL_CLOSE_RANGE, 0, but - 1, 0) == 0);
}

/* All but the end of the pipe that is written. It goes above the three that others write text into. */
static void close_others(struct hs_child *child) {
    int file = child->pipe[1];
    if (file <= STDERR_FILENO) {
        int higher = fcntl(file, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        file = higher < 0 ? file : higher;
    }
    if (!close_ranges((unsigned)file) && !close_listed(file)) {
        close_each(file);
    }
    child->pipe[0] = -1;
    child->pipe[1] = file;
}

static void be_the_first_to_go(void) {
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file >= 0) {
        (void)(write(file, "1000", 4) == 4);
        (void)close(file);
    }
}

/* The policy first: a thread may have a real-time one, for which nice means nothing. By number: musl has no such function. */
static void give_way(void) {
    const struct sched_param none = {.sched_priority = 0};
    (void)syscall(SYS_sched_setscheduler, 0, SCHED_BATCH, &none);
    (void)setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + NICER); /* 19 at most */
    (void)syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, IOPRIO_IDLE);
}

/* A VM without memory, or with a broken assumption, writes an error report without a signal, and then runs the program of
 * -XX:OnError. The first byte of a file ends the child before that. */
static void write_no_file(void) {
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_FSIZE, &none); /* SIGXFSZ */
    (void)setrlimit(RLIMIT_CORE, &none);
}

static void be_unreadable(void) {
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static bool is_orphan(const struct hs_child *child) {
    return hs_child_fails(HS_CHILD_CALL_PARENT) || getppid() != child->parent;
}

/* All signals are blocked. The group before the handlers, so that no signal of the terminal ends it; not a session of its
 * own, which would be a group of its own for the scheduler (autogroup), where nice means nothing to the application's.
 * Files of /proc before it becomes unreadable, since then they are root's. */
void hs_child_become(struct hs_child *child, pid_t parent) {
    child->pid = 0;
    child->parent = parent;
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
    if (is_orphan(child)) { /* it went before that took hold */
        _exit(HS_CHILD_EXIT_ALONE);
    }
    forget_handlers();
    close_others(child);
    state_file = open_proc("/proc/self/stat");
    call_file = open_proc("/proc/self/syscall");
    be_the_first_to_go();
    give_way();
    write_no_file();
    be_unreadable();
}

/* --- In the child --------------------------------------------------------------------------------- */

/* One for each process. Written before the watcher begins. */
static struct watch {
    const struct hs_child *child;
    struct hs_child_progress *progress;
    int64_t end_us;
    void (*finish)(void *context, bool has_ended);
    void *context;
} watch;

/* The file's text from its beginning, with an end. Returns false where it cannot be read. */
static bool read_again(int file, char *text, size_t bytes) {
    ssize_t count = file < 0 ? -1 : pread(file, text, bytes - 1, 0);
    text[count > 0 ? count : 0] = '\0';
    return count > 0;
}

/* "pid (name) state ...", of the first thread of the process, which is the one that forked. */
static bool is_asleep(void) {
    char text[256];
    if (!read_again(state_file, text, sizeof text)) {
        return false;
    }
    const char *after = strrchr(text, ')');
    return after != NULL && strncmp(after, ") S", 3) == 0;
}

/* "number six arguments sp pc", or one word. A thread that waits for a lock also sleeps: another had it at the fork, and the
 * work has not ended. Both are futexes. That of a condition is waited for with a bit set (glibc), or lies on the stack
 * of the thread that waits (musl). Others with an end say nothing: an allocator's lock has one, and so do conditions of old
 * libraries. */
enum wait { NO_WAIT, WAITS_FOR_CONDITION, WAITS_FOR_LOCK };

static enum wait read_wait(void) {
    char text[256];
    uint64_t words[8] = {0};
    if (!is_asleep() || !read_again(call_file, text, sizeof text)) {
        return NO_WAIT;
    }
    char *next = text;
    long call = strtol(next, &next, 10);
    for (int i = 0; i < 7; i++) {
        words[i] = strtoull(next, &next, 16);
    }
    uint64_t futex = words[0];
    uint64_t operation = words[1] & ~(uint64_t)(FUTEX_PRIVATE_FLAG | FUTEX_CLOCK_REALTIME);
    uint64_t sp = words[6];
    bool waits = call == SYS_futex && (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET);
    bool has_end = words[3] != 0;
    bool is_on_stack = futex - sp < 65536;
    if (waits && (operation == FUTEX_WAIT_BITSET || is_on_stack)) {
        return WAITS_FOR_CONDITION;
    }
    return waits && !has_end ? WAITS_FOR_LOCK : NO_WAIT;
}

/* Leaves where the child has no business any more, or too little room. */
static void leave_if_bad(int looks) {
    uint64_t least = watch.child->least_room;
    if (is_orphan(watch.child)) {
        _exit(HS_CHILD_EXIT_ALONE);
    }
    if (least > 0 && looks % ROOM_TICKS == 0 && hs_child_room("") < least) {
        _exit(HS_CHILD_EXIT_NO_ROOM);
    }
}

/* Returns whether the work ended before its time was over. */
static bool await_end(struct hs_child_progress *progress) {
    uint64_t seen = 0;
    int ticks = 0;
    int looks = 0;
    int64_t now = hs_clock_monotonic_us();
    int64_t since = now;
    enum wait before = NO_WAIT;
    while (now < watch.end_us) {
        sleep_us(TICK_US);
        now = hs_clock_monotonic_us();
        uint64_t steps = atomic_load_explicit(&progress->steps, memory_order_acquire);
        enum wait wait = steps == seen && steps % 2 == 0 ? read_wait() : NO_WAIT;
        bool is_calm = wait != NO_WAIT && wait == before;
        ticks = is_calm ? ticks + 1 : 0;
        since = is_calm ? since : now;
        seen = steps;
        before = wait;
        if (wait == WAITS_FOR_CONDITION && ticks >= CALM_TICKS && now - since >= CALM_US) {
            return true;
        }
        if (wait == WAITS_FOR_LOCK && ticks >= CALM_TICKS && now - since >= LOCKED_US) {
            _exit(HS_CHILD_EXIT_LOCKED);
        }
        leave_if_bad(looks++);
    }
    return false;
}

/* Returns whether no callback is inside; none comes then. */
static bool bar(struct hs_child_progress *progress) {
    int64_t end_us = hs_clock_monotonic_us() + LEAVE_US;
    atomic_store_explicit(&progress->is_over, true, memory_order_seq_cst);
    for (;;) {
        if (atomic_load_explicit(&progress->steps, memory_order_seq_cst) % 2 == 0) {
            return true;
        }
        if (hs_clock_monotonic_us() >= end_us) {
            return false;
        }
        sleep_us(1000);
    }
}

static void *run_watch(void *unused) {
    bool has_ended = await_end(watch.progress);
    if (!bar(watch.progress)) {
        _exit(HS_CHILD_EXIT_STUCK);
    }
    watch.finish(watch.context, has_ended);
    (void)unused;
    _exit(HS_CHILD_EXIT_STUCK); /* it should have left */
}

/* After a fork, glibc takes the stacks of the threads that are not there for new threads. But the VM's walk reads them: they
 * have the frames of the application. Returns an errno. */
static int give_own_stack(pthread_attr_t *attributes) {
    void *stack = mmap(NULL, WATCHER_STACK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    return stack == MAP_FAILED ? errno : pthread_attr_setstack(attributes, stack, WATCHER_STACK);
}

enum hs_status hs_child_watch(struct hs_child *child, struct hs_child_progress *progress,
                              int64_t most_us, void (*finish)(void *context, bool has_ended),
                              void *context) {
    pthread_attr_t attributes;
    pthread_t id;
    watch = (struct watch){child, progress, hs_clock_monotonic_us() + most_us, finish, context};
    if (pthread_attr_init(&attributes) != 0) {
        return HS_NO_THREAD;
    }
    int error = hs_child_fails(HS_CHILD_CALL_THREAD) ? errno : give_own_stack(&attributes);
    error = error != 0 ? error : pthread_create(&id, &attributes, run_watch, NULL);
    (void)pthread_attr_destroy(&attributes);
    child->error = error;
    return error == 0 ? HS_OK : HS_NO_THREAD;
}

static void write_all(int file, const void *bytes, size_t count) {
    const char *from = bytes;
    while (count > 0) {
        ssize_t written = write(file, from, count);
        if (written < 0 && errno != EINTR) {
            _exit(HS_CHILD_EXIT_ALONE);
        }
        from += written > 0 ? written : 0;
        count -= written > 0 ? (size_t)written : 0;
    }
}

static uint64_t private_now(void) {
    struct hs_proc proc;
    uint64_t kilobytes = 0;
    if (!hs_proc_open(&proc, "", "/proc/self/smaps_rollup")) {
        return 0;
    }
    for (const char *line; (line = hs_proc_next(&proc)) != NULL;) {
        uint64_t value = 0;
        if (hs_proc_value(line, "Private_Clean", &value) ||
            hs_proc_value(line, "Private_Dirty", &value)) {
            kilobytes += value;
        }
    }
    hs_proc_close(&proc);
    return kilobytes * 1024;
}

_Noreturn void hs_child_write(struct hs_child *child, const void *bytes, size_t count) {
    struct hs_child_header header = {
        .magic = HS_CHILD_MAGIC, .bytes = count, .private_bytes = private_now()};
    header.cpu_us = hs_clock_ns(CLOCK_PROCESS_CPUTIME_ID) / 1000;
    write_all(child->pipe[1], &header, sizeof header);
    write_all(child->pipe[1], bytes, count);
    _exit(HS_CHILD_EXIT_DONE);
}
