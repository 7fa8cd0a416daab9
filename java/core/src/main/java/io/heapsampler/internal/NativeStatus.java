// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal;

import io.heapsampler.HeapSamplingUnavailableException;
import io.heapsampler.HeapSamplingUnavailableException.Reason;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The status codes of {@code hs_status.h}, by ordinal, and the exceptions that they become. */
enum NativeStatus {
    OK("success", null),
    INVALID("an argument is out of range", null),
    NO_MEMORY("no native memory is left", Reason.NATIVE_MEMORY),
    FULL("a bounded table is full", null),
    BUSY("a recording is open", null),
    CLOSED("the recording is closed", null),
    TOO_MANY("too many recordings are open", null),
    OWNED("another agent owns heap sampling in this JVM", Reason.OWNED_BY_OTHER),
    JVMTI("the JVM refused a JVMTI call", Reason.JVMTI_REFUSED),
    UNSUPPORTED("this JVM has no heap sampling", Reason.NOT_HOTSPOT),
    NO_THREAD("the background thread could not be started", Reason.NATIVE_MEMORY),
    VM_DEAD("the JVM is shutting down", Reason.SHUTTING_DOWN),
    OWN("an allocation of HeapSampler itself", null),
    NO_STACK("the JVM gave no stack", null),
    CHANGED("another has changed the limits or the strategy meanwhile", null),
    NOT_ATTACHED("the background thread could not attach to the JVM in time", Reason.NATIVE_MEMORY),
    STUCK("a thread is suspended inside a sample", null),
    INSIDE("this thread is inside a snapshot of HeapSampler", null),
    MISCOUNTED("the snapshot is not as long as was counted before", null);

    /** The number of recordings that can be open at once: HS_MAX_RECORDINGS. */
    static final int MAX_RECORDINGS = 64;

    static final String OWNED_TEXT =
            "Heap sampling is already in use in this JVM by another agent (JVMTI error 98,"
                + " NOT_AVAILABLE). Stop it first, e.g. async-profiler \"stop\"; see README, \"One"
                + " sampler per JVM\".";

    private static final NativeStatus[] ALL = values();

    private static final Map<Integer, String> JVMTI_NAMES =
            Map.of(
                    98, "NOT_AVAILABLE",
                    99, "MUST_POSSESS_CAPABILITY",
                    100, "NULL_POINTER",
                    101, "ABSENT_INFORMATION",
                    103, "ILLEGAL_ARGUMENT",
                    110, "OUT_OF_MEMORY",
                    112, "WRONG_PHASE",
                    113, "INTERNAL",
                    115, "UNATTACHED_THREAD",
                    116, "INVALID_ENVIRONMENT");

    private final String text;
    private final @Nullable Reason reason;

    NativeStatus(String text, @Nullable Reason reason) {
        this.text = text;
        this.reason = reason;
    }

    /** Returns the text, the same as in C. */
    String text() {
        return text;
    }

    /** Returns whether a native method failed with this status. Allocates nothing. */
    boolean is(long result) {
        return result < 0 && (-result & 0xFFFF) == ordinal();
    }

    /**
     * Passes a success on and turns a failure into an exception.
     *
     * @param result what a native method answered
     * @param action what was tried, as an infinitive, for the message
     * @return the result, 0 or more
     */
    static long check(long result, String action) {
        if (result >= 0) {
            return result;
        }
        int status = (int) (-result & 0xFFFF);
        int jvmti = (int) (-result >>> 16);
        if (status >= ALL.length) {
            throw new IllegalStateException(
                    "Cannot "
                            + action
                            + ": the library answered the unknown status "
                            + status
                            + ".");
        }
        throw ALL[status].exception(action, jvmti);
    }

    private RuntimeException exception(String action, int jvmti) {
        String message = "Cannot " + action + ": " + text + detail(jvmti) + ". " + remedy();
        if (this == OWNED) {
            return new HeapSamplingUnavailableException(Reason.OWNED_BY_OTHER, OWNED_TEXT, null);
        }
        if (reason != null) {
            return new HeapSamplingUnavailableException(reason, message, null);
        }
        return switch (this) {
            case INVALID -> new IllegalArgumentException(message);
            case BUSY, CLOSED, CHANGED -> new OvertakenException(message);
            default -> new IllegalStateException(message);
        };
    }

    private static String detail(int jvmti) {
        if (jvmti == 0) {
            return "";
        }
        String name = JVMTI_NAMES.get(jvmti);
        return " (JVMTI error " + jvmti + (name == null ? "" : ", " + name) + ")";
    }

    private String remedy() {
        return switch (this) {
            case INVALID -> "Please report this: the facade should have refused it.";
            case NO_MEMORY ->
                    "All tables together can have 256 MiB: lower maxTracked, maxStacks, maxNames or"
                            + " maxSites, or give the process more memory.";
            case FULL ->
                    "A recording: name fewer threads, classes or packages. The process-wide"
                            + " sampler: close holds that are no longer needed, of which there are "
                            + InForce.MAX_HOLDERS
                            + " at most.";
            case BUSY ->
                    "Close all recordings, and call HeapSampler.stop() and reset(), before the"
                            + " limits can change.";
            case CLOSED -> "Open a new one with HeapSampler.record().";
            case TOO_MANY ->
                    "Close some: "
                            + MAX_RECORDINGS
                            + " can be open at once, the process-wide sampler included.";
            case JVMTI ->
                    "Try again; if it stays so, look for other agents and report the error number.";
            case UNSUPPORTED ->
                    "Use HotSpot 17 or later; call HeapSampler.unavailability() beforehand.";
            case NO_THREAD -> "Raise the limit of threads (ulimit -u, pids.max) or of memory.";
            case NOT_ATTACHED ->
                    "Attaching waited for another thread. Do not start sampling while a lock on a"
                            + " ThreadGroup is held, and look for agents that block ThreadStart.";
            case STUCK -> "Resume it, or try later; a debugger may have suspended it.";
            case INSIDE ->
                    "Call it later: another agent was called back as the JVM made the array for the"
                            + " snapshot, and called HeapSampler.";
            case VM_DEAD -> "Nothing can be sampled any more.";
            case CHANGED ->
                    "Try again; an agent, or a copy of HeapSampler in another class loader, also"
                            + " keeps starting and ending sampling.";
            case MISCOUNTED ->
                    "Take another one, and please report this: it is a fault of HeapSampler.";
            case OK, OWNED, OWN, NO_STACK -> "Please report this.";
        };
    }
}
