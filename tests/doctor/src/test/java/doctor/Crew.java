// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;

/** Threads that work side by side; the first failure is that of the crew. */
final class Crew {

    /** What each of them does. */
    interface Job {
        /**
         * Does it.
         *
         * @param number of the thread, from 0
         */
        void work(int number) throws Exception;
    }

    private Crew() {}

    /** Lets this many threads do the job, and waits for them. */
    static void work(int threads, Job job) throws Exception {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        List<Thread> crew = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            Thread thread = new Thread(() -> work(number, job, failure), "crew-" + i);
            thread.setDaemon(true);
            crew.add(thread);
        }
        crew.forEach(Thread::start);
        for (Thread thread : crew) {
            thread.join();
        }
        Throwable first = failure.get();
        if (first instanceof Error error) {
            throw error;
        }
        if (first instanceof Exception exception) {
            throw exception;
        }
    }

    private static void work(int number, Job job, AtomicReference<Throwable> failure) {
        try {
            job.work(number);
        } catch (Exception | Error e) {
            failure.compareAndSet(null, e);
        }
    }
}
