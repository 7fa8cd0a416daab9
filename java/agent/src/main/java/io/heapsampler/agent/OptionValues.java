// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.SamplerOptions;
import io.heapsampler.agent.OptionReader.Value;
import io.heapsampler.internal.shared.ReportFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;

/** The options as they were written, read as what they are meant to be. */
final class OptionValues {

    private final Map<Option, Value> values;
    private final Placeholders placeholders;

    OptionValues(Map<Option, Value> given, Placeholders placeholders) {
        this.values = new EnumMap<>(Option.class);
        this.values.putAll(given);
        this.placeholders = placeholders;
    }

    boolean isGiven(Option option) {
        return values.containsKey(option);
    }

    /** Returns whether a value is given that is not the usual one. */
    boolean isChanged(Option option) {
        return !text(option).equals(option.usual());
    }

    String text(Option option) {
        Value value = values.get(option);
        return value == null ? option.usual() : value.text();
    }

    private String origin(Option option) {
        Value value = values.get(option);
        return value == null ? "the defaults" : value.origin();
    }

    OptionException invalid(Option option) {
        return new OptionException(
                String.format(
                        Locale.ROOT,
                        "%s=%s (in %s) is not valid. It takes %s.",
                        option.key(),
                        text(option),
                        origin(option),
                        option.takes()));
    }

    /** Refuses an option that has no effect as things are. */
    void requireFor(Option option, boolean isFit, String needed) throws OptionException {
        if (!isFit && isGiven(option) && isChanged(option)) {
            throw new OptionException(
                    String.format(
                            Locale.ROOT,
                            "%s=%s (in %s) needs %s. Set that, or remove the option.",
                            option.key(),
                            text(option),
                            origin(option),
                            needed));
        }
    }

    /** Refuses a path at which no file can be that is replaced by one rename. */
    void requireFile(Option option, Path file) throws OptionException {
        Path folder = requirePlace(option, file);
        // What is no plain file, such as a pipe, is written to.
        boolean isReplaced = !Files.exists(file) || Files.isRegularFile(file);
        requireWritable(option, file, isReplaced ? folder : file);
    }

    /** Refuses a path at which no file can be that is written in its place. */
    void requireFileInPlace(Option option, Path file) throws OptionException {
        Path folder = requirePlace(option, file);
        requireWritable(option, file, Files.exists(file) ? file : folder);
    }

    private Path requirePlace(Option option, Path file) throws OptionException {
        Path folder = file.getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            throw unwritable(
                    option,
                    file,
                    "there is no folder " + folder + ". Make it first, or name another");
        }
        if (Files.isDirectory(file)) {
            throw unwritable(option, file, "that is a folder. Name a file in it");
        }
        return folder;
    }

    /** Refuses a path at which no file can be, though folders on the way may be made. */
    void requireFileInNewFolder(Option option, Path file) throws OptionException {
        Path folder = file.getParent();
        while (folder != null && Files.notExists(folder)) {
            folder = folder.getParent();
        }
        if (folder == null || !Files.isDirectory(folder)) {
            throw unwritable(
                    option, file, (folder == null ? file : folder) + " is no folder. Name another");
        }
        requireWritable(option, file, folder);
    }

    private void requireWritable(Option option, Path file, Path written) throws OptionException {
        if (!Files.isWritable(written)) {
            throw unwritable(
                    option, file, "this process may not write to " + written + ". Name another");
        }
    }

    /** Refuses a file that the sampler would refuse when it starts, perhaps later. */
    void requireReport(Option option, Path file) throws OptionException {
        requirePlace(option, file);
        try {
            ReportFile.check(file);
        } catch (IllegalArgumentException e) {
            throw new OptionException(
                    String.format(
                            Locale.ROOT,
                            "%s=%s (in %s) is not valid: %s",
                            option.key(),
                            file,
                            origin(option),
                            e.getMessage()));
        }
    }

    private OptionException unwritable(Option option, Path file, String why) {
        return new OptionException(
                String.format(
                        Locale.ROOT,
                        "%s=%s (in %s) cannot be written: %s.",
                        option.key(),
                        file,
                        origin(option),
                        why));
    }

    /** A word, whatever its case; returned as it is listed. */
    String choice(Option option, String... words) throws OptionException {
        return Arrays.stream(words)
                .filter(text(option)::equalsIgnoreCase)
                .findFirst()
                .orElseThrow(() -> invalid(option));
    }

    boolean isTrue(Option option) throws OptionException {
        return choice(option, "true", "false").equals("true");
    }

    long number(Option option, long least, long greatest) throws OptionException {
        long number;
        try {
            number = Long.parseLong(text(option));
        } catch (NumberFormatException e) {
            throw invalid(option);
        }
        if (number < least || number > greatest) {
            throw invalid(option);
        }
        return number;
    }

    OptionalInt optionalNumber(Option option, int greatest) throws OptionException {
        return isGiven(option)
                ? OptionalInt.of((int) number(option, 0, greatest))
                : OptionalInt.empty();
    }

    /** A share of the processor time, as {@link SamplerOptions.Builder#maxOverhead} takes it. */
    OptionalDouble optionalShare(Option option) throws OptionException {
        if (!isGiven(option)) {
            return OptionalDouble.empty();
        }
        try {
            double share = Double.parseDouble(text(option));
            SamplerOptions.builder().maxOverhead(share);
            return OptionalDouble.of(share);
        } catch (IllegalArgumentException e) {
            throw invalid(option);
        }
    }

    /** A number of bytes, such as {@code 65536} or {@code 64k}. */
    long bytes(Option option) throws OptionException {
        try {
            return Option.parseBytes(text(option));
        } catch (IllegalArgumentException e) {
            throw invalid(option);
        }
    }

    List<String> names(Option option) throws OptionException {
        if (!isGiven(option)) {
            return List.of();
        }
        List<String> names = Arrays.stream(text(option).split(":", -1)).map(String::strip).toList();
        if (names.contains("")) {
            throw invalid(option);
        }
        return names;
    }

    Optional<Path> path(Option option) throws OptionException {
        String text = text(option);
        if (isGiven(option) && text.isEmpty()) {
            throw invalid(option);
        }
        try {
            return text.isEmpty() ? Optional.empty() : Optional.of(path(text));
        } catch (InvalidPathException e) {
            throw invalid(option);
        }
    }

    /** A path with its placeholders filled. */
    Path path(String text) {
        return Path.of(placeholders.fill(text)).toAbsolutePath();
    }

    /**
     * What stands for {@code %p} and {@code %t} in paths.
     *
     * @param processId of this JVM
     * @param time of the agent's start
     */
    record Placeholders(long processId, Instant time) {

        /** In file names: to the second, in UTC, in an order that is that of time. */
        static final DateTimeFormatter STAMP =
                DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

        private static final Path HOST_NAME = Path.of("/proc/sys/kernel/hostname");

        static Placeholders now() {
            return new Placeholders(ProcessHandle.current().pid(), Instant.now());
        }

        /** The name of this host, or container, as a part of file names. */
        static String host() {
            String name;
            try {
                name = Files.readString(HOST_NAME).strip(); // asks no name server
            } catch (IOException e) {
                name = "localhost";
            }
            return name.replaceAll("[^A-Za-z0-9.-]", "_");
        }

        String fill(String path) {
            return path.replace("%p", Long.toString(processId)).replace("%t", STAMP.format(time));
        }
    }
}
