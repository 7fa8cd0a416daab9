/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* A listener from outside, as a profiler is, by ptrace instead of eBPF:
 *
 *   listen <process> <part of the library's path> <file for events>
 *
 * finds the probes by the notes in the file that the process has mapped, puts breakpoints there, raises the
 * semaphores, prints "listening", and writes a line for each event: <thread> <probe> <arguments>. It goes on until its
 * input ends, takes all back, and returns 0; 77 where it may not trace the process; 1 after a failure, which it
 * explains. Only x86-64. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "notes.h"

enum { FORBIDDEN = 77, TASKS_MAX = 4096 };
enum { BREAK = 0xCC, NOP = 0x90 };

static const struct {
    const char *name;
    size_t offset;
} REGISTERS[] = {{"8@%rdi", offsetof(struct user_regs_struct, rdi)},
                 {"8@%rsi", offsetof(struct user_regs_struct, rsi)},
                 {"8@%rdx", offsetof(struct user_regs_struct, rdx)}};

static pid_t process;
static int memory;
static FILE *events;
static struct notes notes;
static uint64_t bias;
static bool is_ending;

__attribute__((noreturn, format(printf, 1, 2))) static void fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    (void)fprintf(stderr, "listen: ");
    (void)vfprintf(stderr, format, arguments);
    (void)fprintf(stderr, " (%s)\n", strerror(errno));
    va_end(arguments);
    _exit(errno == EPERM || errno == EACCES ? FORBIDDEN : 1);
}

static pid_t number(const char *text) {
    return (pid_t)strtol(text, NULL, 10);
}

/* ---- the process's memory ---- */

/* The library may be deleted by now, so it is opened by its mapping. */
static void find_library(const char *part) {
    char path[128];
    char line[1024];
    (void)snprintf(path, sizeof path, "/proc/%d/maps", (int)process);
    FILE *maps = fopen(path, "r");
    if (maps == NULL) {
        fail("cannot open %s", path);
    }
    unsigned long start = 0;
    unsigned long end = 0;
    bool is_found = false;
    while (!is_found && fgets(line, sizeof line, maps) != NULL) {
        char *rest; /* <start>-<end> r-xp <offset> ... */
        start = strtoul(line, &rest, 16);
        end = strtoul(rest + 1, &rest, 16);
        is_found = strstr(line, part) != NULL && strtoul(rest + 6, NULL, 16) == 0;
    }
    if (!is_found) {
        errno = 0;
        fail("no %s in process %d", part, (int)process);
    }
    (void)fclose(maps);
    (void)snprintf(path, sizeof path, "/proc/%d/map_files/%lx-%lx", (int)process, start, end);
    if (!notes_read(path, &notes)) {
        fail("no probes in %s", path);
    }
    bias = start - notes.start;
}

static void put(uint64_t address, const void *bytes, size_t length) {
    if (pwrite(memory, bytes, length, (off_t)(address + bias)) != (ssize_t)length) {
        fail("cannot write to process %d", (int)process);
    }
}

static void get(uint64_t address, void *bytes, size_t length) {
    if (pread(memory, bytes, length, (off_t)(address + bias)) != (ssize_t)length) {
        fail("cannot read process %d", (int)process);
    }
}

static void change_listeners(int change) {
    for (int i = 0; i < notes.count; i++) {
        unsigned short count;
        get(notes.list[i].semaphore, &count, sizeof count);
        count = (unsigned short)(count + change);
        put(notes.list[i].semaphore, &count, sizeof count);
    }
}

static void set_breakpoints(bool are_set) {
    const unsigned char wanted = are_set ? BREAK : NOP;
    for (int i = 0; i < notes.count; i++) {
        unsigned char there;
        get(notes.list[i].site, &there, 1);
        if (there != (are_set ? NOP : BREAK)) {
            errno = 0;
            fail("at the probe %s is %02x", notes.list[i].name, there);
        }
        put(notes.list[i].site, &wanted, 1);
    }
}

/* ---- its threads ---- */

static int tasks(pid_t *list) {
    char path[64];
    int count = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *folder = opendir(path);
    // cppcheck-suppress readdirCalled ; there is one thread
    for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        if (entry->d_name[0] != '.' && count < TASKS_MAX) {
            list[count++] = number(entry->d_name);
        }
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return count;
}

/* Ours: the threads that a traced thread begins are. */
static bool is_traced(pid_t task) {
    char path[64];
    char line[128];
    pid_t tracer = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/task/%d/status", (int)process, (int)task);
    FILE *status = fopen(path, "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        tracer = strncmp(line, "TracerPid:", 10) == 0 ? number(line + 10) : tracer;
    }
    if (status != NULL) {
        (void)fclose(status);
    }
    return tracer == getpid();
}

/* Until no thread is new: those that are not traced yet go on beginning others. */
static void seize_all(void) {
    static pid_t list[TASKS_MAX];
    bool is_new = true;
    while (is_new) {
        is_new = false;
        int count = tasks(list);
        for (int i = 0; i < count; i++) {
            if (is_traced(list[i])) {
                continue;
            }
            is_new = true;
            if (ptrace(PTRACE_SEIZE, list[i], NULL, PTRACE_O_TRACECLONE) != 0 && errno != ESRCH) {
                fail("cannot trace thread %d", (int)list[i]);
            }
        }
    }
}

/* ---- events ---- */

static const struct note *note_at(uint64_t address) {
    for (int i = 0; i < notes.count; i++) {
        if (notes.list[i].site + bias == address) {
            return &notes.list[i];
        }
    }
    return NULL;
}

static uint64_t argument(const struct user_regs_struct *registers, const char *where) {
    for (size_t i = 0; i < sizeof REGISTERS / sizeof REGISTERS[0]; i++) {
        if (strcmp(REGISTERS[i].name, where) == 0) {
            return *(const uint64_t *)((const char *)registers + REGISTERS[i].offset);
        }
    }
    errno = 0;
    fail("an argument in %s", where);
}

/* The thread is behind the breakpoint, which is as long as the nop: nothing is to be made up for. */
static bool is_event(pid_t task) {
    struct user_regs_struct registers;
    if (ptrace(PTRACE_GETREGS, task, NULL, &registers) != 0) {
        return false;
    }
    const struct note *note = note_at(registers.rip - 1);
    if (note == NULL) {
        return false;
    }
    char arguments[NOTE_TEXT];
    (void)snprintf(arguments, sizeof arguments, "%s", note->arguments);
    (void)fprintf(events, "%d %s:%s", (int)task, note->provider, note->name);
    for (char *rest = arguments, *one; (one = strtok_r(rest, " ", &rest)) != NULL;) {
        (void)fprintf(events, " %llu", (unsigned long long)argument(&registers, one));
    }
    (void)fputc('\n', events);
    return true;
}

/* Returns whether the thread is one less: over or, at the end, let go. */
static bool handle(pid_t task, int status) {
    if (!WIFSTOPPED(status)) {
        return true;
    }
    int signal = WSTOPSIG(status);
    int event = status >> 16;
    if (is_ending && event == PTRACE_EVENT_STOP) {
        (void)ptrace(PTRACE_DETACH, task, NULL, NULL);
        return true;
    }
    bool is_ours = event != 0 || (signal == SIGTRAP && is_event(task));
    (void)ptrace(PTRACE_CONT, task, NULL, is_ours ? 0L : (long)signal);
    return false;
}

static void handle_all(void) {
    int status;
    for (pid_t task; (task = waitpid(-1, &status, __WALL | WNOHANG)) > 0;) {
        (void)handle(task, status);
    }
}

/* Until the input ends; a change of a thread interrupts the wait. */
static void listen_on(const sigset_t *unblocked) {
    char byte;
    struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
    for (;;) {
        handle_all();
        if (ppoll(&input, 1, NULL, unblocked) > 0 && read(STDIN_FILENO, &byte, 1) <= 0) {
            return;
        }
    }
}

/* Threads that have met a breakpoint already are heard before they are let go. */
static void let_go(void) {
    static pid_t now[TASKS_MAX];
    is_ending = true;
    change_listeners(-1);
    set_breakpoints(false);
    int count = tasks(now);
    for (int i = 0; i < count; i++) {
        (void)ptrace(PTRACE_INTERRUPT, now[i], NULL, NULL);
    }
    int status;
    for (pid_t task; (task = waitpid(-1, &status, __WALL)) > 0;) {
        (void)handle(task, status);
    }
}

static void on_child(int signal) {
    (void)signal;
}

int main(int argc, char **argv) {
    if (argc != 4) {
        errno = EINVAL;
        fail("usage: listen <process> <part of the library's path> <file>");
    }
    char path[64];
    sigset_t blocked;
    sigset_t unblocked;
    process = number(argv[1]);
    (void)sigemptyset(&blocked);
    (void)sigaddset(&blocked, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &blocked, &unblocked);
    (void)sigaction(SIGCHLD, &(struct sigaction){.sa_handler = on_child}, NULL);
    (void)snprintf(path, sizeof path, "/proc/%d/mem", (int)process);
    memory = open(path, O_RDWR);
    events = fopen(argv[3], "w");
    if (memory < 0 || events == NULL) {
        fail("cannot open %s", memory < 0 ? path : argv[3]);
    }
    find_library(argv[2]);
    seize_all();
    set_breakpoints(true);
    change_listeners(1);
    (void)puts("listening");
    (void)fflush(stdout);
    listen_on(&unblocked);
    let_go();
    return fclose(events) == 0 ? 0 : 1;
}
