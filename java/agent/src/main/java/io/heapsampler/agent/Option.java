// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.SamplerOptions;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.export.ExportOptions;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The options of the agent: key, default, type and need. The first eight are those of the
 * allocation instrumenter's flame sampler, with the names and the meaning that its documentation
 * gives them; the others have the names that {@code -agentpath} and {@code SamplerOptions} use.
 * README, "The agent", has the same table; a test compares the two.
 */
public enum Option {
    RECORDER("recorder", "flame", Type.words("flame, lifetime, snapshot or none")),
    OUTPUT_FILE(
            "output.file",
            "",
            Type.path("a path; %p becomes the process id, %t the time of the start"),
            Need.FILES),
    STACK_TRACE_VERBOSITY(
            "stack.trace.verbosity",
            "methodClassName",
            Type.words("methodName, methodClassName or methodClassLineNumber"),
            Need.LINES),
    RECORD_SIZE("record.size", "true", Type.FLAG, Need.LINES),
    SAMPLE_DELAY_SECS("sample.delay.secs", "0", Type.number("seconds", 0, Integer.MAX_VALUE)),
    SAMPLE_STRATEGY("sample.strategy", "bytes", Type.words("bytes, allocationCount or time")),
    SAMPLE_INTERVAL_MS(
            "sample.interval.ms", "10", Type.number("milliseconds", 1, 3_600_000), Need.RATE),
    SAMPLE_RATE(
            "sample.rate", "10000", Type.number("allocations", 1, Integer.MAX_VALUE), Need.RATE),

    FILE("file", "", Type.path("a file with options, as properties in UTF-8")),
    INTERVAL("interval", "512k", Type.BYTES, Need.BYTES),
    MAX_OVERHEAD("maxOverhead", "0.01", Type.SHARE),
    MAX_DEPTH("maxDepth", "128", Type.number("frames", 1, 1024)),
    MAX_TRACKED("maxTracked", "", Type.number("objects", 0, 2_097_152)),
    LIVE("live", "false", Type.FLAG, Need.FLAME),
    INCLUDE("include", "", Type.NAMES, Need.LINES),
    EXCLUDE("exclude", "", Type.NAMES, Need.LINES),
    OUTPUT_FORMAT(
            "outputFormat",
            "stacks",
            Type.words("stacks, pprof, collapsed, json, html, jfr, speedscope, dhat, csv or hsnap"),
            Need.FLAME),
    LABEL("label", "", Type.LABEL_KEY, Need.EXPORT),
    LABELS("labels", "true", Type.FLAG, Need.EXPORT),
    OUTPUT_BYTES("outputBytes", "estimated", Type.words("estimated or raw"), Need.LINES),
    OUTPUT_INTERVAL_SECS("outputIntervalSecs", "", Type.number("seconds", 1, 86_400)),
    TYPE_NAMES("typeNames", "slashed", Type.words("slashed or dotted"), Need.LINES),
    LIFETIME_MAX_MB("lifetimeMaxMb", "1024", Type.number("MiB", 1, 1_048_576), Need.LIFETIME),
    SNAPSHOT_FILES("snapshotFiles", "10", Type.number("files", 1, 10_000), Need.SNAPSHOT),
    SNAPSHOT_MAX_MB("snapshotMaxMb", "100", Type.number("MiB", 1, 1_048_576), Need.SNAPSHOT),
    HTTP_PORT("httpPort", "", Type.number("a port", 0, 65_535)),
    HTTP_TOKEN_FILE(
            "httpTokenFile", "", Type.path("a file that holds 16 or more characters"), Need.HTTP),
    REPORT_ON_EXIT(
            "reportOnExit",
            "",
            Type.path(
                    "a path whose ending selects the format, such as .html",
                    name -> ExportFormat.ofFileName(name).isPresent())),
    REPORT_ON_OOM("reportOnOom", "", Type.path("a path")),
    REPORT_NEAR_LIMIT("reportNearLimit", "", Type.path("a path")),
    NEAR_LIMIT_SHARE("nearLimitShare", "0.9", Type.SHARE_OF_LIMIT, Need.NEAR_LIMIT),
    DOCTOR("doctor", "false", Type.FLAG),
    DOCTOR_FILE(
            "doctorFile",
            "",
            Type.path(
                    "a path that ends in .txt, .json or .html",
                    name -> DoctorFormat.ofFileName(name).isPresent()),
            Need.DOCTOR),
    DOCTOR_JVM_LOG("doctorJvmLog", "true", Type.FLAG, Need.DOCTOR),
    DOCTOR_HOLDERS("doctorHolders", "true", Type.FLAG, Need.DOCTOR),
    EXIT_TIMEOUT_MS("exitTimeoutMs", "2000", Type.number("milliseconds", 0, 60_000));

    /** Before a key, as a system property. */
    static final String PROPERTY_PREFIX = "heapsampler.agent.";

    /** Before the name of the constant, in the environment. */
    static final String VARIABLE_PREFIX = "HEAPSAMPLER_AGENT_";

    /**
     * The valid values of an option.
     *
     * @param takes the values, in words
     * @param reader returns a value; throws {@link IllegalArgumentException} for an invalid one
     */
    private record Type(String takes, boolean isPath, Function<String, Object> reader) {

        static final Type FLAG = words("true or false");
        static final Type BYTES =
                of("bytes, with k or m for KiB or MiB, from 0 to 2147483647", Option::parseBytes);
        static final Type SHARE =
                of("a share of the processor time, from 0.0001 to 1, such as 0.01", Type::share);
        static final Type SHARE_OF_LIMIT =
                of("a share of the limit above 0 and below 1, such as 0.9", Type::shareOfLimit);
        static final Type LABEL_KEY = of("the key of a label, such as endpoint", Type::labelKey);
        static final Type NAMES = of("packages or classes, separated by colons", Type::names);

        private static Type of(String takes, Function<String, Object> reader) {
            return new Type(takes, false, reader);
        }

        /** One of the words in the text, in any case; the value is the word as the text has it. */
        static Type words(String takes) {
            List<String> words = List.of(takes.split(", | or ", -1));
            return of(
                    takes,
                    text ->
                            words.stream()
                                    .filter(text::equalsIgnoreCase)
                                    .findFirst()
                                    .orElseThrow(IllegalArgumentException::new));
        }

        static Type number(String unit, long least, long greatest) {
            return of(
                    unit + ", from " + least + " to " + greatest,
                    text -> {
                        long number = Long.parseLong(text);
                        return checked(number, number >= least && number <= greatest);
                    });
        }

        static Type path(String takes) {
            return path(takes, name -> !name.isEmpty());
        }

        static Type path(String takes, Predicate<String> isValid) {
            return new Type(
                    takes, true, text -> checked(Path.of(text).toString(), isValid.test(text)));
        }

        private static Object share(String text) {
            double share = Double.parseDouble(text);
            SamplerOptions.builder().maxOverhead(share); // checks it
            return share;
        }

        private static Object shareOfLimit(String text) {
            double share = Double.parseDouble(text);
            return checked(share, share > 0 && share < 1);
        }

        private static Object labelKey(String text) {
            ExportOptions.builder().label(text); // checks it
            return text;
        }

        private static Object names(String text) {
            List<String> names = Stream.of(text.split(":", -1)).map(String::strip).toList();
            return checked(names, !names.contains(""));
        }

        private static Object checked(Object value, boolean isValid) {
            if (!isValid) {
                throw new IllegalArgumentException();
            }
            return value;
        }
    }

    /** What an option needs to have an effect; {@link AgentOptions} knows when that is given. */
    enum Need {
        NOTHING(""),
        /** The files of the flame sampler have a rate and a period, whichever is in force. */
        RATE("sample.strategy=allocationCount or time"),
        BYTES("sample.strategy=bytes or time"),
        FLAME("recorder=flame"),
        EXPORT("reportOnExit, doctorFile, or recorder=flame with another outputFormat than stacks"),
        LINES("recorder=lifetime, or recorder=flame with outputFormat=stacks"),
        LIFETIME("recorder=lifetime"),
        SNAPSHOT("recorder=snapshot"),
        FILES("recorder=flame, lifetime or snapshot"),
        HTTP("httpPort"),
        NEAR_LIMIT("reportNearLimit"),
        DOCTOR("doctor=true");

        final String text;

        Need(String text) {
            this.text = text;
        }
    }

    /** The name, such as {@code sample.rate}. */
    final String key;

    /** The default; empty if there is none. */
    final String usual;

    /** The valid values, in words. */
    final String takes;

    final Need need;

    @SuppressWarnings("ImmutableEnumChecker") // Its function is immutable.
    private final Type type;

    Option(String key, String usual, Type type) {
        this(key, usual, type, Need.NOTHING);
    }

    Option(String key, String usual, Type type, Need need) {
        this.key = key;
        this.usual = usual;
        this.takes = type.takes;
        this.type = type;
        this.need = need;
    }

    /** Returns whether an option has this key, and its value is the path of a file. */
    public static boolean isPath(String key) {
        return ofKey(key).filter(option -> option.type.isPath).isPresent();
    }

    /**
     * Reads a value: words and paths as a String, other numbers than a share as a Long.
     *
     * @throws IllegalArgumentException if it is not valid
     */
    Object read(String text) {
        return type.reader.apply(text);
    }

    static Optional<Option> ofKey(String key) {
        return first(option -> option.key.equals(key));
    }

    /** Returns the option that had this key in earlier builds, such as {@code max.depth}. */
    static Optional<Option> ofOldKey(String key) {
        return first(
                option -> key.equals(option.name().replace('_', '.').toLowerCase(Locale.ROOT)));
    }

    /** Returns the option with this variable, such as {@code HEAPSAMPLER_AGENT_SAMPLE_RATE}. */
    static Optional<Option> ofVariable(String name) {
        return first(option -> name.equals(VARIABLE_PREFIX + option.name()));
    }

    private static Optional<Option> first(Predicate<Option> condition) {
        return Arrays.stream(values()).filter(condition).findFirst();
    }

    /** All keys in alphabetical order, for messages. */
    static String keys() {
        return Arrays.stream(values())
                .map(option -> option.key)
                .sorted()
                .collect(Collectors.joining(", "));
    }

    /**
     * Reads an interval.
     *
     * @param written such as {@code 65536}, {@code 64k} or {@code 1m}
     * @return bytes, from 0 to {@link Integer#MAX_VALUE}
     * @throws IllegalArgumentException if it is not a number, or out of range
     */
    public static long parseBytes(String written) {
        String text = written.strip().toLowerCase(Locale.ROOT);
        int shift = text.endsWith("k") ? 10 : text.endsWith("m") ? 20 : 0;
        long number = Long.parseLong(shift == 0 ? text : text.substring(0, text.length() - 1));
        if (number < 0 || number > Integer.MAX_VALUE >> shift) {
            throw new IllegalArgumentException(written + " is out of range");
        }
        return number << shift;
    }
}
