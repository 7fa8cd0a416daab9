/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What libdl.so.2 had before glibc 2.34; see pthread.c. */
#define OF_OLD(name)  \
    void name(void);  \
    void name(void) { \
    }

OF_OLD(dladdr)
OF_OLD(dlclose)
OF_OLD(dlopen)
OF_OLD(dlsym)
