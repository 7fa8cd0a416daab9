// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes events of the lines of the JVM's log. The texts are those of JDK 17, 21 and 25; other lines
 * are ignored. Lines contain names of threads, which the application chooses, and JDK 17 writes
 * line breaks in them as they are. So lines must be in the order of time, and texts are matched
 * from both ends. Not safe for use by many threads.
 */
final class VmLogParser {

    /** Longer lines are ignored. */
    private static final int LINE = 1_024;

    /** Lines that are needed end like {@code ms}, {@code failed} or {@code locked.} */
    private static final String ENDS = "sd.";

    private static final double PHASE_MILLIS = 5;

    /** Threads date their lines before they take turns to write them. */
    private static final double DISORDER_MILLIS = 50;

    private static final Pattern HEAD =
            Pattern.compile("\\[(\\d{1,18})ns]\\[([a-z,]+) *] (?:GC\\(\\d+\\) )?(?:[yYO]: )?(.+)");

    private static final Pattern TIMED = Pattern.compile(" *(.+?):? +(\\d{1,9}(?:\\.\\d+)?)ms");

    private static final Pattern STALL = Pattern.compile("Allocation Stall \\(.*\\)");

    private static final Pattern FAILURE =
            Pattern.compile(
                    "To-space exhausted|Pause .*\\(Evacuation Failure(: Allocation.*)?\\).*");

    /** JDK 17 and 21 report the beginning of a wait, JDK 25 its end. */
    private static final Pattern WAITS =
            Pattern.compile("Allocation failed\\. .*? Thread \".*\" \\d+ locked\\.");

    private static final Pattern WAITED =
            Pattern.compile("Thread blocked to start GC\\. Resumed after (\\d{1,9})ms\\. .*");

    private final History history;
    private final VmClock clock;
    private final double leastMillis;
    private final byte[] line = new byte[LINE];
    private int length;
    private double last;
    private double waitsSince = -1;

    /** Phases of 5 ms are reported, and shorter ones if pauses of that length are too long. */
    VmLogParser(History history, VmClock clock, double longPauseMillis) {
        this.history = history;
        this.clock = clock;
        this.leastMillis = Math.min(PHASE_MILLIS, longPauseMillis);
    }

    /** Takes the next bytes of the log. */
    void parse(byte[] bytes, int count) {
        for (int i = 0; i < count; i++) {
            if (bytes[i] != '\n') {
                line[Math.min(length, LINE - 1)] = bytes[i];
                length = Math.min(length + 1, LINE);
                continue;
            }
            if (length > 0 && length < LINE && ENDS.indexOf(line[length - 1]) >= 0) {
                parse(new String(line, 0, length, StandardCharsets.UTF_8));
            }
            length = 0;
        }
    }

    /** Begins anew after lines that were lost. */
    void gap() {
        length = 0;
        waitsSince = -1;
    }

    private void parse(String text) {
        if (text.endsWith(" 0.0ms")) {
            return; // Most of them; the rest costs more.
        }
        Matcher head = HEAD.matcher(text);
        if (!head.matches()) {
            return;
        }
        double at = Long.parseLong(head.group(1)) / 1e6;
        if (at < last - DISORDER_MILLIS || at > clock.now() - clock.start + DISORDER_MILLIS) {
            return;
        }
        last = Math.max(last, at);
        String message = head.group(3);
        switch (head.group(2)) {
            case "gc,jni" -> wait(at, message);
            case "gc,promotion" -> {
                if (message.equals("Promotion failed")) {
                    add("PromotionFailed", at, 0, Map.of());
                }
            }
            case "gc,phases,ref" -> {
                if (message.contains("Reference Processing")) { // The rest is parts of it.
                    phase(at, message);
                }
            }
            case "gc", "gc,phases" -> {
                if (FAILURE.matcher(message).matches()) {
                    add("EvacuationFailed", at, 0, Map.of());
                }
                phase(at, message);
            }
            default -> {} // Not needed.
        }
    }

    private void phase(double at, String message) {
        Matcher timed = TIMED.matcher(message);
        if (!timed.matches() || message.startsWith("Concurrent")) {
            return;
        }
        double millis = Double.parseDouble(timed.group(2));
        String name = timed.group(1);
        boolean isPause = name.startsWith("Pause ");
        if (name.startsWith("Pause Young") || name.startsWith("Pause Full")) {
            waitsSince = -1; // The wait is over.
        }
        if (STALL.matcher(name).matches()) {
            add("ZAllocationStall", at, millis, Map.of());
        } else if (millis >= leastMillis && !name.startsWith("Relocation Stall")) {
            int cause = isPause ? name.indexOf(" (") : -1; // It can be named like a phase.
            String type = isPause ? "GCPhasePause" : "GCPhasePauseLevel1";
            String told = cause < 0 ? name : name.substring(0, cause);
            add(type, at, millis, Map.of("name", told.intern()));
        }
    }

    /** Several threads wait at a time: from the first on, until the last critical section ends. */
    private void wait(double at, String message) {
        Matcher ended = WAITED.matcher(message);
        if (WAITS.matcher(message).matches() && waitsSince < 0) {
            waitsSince = at;
        } else if (message.startsWith("Performing GC after exiting") && waitsSince >= 0) {
            add("GCLocker", at, Math.max(0, at - waitsSince), Map.of());
            waitsSince = -1;
        } else if (ended.matches() && !ended.group(1).equals("0")) {
            add("GCLocker", at, Double.parseDouble(ended.group(1)), Map.of());
        }
    }

    /** Durations are to the microsecond, as timelines are kept in files. */
    private void add(String type, double end, double millis, Map<String, String> values) {
        long at = clock.start + Math.round(end - millis);
        history.add(new JvmEvent(type, at, Math.rint(millis * 1e3) / 1e3, values, List.of()));
    }
}
