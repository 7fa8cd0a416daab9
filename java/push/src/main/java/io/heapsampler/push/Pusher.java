// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.push;

import io.heapsampler.internal.shared.ClosedRecordingException;
import io.heapsampler.internal.shared.DaemonThreads;
import io.heapsampler.internal.shared.SampleSource;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread that pushes. It takes snapshots, encodes them, keeps them until they are delivered,
 * and waits: for the next snapshot, or for the next attempt. No other thread of the application
 * does any of this or waits for it.
 */
final class Pusher implements Runnable {

    private static final System.Logger LOG = System.getLogger("io.heapsampler.push");

    /** The time to cancel a request, and to count the unsent profiles. */
    private static final long GIVING_UP_MILLIS = 200;

    private final SampleSource source;
    private final Receiver receiver;
    private final PushOptions options;
    private final Deltas deltas;
    private final Sender sender;
    private final Outbox outbox;
    private final Backoff backoff;
    private final Complaints complaints;
    private final Thread thread;

    private long nextSnapshot;
    private long nextAttempt;

    // All below is guarded by this.
    private final Map<PushDrop, Long> dropped = new EnumMap<>(PushDrop.class);
    private long delivered;
    private @Nullable Instant lastDeliveredAt;
    private volatile @Nullable String lastError;
    private @Nullable String endReason;
    private boolean isClosing;
    private long closeBy;

    /** Logs each cause once an hour. For one thread. */
    static final class Complaints {

        static final long AGAIN_AFTER = TimeUnit.HOURS.toNanos(1);

        private final String name;
        private final LongSupplier nanoTime;
        private final Map<String, Long> logged = new HashMap<>();

        Complaints(String name, LongSupplier nanoTime) {
            this.name = name;
            this.nanoTime = nanoTime;
        }

        /**
         * Logs, unless this cause was logged within the hour.
         *
         * @param cause one of few, such as the number of a status or the name of a class
         */
        void log(String cause, String text) {
            long now = nanoTime.getAsLong();
            Long last = logged.get(cause);
            if (last == null || now - last >= AGAIN_AFTER) {
                logged.put(cause, now);
                LOG.log(System.Logger.Level.WARNING, name + ": " + text);
            }
        }
    }

    private Pusher(String name, SampleSource source, Receiver receiver) {
        this.source = source;
        this.receiver = receiver;
        this.options = receiver.options;
        this.deltas = new Deltas(source);
        this.sender = new Sender(receiver);
        this.outbox = new Outbox(options.maxQueueBytes());
        Duration first =
                options.interval().compareTo(Backoff.FIRST) < 0
                        ? options.interval()
                        : Backoff.FIRST;
        this.backoff =
                new Backoff(
                        first,
                        options.maxBackoff(),
                        () -> ThreadLocalRandom.current().nextDouble());
        this.complaints = new Complaints(name, System::nanoTime);
        this.thread = DaemonThreads.of(this, "heapsampler-push-" + name);
        // Not the application's own: some of these end the JVM.
        this.thread.setUncaughtExceptionHandler((thread, e) -> lastError = String.valueOf(e));
    }

    static Pusher start(String name, SampleSource source, Receiver receiver) {
        Pusher pusher = new Pusher(name, source, receiver);
        pusher.thread.start();
        return pusher;
    }

    synchronized PushStatus status() {
        String trouble = endReason == null ? lastError : endReason;
        return new PushStatus(
                delivered, dropped, outbox.size(), outbox.bytes(), lastDeliveredAt, trouble);
    }

    /** Sends the rest within the timeout. Any thread can call it, also twice. */
    void close() {
        beginClosing();
        try {
            TimeUnit.NANOSECONDS.timedJoin(thread, closeBy() - System.nanoTime());
            thread.interrupt();
            TimeUnit.MILLISECONDS.timedJoin(thread, GIVING_UP_MILLIS);
        } catch (InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void beginClosing() {
        if (!isClosing) {
            isClosing = true;
            closeBy = System.nanoTime() + options.closeTimeout().toNanos();
            notifyAll();
        }
    }

    private synchronized long closeBy() {
        return closeBy;
    }

    private synchronized boolean isClosing() {
        return isClosing;
    }

    @Override
    public void run() {
        try {
            begin();
            while (!isClosing()) {
                stepSafely();
            }
            finish();
        } catch (InterruptedException e) {
            // The time to close is over.
        } finally {
            while (outbox.remove() != null) {
                drop(PushDrop.CLOSED, 1);
            }
        }
    }

    private void begin() {
        try {
            deltas.begin();
        } catch (ClosedRecordingException e) {
            end();
        } catch (RuntimeException | Error e) {
            notMade(e);
        }
        // Instances that were started together do not push together.
        long interval = options.interval().toNanos();
        nextAttempt = System.nanoTime();
        nextSnapshot =
                nextAttempt + interval / 2 + ThreadLocalRandom.current().nextLong(interval / 2 + 1);
    }

    /** After any failure, the next interval is tried. */
    private void stepSafely() throws InterruptedException {
        try {
            step();
        } catch (RuntimeException | Error e) {
            nextSnapshot = System.nanoTime() + options.interval().toNanos();
            complain(e.getClass().getName(), "pushing failed: " + e + ". It goes on.");
            sleepUntil(nextSnapshot);
        }
    }

    private void step() throws InterruptedException {
        long now = System.nanoTime();
        if (now - nextSnapshot >= 0) {
            collect();
            nextSnapshot += options.interval().toNanos();
            nextSnapshot = Math.max(nextSnapshot - now, 0) + now;
        }
        HttpRequest head = outbox.head();
        if (head == null) {
            sleepUntil(nextSnapshot);
        } else if (System.nanoTime() - nextAttempt >= 0) {
            attempt(head);
        } else {
            sleepUntil(nextSnapshot - nextAttempt < 0 ? nextSnapshot : nextAttempt);
        }
    }

    /** Sends the last interval and the waiting profiles, until the timeout. */
    private void finish() throws InterruptedException {
        if (options.closeTimeout().isZero()) {
            return;
        }
        collect();
        nextAttempt = System.nanoTime();
        HttpRequest head = outbox.head();
        while (head != null && nextAttempt - closeBy() < 0) {
            long wait = nextAttempt - System.nanoTime();
            if (wait > 0) {
                TimeUnit.NANOSECONDS.sleep(wait);
            }
            attempt(head);
            head = outbox.head();
        }
    }

    private synchronized void sleepUntil(long time) throws InterruptedException {
        long left = time - System.nanoTime();
        while (!isClosing && left > 0) {
            // Rounded up, because a time of 0 would mean forever.
            wait(TimeUnit.NANOSECONDS.toMillis(left) + 1);
            left = time - System.nanoTime();
        }
    }

    private void collect() {
        if (source.closedReason() != null) {
            end();
            return;
        }
        try {
            Deltas.Delta delta = deltas.next();
            if (delta != null) {
                drop(PushDrop.QUEUE_FULL, outbox.add(receiver.encode(delta)));
            }
        } catch (Receiver.TooLargeException e) {
            drop(PushDrop.TOO_LARGE, 1);
            complain(
                    "too large",
                    "a profile has "
                            + e.getMessage()
                            + " and is dropped. Raise PushBuilder.maxQueueBytes(), or lower"
                            + " maxSites().");
        } catch (ClosedRecordingException e) {
            end();
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            notMade(e);
        }
    }

    /**
     * The recording is closed. The profiles that wait are still sent, as when pushing is closed.
     */
    private void end() {
        String text = source.closedReason() + " Pushing has ended.";
        complain("closed", text);
        synchronized (this) {
            endReason = text;
        }
        beginClosing();
    }

    private void notMade(Throwable e) {
        drop(PushDrop.NOT_MADE, 1);
        complain(
                e.getClass().getName(),
                "no profile could be made: " + e + ". The next interval is tried again.");
    }

    private void attempt(HttpRequest request) throws InterruptedException {
        Sender.Answer answer = send(request);
        switch (answer.kind()) {
            case LATER -> tryAgain(answer);
            case BEHIND -> {
                outbox.rotate();
                tryAgain(answer);
            }
            case REFUSED -> {
                outbox.remove();
                drop(PushDrop.REFUSED, 1);
            }
            case PARTLY -> {
                drop(PushDrop.REFUSED, 1);
                delivered();
            }
            case DELIVERED -> delivered();
        }
        if (!answer.text().isEmpty()) {
            complain(answer.cause(), answer.text());
        }
    }

    /**
     * A client of the application can throw anything, and so can the JVM without memory or threads.
     */
    private Sender.Answer send(HttpRequest request) throws InterruptedException {
        try {
            return sender.send(request);
        } catch (RuntimeException | Error e) {
            return Sender.Answer.later(
                    e.getClass().getName(),
                    "a profile could not be sent: " + e + ". Profiles are kept and sent again.");
        }
    }

    private void tryAgain(Sender.Answer answer) {
        nextAttempt = System.nanoTime() + backoff.next(answer.retryAfter()).toNanos();
    }

    private void delivered() {
        outbox.remove();
        backoff.reset();
        synchronized (this) {
            delivered++;
            lastDeliveredAt = Instant.now();
        }
    }

    private synchronized void drop(PushDrop cause, long count) {
        if (count > 0) {
            dropped.merge(cause, count, Long::sum);
        }
    }

    private void complain(String cause, String text) {
        synchronized (this) {
            lastError = text;
        }
        complaints.log(cause, text);
    }
}
