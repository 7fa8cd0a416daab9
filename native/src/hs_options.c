/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_options.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define KNOWN                                                                             \
    "interval, allocations, atMostOnePer, maxOverhead, maxDepth, maxTracked, maxStacks, " \
    "maxNames, maxSites, maxThreads, maxDead, reportOnOom"

/* Those that are allocated at once must leave room in the budget of hs_mem for the others. */
enum { GREATEST_TABLE = 4194304, GREATEST_TRACKED = 2097152, GREATEST_DEAD = 524288 };
enum { LONGEST_SHOWN = 80 };

/* BYTES: k, m, g may follow. TIME: us, ms or s must follow. SHARE: from 0.0001 to 1, kept in parts per
 * million. */
enum kind { A_COUNT, BYTES, TIME, SHARE };
enum { WHOLE_SHARE = 1000000, LEAST_SHARE = 100 };

struct key {
    const char *name;
    enum kind kind;
    uint64_t least;
    uint64_t greatest;
    size_t offset;
};

#define KEY(name, kind, least, greatest, field) \
    { name, kind, least, greatest, offsetof(struct hs_options, field) }

static const struct key KEYS[] = {
    KEY("interval", BYTES, 0, INT32_MAX, interval),
    KEY("allocations", A_COUNT, 1, INT32_MAX, allocations),
    KEY("atMostOnePer", TIME, 1000, UINT64_C(3600000000), at_most_one_us),
    KEY("maxOverhead", SHARE, LEAST_SHARE, WHOLE_SHARE, max_overhead),
    KEY("maxDepth", A_COUNT, 1, 1024, max_depth),
    KEY("maxTracked", A_COUNT, 0, GREATEST_TRACKED, max_tracked),
    KEY("maxStacks", A_COUNT, 16, GREATEST_TABLE, max_stacks),
    KEY("maxNames", A_COUNT, 16, GREATEST_TABLE, max_names),
    KEY("maxSites", A_COUNT, 16, GREATEST_TABLE, max_sites),
    KEY("maxThreads", A_COUNT, 16, GREATEST_TABLE, max_threads),
    KEY("maxDead", A_COUNT, 16, GREATEST_DEAD, max_dead),
};

/* A piece of the text, not terminated. */
struct piece {
    const char *start;
    size_t length;
};

static bool is(struct piece piece, const char *text) {
    return strlen(text) == piece.length && memcmp(piece.start, text, piece.length) == 0;
}

static int shown(struct piece piece) {
    return piece.length < LONGEST_SHOWN ? (int)piece.length : LONGEST_SHOWN;
}

/* What the number is multiplied with; 0 for a suffix that is none. */
static uint64_t factor_of(struct piece suffix, enum kind kind) {
    if (kind == TIME) {
        return is(suffix, "us") ? 1 : is(suffix, "ms") ? 1000 : is(suffix, "s") ? 1000000 : 0;
    }
    if (suffix.length == 0) {
        return 1;
    }
    int letter = suffix.length == 1 && kind == BYTES ? tolower((unsigned char)*suffix.start) : 0;
    return letter == 'k' ? 1 << 10 : letter == 'm' ? 1 << 20 : letter == 'g' ? 1 << 30 : 0;
}

static bool read_number(struct piece value, const struct key *key, uint64_t *result) {
    enum { MOST_DIGITS = 12 };
    uint64_t number = 0;
    size_t digits = 0;
    while (digits < value.length && isdigit((unsigned char)value.start[digits])) {
        number = number * 10 + (uint64_t)(value.start[digits++] - '0');
        if (digits > MOST_DIGITS) {
            return false;
        }
    }
    struct piece suffix = {value.start + digits, value.length - digits};
    uint64_t factor = factor_of(suffix, key->kind);
    bool is_sane = digits > 0 && factor > 0 && number <= key->greatest / factor;
    *result = is_sane ? number * factor : 0;
    return is_sane && *result >= key->least;
}

/* Such as 0.01: one digit, a point, digits. The seventh digit behind the point and later ones count nothing. */
static bool read_share(struct piece value, const struct key *key, uint64_t *result) {
    uint64_t unit = WHOLE_SHARE;
    *result = 0;
    for (size_t i = 0; i < value.length; i++) {
        char c = value.start[i];
        if (i == 1 ? c != '.' : !isdigit((unsigned char)c)) {
            return false;
        }
        if (i != 1) {
            *result += (uint64_t)(c - '0') * unit;
            unit /= 10;
        }
    }
    return value.length != 2 && *result >= key->least && *result <= key->greatest;
}

static const char *unit_of(enum kind kind) {
    return kind == BYTES  ? " bytes (k, m and g may follow)"
           : kind == TIME ? " us (us, ms or s must follow)"
                          : "";
}

static void refuse_value(const struct key *key, struct piece value, char *message) {
    if (key->kind == SHARE) {
        (void)snprintf(
            message, HS_OPTIONS_MESSAGE,
            "%s must be from 0.0001 to 1 of the processor time, as in 0.01, but is \"%.*s\"",
            key->name, shown(value), value.start);
    } else {
        (void)snprintf(message, HS_OPTIONS_MESSAGE,
                       "%s must be from %llu to %llu%s, but is \"%.*s\"", key->name,
                       (unsigned long long)key->least, (unsigned long long)key->greatest,
                       unit_of(key->kind), shown(value), value.start);
    }
}

static bool read_key(const struct key *key, struct piece value, struct hs_options *options,
                     char *message) {
    uint64_t number = 0;
    if (!(key->kind == SHARE ? read_share : read_number)(value, key, &number)) {
        refuse_value(key, value, message);
        return false;
    }
    memcpy((char *)options + key->offset, &number, sizeof number);
    return true;
}

static bool read_path(struct piece value, struct hs_options *options, char *message) {
    if (value.length == 0 || value.length >= HS_OPTIONS_PATH || value.start[0] != '/') {
        (void)snprintf(message, HS_OPTIONS_MESSAGE,
                       "reportOnOom must be an absolute path, but is \"%.*s\"", shown(value),
                       value.start);
        return false;
    }
    memcpy(options->report_on_oom, value.start, value.length);
    options->report_on_oom[value.length] = '\0';
    return true;
}

static bool read_option(struct piece name, struct piece value, struct hs_options *options,
                        char *message) {
    for (size_t i = 0; i < sizeof KEYS / sizeof KEYS[0]; i++) {
        if (is(name, KEYS[i].name)) {
            return read_key(&KEYS[i], value, options, message);
        }
    }
    if (is(name, "reportOnOom")) {
        return read_path(value, options, message);
    }
    (void)snprintf(message, HS_OPTIONS_MESSAGE,
                   "there is no option \"%.*s\"; valid are " KNOWN
                   ", as in interval=64k,maxDepth=64",
                   shown(name), name.start);
    return false;
}

/* The default interval is a number that cannot be requested, so an option that sets one is recognised. */
static bool fits_together(struct hs_options *options, char *message) {
    bool has_interval = options->interval != UINT64_MAX;
    if (options->allocations != 0 && (has_interval || options->at_most_one_us != 0)) {
        (void)snprintf(message, HS_OPTIONS_MESSAGE,
                       "allocations cannot go with interval or atMostOnePer: leave one away");
        return false;
    }
    if (!has_interval) {
        options->interval = options->allocations != 0 ? 0 : 524288;
    }
    return true;
}

bool hs_options_read(const char *text, struct hs_options *options,
                     char message[HS_OPTIONS_MESSAGE]) {
    *options = (struct hs_options){.interval = UINT64_MAX,
                                   .max_depth = 128,
                                   .max_tracked = UINT64_MAX,
                                   .max_stacks = 32768,
                                   .max_names = 65536,
                                   .max_sites = 32768,
                                   .max_threads = 8192,
                                   .max_dead = 4096};
    message[0] = '\0';
    const char *at = text == NULL ? "" : text;
    while (*at != '\0') {
        size_t length = strcspn(at, ",");
        const char *sign = memchr(at, '=', length);
        struct piece name = {at, sign == NULL ? length : (size_t)(sign - at)};
        struct piece value = {at + length, 0};
        if (sign != NULL) {
            value = (struct piece){sign + 1, length - name.length - 1};
        }
        if (!read_option(name, value, options, message)) {
            return false;
        }
        at += length + (at[length] == ',');
    }
    return fits_together(options, message);
}
