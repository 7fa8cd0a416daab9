// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * The options of the agent, by their keys. The first eight are those of the allocation
 * instrumenter's flame sampler, with the names and the meaning that its documentation gives them;
 * the others have the names that {@code -agentpath} and {@code SamplerOptions} use. README, "The
 * agent", has the same table; a test compares the two.
 */
public enum Option {
    RECORDER("recorder", "flame", "flame, lifetime, snapshot or none"),
    OUTPUT_FILE("output.file", "", "a path; %p becomes the process id, %t the time of the start"),
    STACK_TRACE_VERBOSITY(
            "stack.trace.verbosity",
            "methodClassName",
            "methodName, methodClassName or methodClassLineNumber"),
    RECORD_SIZE("record.size", "true", "true or false"),
    SAMPLE_DELAY_SECS("sample.delay.secs", "0", "seconds, 0 or more"),
    SAMPLE_STRATEGY("sample.strategy", "bytes", "bytes, allocationCount or time"),
    SAMPLE_INTERVAL_MS("sample.interval.ms", "10", "milliseconds, from 1 to 3600000"),
    SAMPLE_RATE("sample.rate", "10000", "allocations, from 1 to 2147483647"),

    FILE("file", "", "a file with options, as properties in UTF-8"),
    INTERVAL("interval", "512k", "bytes, with k or m for KiB or MiB, from 0 to 2147483647"),
    MAX_OVERHEAD(
            "maxOverhead", "0.01", "a share of the processor time, from 0.0001 to 1, such as 0.01"),
    MAX_DEPTH("maxDepth", "128", "frames, from 1 to 1024"),
    MAX_TRACKED("maxTracked", "", "objects, from 0 to 2097152"),
    LIVE("live", "false", "true or false"),
    INCLUDE("include", "", "packages or classes, separated by colons"),
    EXCLUDE("exclude", "", "packages or classes, separated by colons"),
    OUTPUT_FORMAT(
            "outputFormat",
            "stacks",
            "stacks, pprof, collapsed, json, html, jfr, speedscope, dhat, csv or hsnap"),
    OUTPUT_BYTES("outputBytes", "estimated", "estimated or raw"),
    OUTPUT_INTERVAL_SECS("outputIntervalSecs", "", "seconds, from 1 to 86400"),
    TYPE_NAMES("typeNames", "slashed", "slashed or dotted"),
    LIFETIME_MAX_MB("lifetimeMaxMb", "1024", "MiB, from 1 to 1048576"),
    SNAPSHOT_FILES("snapshotFiles", "10", "files, from 1 to 10000"),
    SNAPSHOT_MAX_MB("snapshotMaxMb", "100", "MiB, from 1 to 1048576"),
    HTTP_PORT("httpPort", "", "a port, from 0 to 65535"),
    HTTP_TOKEN_FILE("httpTokenFile", "", "a file that holds 16 or more characters"),
    REPORT_ON_EXIT("reportOnExit", "", "a path whose ending tells the format, such as .html"),
    REPORT_ON_OOM("reportOnOom", "", "a path"),
    DOCTOR("doctor", "false", "true or false"),
    DOCTOR_FILE("doctorFile", "", "a path that ends in .txt, .json or .html"),
    DOCTOR_FLIGHT_RECORDER("doctorFlightRecorder", "false", "true or false"),
    EXIT_TIMEOUT_MS("exitTimeoutMs", "2000", "milliseconds, from 0 to 60000");

    /** Before a key, as a system property. */
    static final String PROPERTY_PREFIX = "heapsampler.agent.";

    /** Before the name of the constant, in the environment. */
    static final String VARIABLE_PREFIX = "HEAPSAMPLER_AGENT_";

    private final String key;
    private final String usual;
    private final String takes;

    Option(String key, String usual, String takes) {
        this.key = key;
        this.usual = usual;
        this.takes = takes;
    }

    /** Returns whether the value is the path of a file. */
    boolean isPath() {
        return switch (this) {
            case FILE, OUTPUT_FILE, HTTP_TOKEN_FILE, REPORT_ON_EXIT, REPORT_ON_OOM, DOCTOR_FILE ->
                    true;
            default -> false;
        };
    }

    /** Returns whether an option has this key, and its value is the path of a file. */
    public static boolean isPath(String key) {
        return ofKey(key).filter(Option::isPath).isPresent();
    }

    /** The name, such as {@code sample.rate}. */
    String key() {
        return key;
    }

    /** The value when nothing is said; empty if there is none. */
    String usual() {
        return usual;
    }

    /** What values it takes, in words. */
    String takes() {
        return takes;
    }

    /** The name in the environment, such as {@code HEAPSAMPLER_AGENT_SAMPLE_RATE}. */
    String variable() {
        return VARIABLE_PREFIX + name();
    }

    static Optional<Option> ofKey(String key) {
        return Arrays.stream(values()).filter(option -> option.key.equals(key)).findFirst();
    }

    /** Returns the option that had this key in earlier builds, such as {@code max.depth}. */
    static Optional<Option> ofOldKey(String key) {
        return Arrays.stream(values())
                .filter(
                        option ->
                                option.name()
                                        .replace('_', '.')
                                        .toLowerCase(Locale.ROOT)
                                        .equals(key))
                .findFirst();
    }

    static Optional<Option> ofVariable(String name) {
        return Arrays.stream(values()).filter(option -> option.variable().equals(name)).findFirst();
    }

    /** All keys in alphabetical order, for messages. */
    static String keys() {
        return Arrays.stream(values()).map(Option::key).sorted().collect(Collectors.joining(", "));
    }

    /**
     * Reads an interval.
     *
     * @param written such as {@code 65536}, {@code 64k} or {@code 1m}
     * @return bytes, from 0 to {@link Integer#MAX_VALUE}
     * @throws IllegalArgumentException if it is no number, or out of range
     */
    public static long parseBytes(String written) {
        String text = written.strip().toLowerCase(Locale.ROOT);
        int shift = text.endsWith("k") ? 10 : text.endsWith("m") ? 20 : 0;
        String digits = shift == 0 ? text : text.substring(0, text.length() - 1);
        long number = Long.parseLong(digits);
        if (number < 0 || number > Integer.MAX_VALUE >> shift) {
            throw new IllegalArgumentException(written + " is out of range");
        }
        return number << shift;
    }
}
