/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* The notes of static probes in a file, as a listener reads them (hs_probes.c has their format). */
#ifndef NOTES_H
#define NOTES_H

#include <elf.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOTES_MAX = 16, NOTE_TEXT = 64, NOTE_TYPE = 3, NOTE_ADDRESSES = 24 };

struct note {
    char provider[NOTE_TEXT];
    char name[NOTE_TEXT];
    char arguments[NOTE_TEXT];
    uint64_t site;
    uint64_t semaphore;
};

/* Addresses are as linked; the first byte of the file is at `start`. */
struct notes {
    uint64_t start;
    int count;
    struct note list[NOTES_MAX];
};

/* The bytes of a whole file; the caller frees them. NULL: it cannot be read, or is no ELF file of 64 bits. */
static inline unsigned char *notes_load(const char *path) {
    FILE *file = fopen(path, "rb");
    unsigned char *bytes = NULL;
    if (file != NULL && fseek(file, 0, SEEK_END) == 0) {
        long length = ftell(file);
        bytes = length > (long)sizeof(Elf64_Ehdr) ? malloc((size_t)length) : NULL;
        rewind(file);
        if (bytes != NULL &&
            (fread(bytes, 1, (size_t)length, file) != (size_t)length ||
             memcmp(bytes, ELFMAG, SELFMAG) != 0 || bytes[EI_CLASS] != ELFCLASS64)) {
            free(bytes);
            bytes = NULL;
        }
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    return bytes;
}

static inline const Elf64_Shdr *notes_section(const unsigned char *elf, const char *name) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)elf;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(const void *)(elf + header->e_shoff);
    const char *names = (const char *)elf + sections[header->e_shstrndx].sh_offset;
    for (int i = 0; i < header->e_shnum; i++) {
        if (strcmp(names + sections[i].sh_name, name) == 0) {
            return &sections[i];
        }
    }
    return NULL;
}

static inline uint64_t notes_start(const unsigned char *elf) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)elf;
    const Elf64_Phdr *segments = (const Elf64_Phdr *)(const void *)(elf + header->e_phoff);
    for (int i = 0; i < header->e_phnum; i++) {
        if (segments[i].p_type == PT_LOAD) {
            return segments[i].p_vaddr - segments[i].p_offset;
        }
    }
    return 0;
}

static inline const char *notes_text(const char *from, char *to) {
    (void)snprintf(to, NOTE_TEXT, "%s", from);
    return from + strlen(from) + 1;
}

/* `moved`: how far the section .stapsdt.base is from where the notes have it. */
static inline void notes_one(const unsigned char *description, uint64_t base, struct note *note) {
    uint64_t addresses[3]; /* site, base, semaphore */
    memcpy(addresses, description, sizeof addresses);
    uint64_t moved = base - addresses[1];
    note->site = addresses[0] + moved;
    note->semaphore = addresses[2] == 0 ? 0 : addresses[2] + moved;
    const char *text = notes_text((const char *)description + NOTE_ADDRESSES, note->provider);
    text = notes_text(text, note->name);
    (void)notes_text(text, note->arguments);
}

static inline size_t notes_aligned(size_t bytes) {
    return (bytes + 3) / 4 * 4;
}

/* Returns whether the file has any. */
static inline bool notes_read(const char *path, struct notes *notes) {
    unsigned char *elf = notes_load(path);
    *notes = (struct notes){0};
    if (elf == NULL) {
        return false;
    }
    const Elf64_Shdr *section = notes_section(elf, ".note.stapsdt");
    const Elf64_Shdr *base = notes_section(elf, ".stapsdt.base");
    notes->start = notes_start(elf);
    for (size_t at = 0; section != NULL && base != NULL && at < section->sh_size;) {
        const unsigned char *entry = elf + section->sh_offset + at;
        Elf64_Nhdr sizes;
        memcpy(&sizes, entry, sizeof sizes);
        size_t description = sizeof sizes + notes_aligned(sizes.n_namesz);
        if (sizes.n_type == NOTE_TYPE && notes->count < NOTES_MAX) {
            notes_one(entry + description, base->sh_addr, &notes->list[notes->count++]);
        }
        at += description + notes_aligned(sizes.n_descsz);
    }
    free(elf);
    return notes->count > 0;
}

static inline const struct note *notes_find(const struct notes *notes, const char *name) {
    for (int i = 0; i < notes->count; i++) {
        if (strcmp(notes->list[i].name, name) == 0) {
            return &notes->list[i];
        }
    }
    return NULL;
}

#endif
