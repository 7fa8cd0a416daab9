/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_gc_calls.h"

#include <stdio.h>
#include <string.h>

/* A byte that goes on with a character of UTF-8. */
static bool is_inside_character(char byte) {
    return ((unsigned char)byte & 0xC0) == 0x80;
}

/* The bytes of `text` to keep so that no more than `most` stay and no character is cut. */
static size_t cut(const char *text, size_t most) {
    size_t bytes = strlen(text);
    if (bytes <= most) {
        return bytes;
    }
    bytes = most;
    while (bytes > 0 && is_inside_character(text[bytes])) {
        bytes--;
    }
    return bytes;
}

static void replace_controls(char *text) {
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ') {
            *text = '?';
        }
    }
}

bool hs_gc_stack_add(struct hs_gc_stack *stack, const char *class, const char *method,
                     int32_t line) {
    if (stack->frames == HS_GC_FRAMES) {
        return false;
    }
    char frame[HS_GC_NAME + 16];
    size_t owner = cut(class, HS_GC_NAME - 1);
    size_t name = cut(method, HS_GC_NAME - 1 - owner);
    int length = snprintf(frame, sizeof frame, "%.*s.%.*s", (int)owner, class, (int)name, method);
    if (line > 0) {
        length += snprintf(&frame[length], sizeof frame - (size_t)length, ":%d", (int)line);
    }
    replace_controls(frame);
    uint32_t separator = stack->frames > 0;
    if (stack->bytes + separator + (uint32_t)length >= sizeof stack->text) {
        stack->frames = HS_GC_FRAMES; /* no shorter frame follows a missing one */
        return false;
    }
    if (separator != 0) {
        stack->text[stack->bytes] = '\n';
    }
    memcpy(&stack->text[stack->bytes + separator], frame, (size_t)length + 1);
    stack->bytes += separator + (uint32_t)length;
    stack->frames++;
    return true;
}

enum hs_status hs_gc_calls_init(struct hs_gc_calls *calls) {
    return hs_lock_init(&calls->lock, HS_RANK_GC_CALLS);
}

void hs_gc_calls_add(struct hs_gc_calls *calls, const struct hs_gc_call *call) {
    hs_lock_acquire(&calls->lock);
    calls->calls[calls->count % HS_GC_CALLS] = *call;
    calls->count++;
    hs_lock_release(&calls->lock);
}

uint64_t hs_gc_calls_count(struct hs_gc_calls *calls) {
    hs_lock_acquire(&calls->lock);
    uint64_t count = calls->count;
    hs_lock_release(&calls->lock);
    return count;
}

bool hs_gc_calls_read(struct hs_gc_calls *calls, uint64_t number, struct hs_gc_call *call) {
    hs_lock_acquire(&calls->lock);
    bool is_there = number < calls->count && calls->count - number <= HS_GC_CALLS;
    if (is_there) {
        *call = calls->calls[number % HS_GC_CALLS];
    }
    hs_lock_release(&calls->lock);
    return is_there;
}
