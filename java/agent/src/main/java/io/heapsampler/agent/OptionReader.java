// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agent;

import java.io.IOException;
import java.io.Reader;
import java.nio.charset.MalformedInputException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Collects the options from where they may stand. The first that has a key wins: the agent's
 * argument, system properties, the environment, the file.
 */
final class OptionReader {

    /**
     * A value and where it stood.
     *
     * @param text as it was written, without blanks around it
     * @param origin for messages
     */
    record Value(String text, String origin) {}

    private static final Pattern OF_SERVICE =
            Pattern.compile(
                    Option.VARIABLE_PREFIX
                            + "(.+_)?(SERVICE_HOST|SERVICE_PORT(_.+)?|PORT_\\d+_(TCP|UDP|SCTP)(_.+)?)");

    private static final Pattern ADDRESS = Pattern.compile("(tcp|udp|sctp)://");

    private final Map<Option, Value> values = new EnumMap<>(Option.class);

    private OptionReader() {}

    /**
     * Reads all sources.
     *
     * @param argument what stands after {@code =}: a file, pairs {@code key=value} separated by
     *     commas, or a file and pairs; null for nothing
     * @param properties the system properties
     * @param environment the environment
     * @throws OptionException if a key is not known, or the file cannot be read
     */
    static Map<Option, Value> read(
            @Nullable String argument, Properties properties, Map<String, String> environment)
            throws OptionException {
        OptionReader reader = new OptionReader();
        reader.addArgument(argument == null ? "" : argument);
        reader.addProperties(properties);
        reader.addEnvironment(environment);
        Value file = reader.values.get(Option.FILE);
        if (file != null) {
            reader.addFile(file);
        }
        return reader.values;
    }

    private void addArgument(String argument) throws OptionException {
        String origin = "the agent's argument";
        Set<String> keys = new HashSet<>();
        boolean isFirst = true;
        for (String part : split(argument)) {
            int equals = part.indexOf('=');
            String key = equals < 0 ? Option.FILE.key() : part.substring(0, equals).strip();
            if (!keys.add(key)) {
                throw twice(key, origin);
            }
            if (equals > 0) {
                add(Option::ofKey, key, part.substring(equals + 1), origin);
            } else if (isFirst && equals < 0) {
                add(Option::ofKey, Option.FILE.key(), part, origin);
            } else {
                throw new OptionException(
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

    /** Splits at commas, but not at those behind a backslash; leaves empty parts out. */
    private static List<String> split(String argument) {
        List<String> parts = new ArrayList<>();
        StringBuilder part = new StringBuilder();
        for (int i = 0; i < argument.length(); i++) {
            char c = argument.charAt(i);
            if (c == '\\' && i + 1 < argument.length() && argument.charAt(i + 1) == ',') {
                part.append(',');
                i++;
            } else if (c == ',') {
                parts.add(part.toString().strip());
                part.setLength(0);
            } else {
                part.append(c);
            }
        }
        parts.add(part.toString().strip());
        parts.removeIf(String::isEmpty);
        return parts;
    }

    private void addProperties(Properties properties) throws OptionException {
        for (String name : properties.stringPropertyNames()) {
            if (name.startsWith(Option.PROPERTY_PREFIX)) {
                add(
                        key -> Option.ofKey(key.substring(Option.PROPERTY_PREFIX.length())),
                        name,
                        properties.getProperty(name),
                        "the system properties");
            }
        }
    }

    private void addEnvironment(Map<String, String> environment) throws OptionException {
        for (Map.Entry<String, String> entry : environment.entrySet()) {
            boolean isOption = entry.getKey().startsWith(Option.VARIABLE_PREFIX);
            if (isOption && !isOfKubernetes(entry.getKey(), entry.getValue())) {
                add(Option::ofVariable, entry.getKey(), entry.getValue(), "the environment");
            }
        }
    }

    /** Of a service whose name begins with heapsampler-agent, each container gets the address. */
    private static boolean isOfKubernetes(String name, String value) {
        return OF_SERVICE.matcher(name).matches()
                || (name.endsWith("_PORT") && ADDRESS.matcher(value).lookingAt());
    }

    private void addFile(Value name) throws OptionException {
        String place = "The file " + name.text() + " (from " + name.origin() + ")";
        FileProperties properties = new FileProperties();
        try (Reader in = Files.newBufferedReader(Path.of(name.text()))) {
            properties.load(in);
        } catch (NoSuchFileException | InvalidPathException e) {
            throw new OptionException(
                    place + " does not exist. Name a file with options, best by its whole path.");
        } catch (MalformedInputException | IllegalArgumentException e) {
            throw new OptionException(place + " is not a properties file in UTF-8. Correct it.");
        } catch (IOException e) {
            throw new OptionException(place + " cannot be read: " + e + ". Check its permissions.");
        }
        if (properties.twice != null) {
            throw twice(properties.twice, name.text());
        }
        for (String key : properties.stringPropertyNames()) {
            if (key.equals(Option.FILE.key())) {
                throw new OptionException(place + " cannot name another file. Remove that line.");
            }
            add(Option::ofKey, key, properties.getProperty(key), name.text());
        }
    }

    private static OptionException twice(String key, String origin) {
        return new OptionException(
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

    private void add(
            Function<String, Optional<Option>> finder, String name, String text, String origin)
            throws OptionException {
        Option option = finder.apply(name).orElseThrow(() -> unknown(name, origin));
        values.putIfAbsent(option, new Value(text.strip(), origin));
    }

    private static OptionException unknown(String name, String origin) {
        String prefix = name.startsWith(Option.PROPERTY_PREFIX) ? Option.PROPERTY_PREFIX : "";
        Optional<Option> renamed = Option.ofOldKey(name.substring(prefix.length()));
        return new OptionException(
                renamed.isPresent()
                        ? """
                        The option "%s" (in %s) has been renamed. Write "%s%s" instead.\
                        """
                                .formatted(name, origin, prefix, renamed.get().key())
                        : "There is no option \"%s\" (in %s). The options are: %s."
                                .formatted(name, origin, Option.keys()));
    }
}
