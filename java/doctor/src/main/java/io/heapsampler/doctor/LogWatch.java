// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.io.IOException;
import java.util.List;
import javax.management.JMException;
import javax.management.MBeanServer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the JVM's log from the first sign of a problem until five minutes after the last one. The
 * rest of the doctor works without it. Safe for use by many threads.
 */
final class LogWatch implements AutoCloseable {

    static final long OPEN_MILLIS = 300_000;

    /** Metaspace that must be left for the classes of the log. */
    private static final long ROOM = 4 << 20;

    private final JvmSettings settings;
    private final double longPauseMillis;
    private final VmLogParser parser;

    private volatile long wantedUntil = Long.MIN_VALUE;
    private volatile @Nullable VmLog log;
    private volatile boolean isTight;
    private volatile boolean mayLog;

    private boolean isGivenUp;
    private @Nullable String problem;

    /** Watches nothing yet. Half of the longest allowed pause is worth a question. */
    LogWatch(
            History history,
            VmClock clock,
            JvmSettings settings,
            double pauseMaxMillis,
            boolean mayLog) {
        this.settings = settings;
        this.mayLog = mayLog;
        this.longPauseMillis = pauseMaxMillis / 2;
        this.parser = new VmLogParser(history, clock, longPauseMillis);
    }

    /** Takes note of a collection. A long one is reported after others that began later. */
    void heard(GcEvent collection) {
        if (isSign(collection)) {
            wantedUntil = Math.max(wantedUntil, collection.atMillis() + OPEN_MILLIS);
        }
        VmLog open = log;
        if (open != null) {
            open.bound();
        }
    }

    /**
     * Of something that the log explains. Collections requested by tools, such as for a heap dump,
     * are no sign.
     */
    private boolean isSign(GcEvent it) {
        boolean isLong = it.kind().isPause() && it.durationMillis() > longPauseMillis;
        boolean isFailure =
                it.kind() == CollectionKind.FULL_PAUSE
                        || it.kind() == CollectionKind.DEGENERATED_PAUSE;
        return !Causes.isTool(it.cause())
                && (isFailure
                        || isLong
                        || Causes.isStall(it.cause())
                        || it.cause().equals("GCLocker Initiated GC"));
    }

    /** Takes note of a tick: there must be room for the log's classes. */
    void seen(Tick tick) {
        isTight = settings.maxMetaspace() - tick.metaspaceCommitted() < ROOM;
    }

    /** Opens, reads or closes, by {@link VmClock#now()}. */
    void look(long nowMillis) {
        update(mayLog && nowMillis < wantedUntil && !isTight);
    }

    /** What cannot be closed is tried again, and kept short until then. */
    private synchronized void update(boolean wanted) {
        try {
            if (log != null) {
                if (isGivenUp) {
                    log.bound();
                } else {
                    log.read();
                }
                if (!wanted || isGivenUp) {
                    log.close();
                    log = null;
                }
            } else if (wanted && !isGivenUp) {
                MBeanServer server = VmLog.server();
                problem = server == null ? TableRule.note("log.server") : null;
                if (server != null) {
                    log = new VmLog(parser, server, VmLog.place());
                    log.open(settings.collector());
                }
            }
        } catch (IOException | JMException | RuntimeException | LinkageError e) {
            isGivenUp = true;
            problem = Text.reason(e);
        }
    }

    boolean isOpen() {
        return log != null;
    }

    /** Returns what is missing because of the log. */
    synchronized List<String> notes() {
        return problem == null ? List.of() : List.of(TableRule.note("log.unknown", problem));
    }

    @Override
    public void close() {
        mayLog = false;
        update(false); // Otherwise the JVM would write to its file, which grows, until it ends.
    }
}
