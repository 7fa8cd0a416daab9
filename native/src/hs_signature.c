/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_signature.h"

#include <string.h>

struct text {
    char *out;
    size_t length;
};

static void put(struct text *to, const char *from, size_t bytes) {
    size_t room = HS_SIGNATURE_MAX - to->length;
    size_t n = bytes < room ? bytes : room;
    memcpy(to->out + to->length, from, n);
    to->length += n;
}

/* A text that fills all its room may have been cut inside a character, whose continuation bytes are
 * 10xxxxxx: takes a last character back that is not whole. */
static size_t whole_characters(const struct text *to) {
    size_t start = to->length;
    if (to->length < HS_SIGNATURE_MAX) {
        return to->length;
    }
    do {
        start--;
    } while (start > 0 && ((unsigned char)to->out[start] & 0xC0) == 0x80);
    unsigned char lead = (unsigned char)to->out[start];
    size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : 3;
    return start + bytes <= to->length ? to->length : start;
}

static const char *primitive(char code) {
    switch (code) {
    case 'B': return "byte";
    case 'C': return "char";
    case 'D': return "double";
    case 'F': return "float";
    case 'I': return "int";
    case 'J': return "long";
    case 'S': return "short";
    case 'Z': return "boolean";
    case 'V': return "void";
    default: return NULL;
    }
}

/* In a signature a dot stands before the suffix of a hidden class; Class.getName shows a slash. */
static void put_class(struct text *to, const char *name, size_t bytes) {
    size_t start = to->length;
    put(to, name, bytes);
    for (size_t i = start; i < to->length; i++) {
        if (to->out[i] == '/') {
            to->out[i] = '.';
        } else if (to->out[i] == '.') {
            to->out[i] = '/';
        }
    }
}

size_t hs_signature_to_name(const char *signature, char *out) {
    struct text to = {out, 0};
    size_t dimensions = strspn(signature, "[");
    const char *element = signature + dimensions;
    size_t length = strlen(element);
    if (length >= 3 && element[0] == 'L' && element[length - 1] == ';') {
        put_class(&to, element + 1, length - 2);
    } else if (length == 1 && primitive(element[0]) != NULL) {
        put(&to, primitive(element[0]), strlen(primitive(element[0])));
    } else {
        put(&to, signature, strlen(signature));
        return whole_characters(&to);
    }
    for (size_t i = 0; i < dimensions; i++) {
        put(&to, "[]", 2);
    }
    return whole_characters(&to);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_hex(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Length of "/0x<hex>" at the start of `text`, or 0. */
static size_t address_length(const char *text, size_t bytes) {
    if (bytes < 4 || text[0] != '/' || text[1] != '0' || text[2] != 'x') {
        return 0;
    }
    size_t n = 3;
    while (n < bytes && is_hex(text[n])) {
        n++;
    }
    return n > 3 ? n : 0;
}

static size_t digits_length(const char *text, size_t bytes) {
    size_t n = 0;
    while (n < bytes && is_digit(text[n])) {
        n++;
    }
    return n;
}

/* A marker whose number (with an optional '$' before it) varies from run to run. See plain_length for how it may
 * begin. */
struct numbered {
    const char *marker;
    const char *before; /* the characters right before it, or "" for any */
};

static const struct numbered NUMBERED[] = {
    {"$$Lambda", ""},
    {"$Proxy", "."},
    {"GeneratedMethodAccessor", "reflect."},
    {"GeneratedConstructorAccessor", "reflect."},
    {"GeneratedSerializationConstructorAccessor", "reflect."},
};

static bool ends_with(const struct text *to, const char *suffix) {
    size_t n = strlen(suffix);
    return to->length >= n && memcmp(to->out + to->length - n, suffix, n) == 0;
}

/* Length of what is copied as it is, since no address and no marker begins in it. */
static size_t plain_length(const char *text, size_t bytes) {
    size_t n = 0;
    while (n < bytes && text[n] != '/' && text[n] != '$' && text[n] != 'G') {
        n++;
    }
    return n;
}

/* At a marker: copies it, skips its number, returns how much of `text` is done; else 0. */
static size_t take_numbered(struct text *to, const char *text, size_t bytes) {
    for (size_t i = 0; i < sizeof NUMBERED / sizeof NUMBERED[0]; i++) {
        size_t n = strlen(NUMBERED[i].marker);
        if (bytes < n || memcmp(text, NUMBERED[i].marker, n) != 0 ||
            !ends_with(to, NUMBERED[i].before)) {
            continue;
        }
        put(to, text, n);
        size_t skip = n < bytes && text[n] == '$' ? n + 1 : n;
        size_t digits = digits_length(text + skip, bytes - skip);
        return digits > 0 ? skip + digits : n;
    }
    return 0;
}

/* What may be an address or a marker; returns how much of `text` is done. */
static size_t take_varying(struct text *to, const char *text, size_t bytes, bool *hidden) {
    size_t done = address_length(text, bytes);
    if (done > 0) {
        *hidden = true;
        return done;
    }
    done = take_numbered(to, text, bytes);
    if (done == 0) {
        put(to, text, 1);
        done = 1;
    }
    return done;
}

size_t hs_signature_normalise(const char *raw, size_t bytes, char *out, bool *hidden) {
    static const char DYNAMIC[] = "jdk.proxy";
    struct text to = {out, 0};
    size_t at = 0;
    *hidden = false;
    if (bytes > sizeof DYNAMIC - 1 && memcmp(raw, DYNAMIC, sizeof DYNAMIC - 1) == 0) {
        put(&to, DYNAMIC, sizeof DYNAMIC - 1);
        at = sizeof DYNAMIC - 1;
        at += digits_length(raw + at, bytes - at);
    }
    while (at < bytes) {
        size_t plain = plain_length(raw + at, bytes - at);
        put(&to, raw + at, plain);
        at += plain;
        if (at < bytes) {
            at += take_varying(&to, raw + at, bytes - at, hidden);
        }
    }
    return whole_characters(&to);
}
