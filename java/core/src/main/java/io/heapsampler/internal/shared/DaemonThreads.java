// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import java.security.AccessController;
import java.security.PrivilegedAction;

/**
 * Makes all threads of HeapSampler. A thread takes nothing from the thread that makes it: no
 * inheritable thread locals, no context class loader, no thread group, no priority. An application
 * that starts HeapSampler can be unloaded, and no request's context stays in use.
 *
 * <p>Safe for use by many threads.
 */
public final class DaemonThreads {

    private DaemonThreads() {}

    /**
     * Returns a daemon thread, not started.
     *
     * <p>Its context class loader is the system class loader, which lives as long as the JVM:
     * libraries that an application's callbacks use may fail without one.
     */
    public static Thread of(Runnable work, String name) {
        try {
            return detached(work, name);
        } catch (LinkageError e) { // A later JDK has no AccessController, and no need of it.
            return make(work, name);
        }
    }

    /** Up to JDK 23, a thread keeps the domains, and so the class loaders, of its maker's stack. */
    @SuppressWarnings("removal")
    private static Thread detached(Runnable work, String name) {
        PrivilegedAction<Thread> making = () -> make(work, name);
        return AccessController.doPrivileged(making);
    }

    @SuppressWarnings("ThreadPriorityCheck") // The normal one, instead of that of the caller.
    private static Thread make(Runnable work, String name) {
        Thread thread = new Thread(topGroup(), work, name, 0, false);
        thread.setDaemon(true);
        thread.setPriority(Thread.NORM_PRIORITY);
        thread.setContextClassLoader(ClassLoader.getSystemClassLoader());
        return thread;
    }

    private static ThreadGroup topGroup() {
        ThreadGroup group = Thread.currentThread().getThreadGroup();
        while (group.getParent() != null) {
            group = group.getParent();
        }
        return group;
    }
}
