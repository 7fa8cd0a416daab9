// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import io.heapsampler.internal.shared.ReportFile;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the options from the agent's argument, system properties, the environment and a file. The
 * first of these that has a key wins. An unknown option or an invalid value is an {@link
 * IllegalArgumentException}, whose message says what to do.
 */
final class OptionReader {

    /**
     * The values of {@code %p} and {@code %t} in paths.
     *
     * @param processId of this JVM
     * @param time of the agent's start
     */
    record Placeholders(long processId, Instant time) {

        /** In file names: to the second, in UTC; the order of such texts is that of time. */
        static final DateTimeFormatter STAMP =
                DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

        static Placeholders now() {
            return new Placeholders(ProcessHandle.current().pid(), Instant.now());
        }
    }

    /** A value without surrounding blanks, and its origin, for messages. */
    private record Value(String text, String origin) {}

    private static final Pattern OF_SERVICE =
            Pattern.compile(
                    Option.VARIABLE_PREFIX
                            + "(.+_)?(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_\\d+_(TCP|UDP|SCTP)(_.+)?)");

    private static final Pattern ADDRESS = Pattern.compile("(tcp|udp|sctp)://");

    private final Map<Option, Value> values = new EnumMap<>(Option.class);
    private final Placeholders placeholders;

    private OptionReader(Placeholders placeholders) {
        this.placeholders = placeholders;
    }

    /**
     * Reads all sources. The values are not checked yet.
     *
     * @param argument the text after {@code =}: a file, pairs {@code key=value} separated by
     *     commas, or a file and pairs; null for nothing
     * @param properties the system properties
     * @param environment the environment
     */
    static OptionReader read(
            @Nullable String argument,
            Properties properties,
            Map<String, String> environment,
            Placeholders placeholders) {
        OptionReader reader = new OptionReader(placeholders);
        reader.addArgument(argument == null ? "" : argument);
        reader.addProperties(properties);
        reader.addEnvironment(environment);
        Value file = reader.values.get(Option.FILE);
        if (file != null) {
            reader.addFile(file);
        }
        return reader;
    }

    // --- Sources ---------------------------------------------------------------------------------

    private void addArgument(String argument) {
        String origin = "the agent's argument";
        Set<String> keys = new HashSet<>();
        boolean isFirst = true;
        for (String part : split(argument)) {
            int equals = part.indexOf('=');
            String key = equals < 0 ? Option.FILE.key : part.substring(0, equals).strip();
            if (!keys.add(key)) {
                throw twice(key, origin);
            }
            if (equals > 0) {
                add(Option.ofKey(key), key, part.substring(equals + 1), origin);
            } else if (isFirst && equals < 0) {
                add(Optional.of(Option.FILE), key, part, origin);
            } else {
                throw new IllegalArgumentException(
                        """
                        "%s" in %s is not a pair key=value. Write -javaagent:<jar>=<file>, or \
                        -javaagent:<jar>=<key>=<value>,<key>=<value>; a comma in a value is \
                        written \\,\
                        """
                                .formatted(part, origin));
            }
            isFirst = false;
        }
    }

    /** Splits at commas without a backslash before them; leaves empty parts out. */
    private static List<String> split(String argument) {
        return Arrays.stream(argument.split("(?<!\\\\),", -1))
                .map(part -> part.replace("\\,", ",").strip())
                .filter(part -> !part.isEmpty())
                .toList();
    }

    private void addProperties(Properties properties) {
        for (String name : properties.stringPropertyNames()) {
            if (name.startsWith(Option.PROPERTY_PREFIX)) {
                String key = name.substring(Option.PROPERTY_PREFIX.length());
                String text = properties.getProperty(name);
                add(Option.ofKey(key), name, text, "the system properties");
            }
        }
    }

    private void addEnvironment(Map<String, String> environment) {
        for (Map.Entry<String, String> entry : environment.entrySet()) {
            String name = entry.getKey();
            if (name.startsWith(Option.VARIABLE_PREFIX)
                    && !isOfKubernetes(name, entry.getValue())) {
                add(Option.ofVariable(name), name, entry.getValue(), "the environment");
            }
        }
    }

    /** Of a service whose name begins with heapsampler-agent, each container gets the address. */
    private static boolean isOfKubernetes(String name, String value) {
        return OF_SERVICE.matcher(name).matches()
                || (name.endsWith("_PORT") && ADDRESS.matcher(value).lookingAt());
    }

    private void addFile(Value name) {
        String place = "The file " + name.text() + " (from " + name.origin() + ")";
        FileProperties properties = new FileProperties();
        try (Reader in = Files.newBufferedReader(Path.of(name.text()))) {
            properties.load(in);
        } catch (NoSuchFileException | InvalidPathException e) {
            throw new IllegalArgumentException(
                    place + " does not exist. Name a file with options, best by its whole path.");
        } catch (MalformedInputException | IllegalArgumentException e) {
            throw new IllegalArgumentException(
                    place + " is not a properties file in UTF-8. Correct it.");
        } catch (IOException e) {
            throw new IllegalArgumentException(
                    place + " cannot be read: " + e + ". Check its permissions.");
        }
        if (properties.twice != null) {
            throw twice(properties.twice, name.text());
        }
        for (String key : properties.stringPropertyNames()) {
            if (key.equals(Option.FILE.key)) {
                throw new IllegalArgumentException(
                        place + " cannot name another file. Remove that line.");
            }
            add(Option.ofKey(key), key, properties.getProperty(key), name.text());
        }
    }

    private static IllegalArgumentException twice(String key, String origin) {
        return new IllegalArgumentException(
                """
                The option %s is given twice (in %s), and only one can hold. Remove the other.\
                """
                        .formatted(key, origin));
    }

    /** Properties that notice a key that comes again. */
    private static final class FileProperties extends Properties {

        private static final long serialVersionUID = 1;

        private @Nullable String twice;

        @Override
        public synchronized @Nullable Object put(Object key, Object value) {
            Object before = super.put(key, value);
            if (before != null) {
                twice = key.toString();
            }
            return before;
        }
    }

    private void add(Optional<Option> option, String name, String text, String origin) {
        values.putIfAbsent(
                option.orElseThrow(() -> unknown(name, origin)), new Value(text.strip(), origin));
    }

    private static IllegalArgumentException unknown(String name, String origin) {
        String prefix = name.startsWith(Option.PROPERTY_PREFIX) ? Option.PROPERTY_PREFIX : "";
        Optional<Option> renamed = Option.ofOldKey(name.substring(prefix.length()));
        return new IllegalArgumentException(
                renamed.isPresent()
                        ? """
                        The option "%s" (in %s) has been renamed. Write "%s%s" instead.\
                        """
                                .formatted(name, origin, prefix, renamed.get().key)
                        : "There is no option \"%s\" (in %s). The options are: %s."
                                .formatted(name, origin, Option.keys()));
    }

    // --- Values ----------------------------------------------------------------------------------

    boolean isGiven(Option option) {
        return values.containsKey(option);
    }

    private Value value(Option option) {
        return values.getOrDefault(option, new Value(option.usual, "the defaults"));
    }

    private Object read(Option option) {
        try {
            return option.read(value(option).text());
        } catch (IllegalArgumentException e) {
            throw invalid(option);
        }
    }

    /** Returns a word as {@link Option#takes} lists it. */
    String word(Option option) {
        return (String) read(option);
    }

    boolean isTrue(Option option) {
        return word(option).equals("true");
    }

    /** Returns the constant that has the word as its name. */
    <E extends Enum<E>> E constant(Option option, Class<E> type) {
        String word = word(option);
        return Arrays.stream(type.getEnumConstants())
                .filter(constant -> constant.name().replace("_", "").equalsIgnoreCase(word))
                .findFirst()
                .orElseThrow(() -> invalid(option));
    }

    long number(Option option) {
        return (Long) read(option);
    }

    /** Returns a value of any type; empty if the option is not given, even if it has a default. */
    Optional<Object> given(Option option) {
        return isGiven(option) ? Optional.of(read(option)) : Optional.empty();
    }

    List<String> names(Option option) {
        return given(option).stream()
                .flatMap(names -> ((List<?>) names).stream())
                .map(String::valueOf)
                .toList();
    }

    Optional<Path> path(Option option) {
        return given(option).map(path -> path((String) path));
    }

    /** Returns a path with its placeholders filled. */
    Path path(String text) {
        String filled =
                text.replace("%p", Long.toString(placeholders.processId))
                        .replace("%t", Placeholders.STAMP.format(placeholders.time));
        return Path.of(filled).toAbsolutePath();
    }

    // --- Checks ----------------------------------------------------------------------------------

    private IllegalArgumentException refused(Option option, Object value, String why) {
        return new IllegalArgumentException(
                "%s=%s (in %s) %s".formatted(option.key, value, value(option).origin(), why));
    }

    IllegalArgumentException invalid(Option option) {
        return refused(
                option, value(option).text(), "is not valid. It takes " + option.takes + ".");
    }

    /** Refuses an option that is changed and whose need is not met. */
    void require(Option option, boolean isMet) {
        String text = value(option).text();
        if (!isMet && !text.equals(option.usual)) {
            String advice = "needs " + option.need.text + ". Set that, or remove the option.";
            throw refused(option, text, advice);
        }
    }

    /** Refuses a path where no file can be replaced by a rename. */
    void requireFile(Option option, Path file) {
        Path folder = requirePlace(option, file);
        // Other files, such as pipes, are written directly.
        boolean isReplaced = !Files.exists(file) || Files.isRegularFile(file);
        requireWritable(option, file, isReplaced ? folder : file);
    }

    /** Refuses a path where no file can be written in place. */
    void requireFileInPlace(Option option, Path file) {
        Path folder = requirePlace(option, file);
        requireWritable(option, file, Files.exists(file) ? file : folder);
    }

    /** Refuses a path where no file can be created, even if missing folders are created. */
    void requireFileInNewFolder(Option option, Path file) {
        Path folder = file.getParent();
        while (folder != null && Files.notExists(folder)) {
            folder = folder.getParent();
        }
        if (folder == null || !Files.isDirectory(folder)) {
            Path place = folder == null ? file : folder;
            throw unwritable(option, file, place + " is no folder. Name another");
        }
        requireWritable(option, file, folder);
    }

    /** Refuses a file that the sampler would refuse when it starts, perhaps later. */
    void requireReport(Option option, Path file) {
        requirePlace(option, file);
        try {
            if (option == Option.REPORT_NEAR_LIMIT) {
                ReportFile.checkReplaceable(option.key, file);
            } else {
                ReportFile.check(option.key, file);
            }
        } catch (IllegalArgumentException e) {
            throw refused(option, file, "is not valid: " + e.getMessage());
        }
    }

    private Path requirePlace(Option option, Path file) {
        Path folder = file.getParent();
        if (folder == null || !Files.isDirectory(folder)) {
            String why = "there is no folder " + folder + ". Make it first, or name another";
            throw unwritable(option, file, why);
        }
        if (Files.isDirectory(file)) {
            throw unwritable(option, file, "that is a folder. Name a file in it");
        }
        return folder;
    }

    private void requireWritable(Option option, Path file, Path written) {
        if (!Files.isWritable(written)) {
            String why = "this process may not write to " + written + ". Name another";
            throw unwritable(option, file, why);
        }
    }

    private IllegalArgumentException unwritable(Option option, Path file, String why) {
        return refused(option, file, "cannot be written: " + why + ".");
    }
}
