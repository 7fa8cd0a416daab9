// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A response that is written over some seconds. Every second it writes something that means nothing
 * in its format: this keeps the connection alive, and fails when the client has left. Then its work
 * ends and its place is free. So it is when the seconds are over, before the result is written: a
 * client that does not read it keeps no other from waiting.
 */
final class Waiting implements Body {

    private final Costly.Place place;
    private final int seconds;
    private final byte[] beat;
    private final EndpointOptions options;
    private final Work work;
    private Runnable afterWait = () -> {};

    Waiting(Costly.Place place, int seconds, byte[] beat, EndpointOptions options, Work work) {
        this.place = place;
        this.seconds = seconds;
        this.beat = beat.clone();
        this.options = options;
        this.work = work;
    }

    /** What is done meanwhile. */
    interface Work {

        /** Is called after each second but the last. */
        default void tick(int second) throws Refusal, IOException {}

        /** Returns what is written in the end. */
        Rendered finish() throws Refusal, IOException;

        /** Gives back the memory of the work. Can be called twice. */
        void close();
    }

    @Override
    public long length() {
        return -1;
    }

    @Override
    public Duration waits() {
        return options.second().multipliedBy(seconds);
    }

    @Override
    public void afterWait(Runnable action) {
        afterWait = action;
    }

    @Override
    public void writeTo(OutputStream out) throws IOException {
        Body result = await(out);
        try {
            afterWait.run();
            result.writeTo(out);
        } finally {
            result.close();
        }
    }

    private Body await(OutputStream out) throws IOException {
        try {
            long begin = System.nanoTime();
            long second = options.second().toNanos();
            for (int i = 1; i <= seconds; i++) {
                out.write(beat);
                out.flush();
                sleepUntil(begin + i * second);
                if (i < seconds) {
                    work.tick(i);
                }
            }
            return work.finish().body(options.writeTimeout().toNanos());
        } catch (Refusal e) {
            throw new IOException(e.text(), e);
        } finally {
            close();
        }
    }

    private static void sleepUntil(long nanos) throws IOException {
        try {
            TimeUnit.NANOSECONDS.sleep(nanos - System.nanoTime());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for a delta", e);
        }
    }

    @Override
    public void close() {
        place.close();
        work.close();
    }
}
