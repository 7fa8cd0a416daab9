/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_otel_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hs_mem.h"

static const char SYMBOL[] = "otel_thread_ctx_v1";

/* Names that a later version may have: no such record is read. */
static const char *const OTHERS[] = {"otel_thread_ctx_v2", "otel_thread_ctx_v3"};

enum { PATH_BYTES = 1024, LIST_BYTES = 1024 };

_Static_assert(sizeof(void *) == sizeof(Elf64_Addr), "libraries are of 64 bits");

/* ---- one library's table of symbols ---- */

struct symbols {
    const Elf64_Sym *table;
    const char *names;
    const uint32_t *gnu_hash;
    const uint32_t *hash;
};

/* glibc has relocated the addresses in a dynamic section, except on few processors; musl has not. */
static const void *pointer(const struct dl_phdr_info *info, Elf64_Addr value) {
    Elf64_Addr address = value < info->dlpi_addr ? info->dlpi_addr + value : value;
    return (const void *)address;
}

static struct symbols symbols_of(const struct dl_phdr_info *info, const Elf64_Dyn *dynamic) {
    struct symbols symbols = {0};
    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        const void *value = pointer(info, dynamic->d_un.d_ptr);
        switch (dynamic->d_tag) {
        case DT_SYMTAB: symbols.table = value; break;
        case DT_STRTAB: symbols.names = value; break;
        case DT_GNU_HASH: symbols.gnu_hash = value; break;
        case DT_HASH: symbols.hash = value; break;
        default: break;
        }
    }
    return symbols;
}

static bool is_exported(const struct symbols *symbols, uint32_t index, const char *name) {
    const Elf64_Sym *symbol = &symbols->table[index];
    return symbol->st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol->st_info) == STT_TLS &&
           ELF64_ST_BIND(symbol->st_info) != STB_LOCAL &&
           strcmp(symbols->names + symbol->st_name, name) == 0;
}

static const Elf64_Sym *find_by_gnu_hash(const struct symbols *symbols, const char *name) {
    const uint32_t *table = symbols->gnu_hash;
    uint32_t bucket_count = table[0];
    uint32_t first = table[1];
    const uint32_t *buckets = table + 4 + table[2] * (sizeof(Elf64_Addr) / sizeof(uint32_t));
    const uint32_t *chains = buckets + bucket_count;
    uint32_t hash = 5381;
    for (const char *at = name; *at != '\0'; at++) {
        hash = hash * 33 + (unsigned char)*at;
    }
    uint32_t index = bucket_count == 0 ? 0 : buckets[hash % bucket_count];
    for (bool is_end = index < first || index == 0; !is_end; index++) {
        uint32_t chained = chains[index - first];
        if ((chained | 1) == (hash | 1) && is_exported(symbols, index, name)) {
            return &symbols->table[index];
        }
        is_end = (chained & 1) != 0;
    }
    return NULL;
}

/* Any symbol: the table says only so how many there are. */
static const Elf64_Sym *find_by_hash(const struct symbols *symbols, const char *name) {
    uint32_t count = symbols->hash[1];
    for (uint32_t index = 1; index < count; index++) {
        if (is_exported(symbols, index, name)) {
            return &symbols->table[index];
        }
    }
    return NULL;
}

static const Elf64_Sym *find_symbol(const struct symbols *symbols, const char *name) {
    if (symbols->table == NULL || symbols->names == NULL) {
        return NULL;
    }
    return symbols->gnu_hash != NULL ? find_by_gnu_hash(symbols, name)
           : symbols->hash != NULL   ? find_by_hash(symbols, name)
                                     : NULL;
}

/* ---- all libraries ---- */

struct candidate {
    struct hs_otel_library library;
    char path[PATH_BYTES];
};

struct search {
    uint32_t count;
    bool has_other_version;
    struct candidate candidates[HS_OTEL_LIBRARIES];
};

static void note_candidate(struct search *search, const struct dl_phdr_info *info,
                           const Elf64_Sym *symbol, size_t block_bytes) {
    if (search->count == HS_OTEL_LIBRARIES || strlen(info->dlpi_name) >= PATH_BYTES ||
        symbol->st_value > block_bytes || block_bytes - symbol->st_value < sizeof(void *)) {
        return;
    }
    struct candidate *candidate = &search->candidates[search->count++];
    candidate->library = (struct hs_otel_library){
        .module = info->dlpi_tls_modid, .offset = symbol->st_value, .block_bytes = block_bytes};
    memcpy(candidate->path, info->dlpi_name, strlen(info->dlpi_name) + 1);
}

/* Called with the loader's lock of its list: the library stays meanwhile, and nothing may be loaded or closed. */
static int look_at(struct dl_phdr_info *info, size_t size, void *context) {
    struct search *search = context;
    const Elf64_Dyn *dynamic = NULL;
    size_t block_bytes = 0;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const Elf64_Phdr *header = &info->dlpi_phdr[i];
        if (header->p_type == PT_DYNAMIC) {
            dynamic = (const Elf64_Dyn *)(info->dlpi_addr + header->p_vaddr);
        } else if (header->p_type == PT_TLS) {
            block_bytes = header->p_memsz;
        }
    }
    bool knows_module = size >= offsetof(struct dl_phdr_info, dlpi_tls_data);
    if (dynamic == NULL || block_bytes == 0 || !knows_module || info->dlpi_tls_modid == 0) {
        return 0;
    }
    struct symbols symbols = symbols_of(info, dynamic);
    const Elf64_Sym *symbol = find_symbol(&symbols, SYMBOL);
    if (symbol != NULL) {
        note_candidate(search, info, symbol, block_bytes);
    }
    for (size_t i = 0; i < sizeof OTHERS / sizeof OTHERS[0]; i++) {
        search->has_other_version =
            search->has_other_version || find_symbol(&symbols, OTHERS[i]) != NULL;
    }
    return 0;
}

static int count_loads(struct dl_phdr_info *info, size_t size, void *context) {
    struct hs_otel_loads *loads = context;
    if (size >= offsetof(struct dl_phdr_info, dlpi_tls_modid)) {
        loads->adds = info->dlpi_adds;
        loads->subs = info->dlpi_subs;
    }
    return 1; /* they are the same for each */
}

struct hs_otel_loads hs_otel_loads_now(void) {
    struct hs_otel_loads loads = {0};
    (void)dl_iterate_phdr(count_loads, &loads);
    return loads;
}

/* Would glibc find memory for the block, and for its list of this thread's blocks, which may have to grow? malloc mostly
 * gives a thread again what it has just freed. */
static bool has_room(size_t block_bytes) {
    void *room = hs_mem_new(block_bytes + LIST_BYTES);
    hs_mem_free(room, block_bytes + LIST_BYTES);
    return room != NULL;
}

/* RTLD_DI_TLS_MODID of glibc. musl has none, and never gives a number again. */
enum { MODULE_NUMBER = 9 };

typedef int dl_info(void *handle, int request, void *result);

/* Has the open library this number? What __tls_get_addr does with a number that no library has, glibc does not say.
 * dlinfo is looked up, since glibc has it under other versions than the rest of its old functions. */
static bool has_number(void *handle, unsigned long module) {
    dl_info *info = (dl_info *)(uintptr_t)dlsym(RTLD_DEFAULT, "dlinfo");
    size_t number;
    return info == NULL || info(handle, MODULE_NUMBER, &number) != 0 || number == module;
}

/* Holds the library open, and makes sure that it is the one that was seen: the loader has the variable of this thread where we
 * do. Between the two looks another one may have taken its path or its number. */
static bool hold(struct hs_otel_library *library, const char *path, hs_tls_get_addr *get_addr) {
    struct hs_tls_index index = {library->module, library->offset};
    bool unloads = dlsym(RTLD_DEFAULT, "gnu_get_libc_version") != NULL;
    library->handle = dlopen(path[0] == '\0' ? NULL : path, RTLD_LAZY | RTLD_NOLOAD);
    if (library->handle == NULL) {
        return !unloads; /* musl does not find a file that was deleted; but the library stays */
    }
    if (has_number(library->handle, library->module) &&
        dlsym(library->handle, SYMBOL) == get_addr(&index)) {
        return true;
    }
    (void)dlclose(library->handle);
    return false;
}

/* Holds those that are still there. False without memory for the blocks that this thread gets by it. */
static bool hold_all(struct hs_otel_libraries *libraries, struct search *search) {
    for (uint32_t i = 0; i < search->count; i++) {
        struct candidate *candidate = &search->candidates[i];
        if (!has_room(candidate->library.block_bytes)) {
            return false;
        }
        if (hold(&candidate->library, candidate->path, libraries->get_addr)) {
            libraries->items[libraries->count++] = candidate->library;
        }
    }
    return true;
}

bool hs_otel_libraries_find(struct hs_otel_libraries **result) {
    static _Atomic uint64_t serials; /* relaxed: only each is different */
    struct search search = {0};
    union {
        void *object;
        hs_tls_get_addr *function;
    } get_addr;
    *result = NULL;
    (void)dl_iterate_phdr(look_at, &search);
    get_addr.object = dlsym(RTLD_DEFAULT, "__tls_get_addr");
    if ((search.count == 0 && !search.has_other_version) || get_addr.object == NULL) {
        return true;
    }
    struct hs_otel_libraries *libraries = hs_mem_new(sizeof *libraries);
    if (libraries == NULL) {
        return false;
    }
    libraries->serial = 1 + atomic_fetch_add_explicit(&serials, 1, memory_order_relaxed);
    libraries->get_addr = get_addr.function;
    libraries->process = (int)getpid();
    libraries->has_other_version = search.has_other_version;
    bool is_whole = hold_all(libraries, &search);
    if (is_whole && (libraries->count > 0 || libraries->has_other_version)) {
        *result = libraries;
    } else {
        hs_otel_libraries_free(libraries);
    }
    return is_whole;
}

void hs_otel_libraries_free(struct hs_otel_libraries *libraries) {
    for (uint32_t i = 0; libraries != NULL && i < libraries->count; i++) {
        if (libraries->items[i].handle != NULL) {
            (void)dlclose(libraries->items[i].handle);
        }
    }
    hs_mem_free(libraries, sizeof *libraries);
}

/* ---- one thread ---- */

void hs_otel_slots_find(struct hs_otel_slots *slots, const struct hs_otel_libraries *libraries) {
    *slots = (struct hs_otel_slots){.serial = libraries->serial};
    for (uint32_t i = 0; i < libraries->count; i++) {
        const struct hs_otel_library *library = &libraries->items[i];
        struct hs_tls_index index = {library->module, library->offset};
        if (has_room(library->block_bytes)) {
            slots->slots[i] = libraries->get_addr(&index);
        } else {
            slots->serial = 0; /* tried again in the next sample */
        }
    }
}
