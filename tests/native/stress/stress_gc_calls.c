/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Threads that add calls beside one that reads them: each call is read whole. */
#include <stdio.h>
#include <string.h>

#include "crew.h"
#include "hs_gc_calls.h"

enum { ADDERS = 3, ROUNDS = 4000 };

static struct hs_gc_calls calls;

static void add(int number) {
    struct hs_gc_call call = {.began_us = number, .took_us = number};
    char method[8];
    (void)snprintf(method, sizeof method, "m%d", number);
    while (hs_gc_stack_add(&call.stack, "shop.Cart", method, 1)) {
    }
    for (int i = 0; i < ROUNDS; i++) {
        hs_gc_calls_add(&calls, &call);
    }
}

static void check(const struct hs_gc_call *call) {
    char first[32];
    size_t length = (size_t)snprintf(first, sizeof first, "shop.Cart.m%d:1", (int)call->began_us);
    HS_CHECK(call->took_us == call->began_us);
    HS_CHECK(strncmp(call->stack.text, first, length) == 0);
    HS_CHECK(strcmp(&call->stack.text[call->stack.bytes - length], first) == 0);
}

static void read_all(int number) {
    (void)number;
    struct hs_gc_call call;
    uint64_t next = 0;
    while (next < (uint64_t)ADDERS * ROUNDS) {
        uint64_t count = hs_gc_calls_count(&calls);
        next = count > next + HS_GC_CALLS ? count - HS_GC_CALLS : next;
        for (; next < count; next++) {
            if (hs_gc_calls_read(&calls, next, &call)) {
                check(&call);
            }
        }
    }
}

Test(stress_gc_calls, each_call_is_read_whole) {
    crew_work *const works[ADDERS + 1] = {read_all, add, add, add};
    cr_assert_eq(hs_gc_calls_init(&calls), HS_OK);
    crew_do(ADDERS + 1, works, 1);
    cr_assert_eq(hs_gc_calls_count(&calls), ADDERS * ROUNDS);
}
