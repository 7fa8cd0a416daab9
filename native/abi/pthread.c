/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* What libpthread.so.0 had before glibc 2.34 took it into libc. Never run: the library is linked against
 * this, so that it requires the oldest version of each function, and loads where there is nothing
 * newer. Later versions of glibc and musl still answer to the name. */
#define OF_OLD(name)  \
    void name(void);  \
    void name(void) { \
    }

OF_OLD(pthread_attr_setstack)
OF_OLD(pthread_attr_setstacksize)
OF_OLD(pthread_create)
OF_OLD(pthread_detach)
OF_OLD(pthread_getspecific)
OF_OLD(pthread_join)
OF_OLD(pthread_key_create)
OF_OLD(pthread_mutex_trylock)
OF_OLD(pthread_once)
OF_OLD(pthread_setspecific)
OF_OLD(pthread_sigmask)
