/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* An SDK publishes again and again, and rewrites its payload where it is: a key of one letter, in each edition another one.
 * No reading sees two letters, or a payload of which a part is missing. */
#include "crew.h"
#include "hs_otel_process.h"
#include "unit/needs_peek.h"
#include "unit/published_context.h"

enum { READINGS = 600, KEYS = 120, KEY_BYTES = 60, LETTERS = 26, MOST_TURNS = 200000 };

static struct published *context;
static struct payload payload;
static _Atomic bool is_over;

/* KEYS keys of one letter each, except at its end. */
static void write_payload(int letter) {
    static char texts[KEYS][KEY_BYTES + 1];
    const char *keys[KEYS + 1];
    for (int i = 0; i < KEYS; i++) {
        memset(texts[i], 'a' + letter, KEY_BYTES);
        texts[i][KEY_BYTES - 1] = (char)('0' + i % 10);
        texts[i][KEY_BYTES - 2] = (char)('0' + i / 10);
        keys[i] = texts[i];
    }
    keys[KEYS] = NULL;
    payload.length = 0;
    payload_keys(&payload, keys);
}

static void publish(int number) {
    struct seeded seeded = {(uint64_t)number + 1};
    for (uint64_t edition = 1; !is_over; edition++) {
        context->published = 0;
        __sync_synchronize();
        write_payload((int)(edition % LETTERS));
        __sync_synchronize();
        context->published = edition;
        /* Mostly long enough for a reading. */
        for (uint32_t i = seeded_below(&seeded, MOST_TURNS); i > 0 && !is_over; i--) {
        }
    }
}

static void check(const struct hs_otel_keys *keys) {
    HS_CHECK(keys->ranks == KEYS);
    for (int i = 0; i < KEYS; i++) {
        HS_CHECK(keys->bytes[i] == KEY_BYTES);
        for (int j = 0; j < KEY_BYTES - 2; j++) {
            HS_CHECK(keys->texts[keys->at[i] + j] == keys->texts[0]);
        }
    }
}

static void look(int number) {
    struct hs_otel_process process = {0};
    (void)number;
    for (int readings = 0; readings < READINGS;) {
        struct hs_otel_keys *keys = hs_otel_process_look(&process, "", 0);
        if (keys != NULL) {
            HS_CHECK(process.state == HS_OTEL_FOUND);
            check(keys);
            hs_otel_keys_free(keys);
            readings++;
        }
    }
    is_over = true;
}

static crew_work *const WORKS[] = {publish, look};

Test(stress_otel_process, no_reading_is_of_two_editions) {
    NEEDS_PEEK();
    context = context_map();
    write_payload(0);
    context_write(context, &payload, 1);
    crew_each(2, WORKS);
}
