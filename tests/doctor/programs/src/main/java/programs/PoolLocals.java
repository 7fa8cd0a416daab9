// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Formatters with a thread-local state that refers to its formatter: the threads of the pool keep
 * each of them. Arguments: seconds, requests per second.
 */
final class PoolLocals {

    /** A formatter for one request. */
    static final class Formatter {

        private final ThreadLocal<State> states = ThreadLocal.withInitial(() -> new State(this));

        String format(String text) {
            State state = states.get();
            state.buffer.setLength(0);
            return state.buffer.append('[').append(text).append(']').toString();
        }

        /** What a thread formats with. */
        private static final class State {

            final Formatter owner;
            final StringBuilder buffer = new StringBuilder(3_000);

            State(Formatter owner) {
                this.owner = owner;
            }
        }
    }

    private PoolLocals() {}

    public static void main(String... args) {
        ExecutorService pool = Executors.newFixedThreadPool(8, PoolLocals::daemon);
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]),
                        number -> {
                            Garbage.make(32);
                            // Requests arrive one after the other, as from a queue.
                            CompletableFuture.runAsync(PoolLocals::handle, pool).join();
                        });
    }

    /** The threads live as long as the JVM, as those of a service do. */
    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "pool");
        thread.setDaemon(true);
        return thread;
    }

    private static void handle() {
        Garbage.sink = new Formatter().format(Garbage.text(100));
    }
}
