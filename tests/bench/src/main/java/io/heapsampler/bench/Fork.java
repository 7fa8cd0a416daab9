// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.bench;

import io.heapsampler.bench.Statistics.Mean;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A JVM of its own for one measurement. It answers in lines {@code name=value}; what else it prints
 * is passed on.
 */
final class Fork implements AutoCloseable {

    private final Process process;
    private final BufferedReader reader;
    private final BufferedWriter writer;
    private final Map<String, List<Double>> values = new HashMap<>();

    private Fork(Process process) {
        this.process = process;
        this.reader = process.inputReader(StandardCharsets.UTF_8);
        this.writer = process.outputWriter(StandardCharsets.UTF_8);
    }

    /** Starts the main method of a class of this package; {@code flags} are those of the JVM. */
    static Fork start(Class<?> main, List<String> flags, Object... arguments) {
        return start(List.of(), main, flags, arguments);
    }

    /** The same on the first processor alone, so that several that take turns meet the same. */
    static Fork startPinned(Class<?> main, List<String> flags, Object... arguments) {
        return start(List.of("taskset", "--cpu-list", "0"), main, flags, arguments);
    }

    private static Fork start(
            List<String> prefix, Class<?> main, List<String> flags, Object... arguments) {
        List<String> command = new ArrayList<>(prefix);
        command.add(System.getProperty("java.home") + "/bin/java");
        command.addAll(flags);
        String more = System.getProperty("bench.flags", "").strip();
        if (!more.isEmpty()) {
            command.addAll(List.of(more.split("\\s+")));
        }
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        for (String property : List.of("bench.library", "heapsampler.library.path")) {
            String value = System.getProperty(property);
            if (value != null) {
                command.add("-D" + property + "=" + value);
            }
        }
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        try {
            ProcessBuilder builder = new ProcessBuilder(command);
            return new Fork(builder.redirectError(ProcessBuilder.Redirect.INHERIT).start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts it and waits for its end. */
    static Fork run(Class<?> main, List<String> flags, Object... arguments) {
        try (Fork fork = start(main, flags, arguments)) {
            return fork;
        }
    }

    /** Sends a word and waits for the answer of that name. */
    double ask(String word) {
        try {
            writer.write(word + "\n");
            writer.flush();
            values.remove(word);
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                accept(line);
                if (values.containsKey(word)) {
                    return get(word);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        throw new IllegalStateException("the fork ended before it answered to " + word);
    }

    /** Lets it read the end of its input, reads the rest of its answers and waits for its end. */
    @Override
    public void close() {
        try {
            writer.close();
            reader.lines().forEach(this::accept);
            int code = process.waitFor();
            if (code != 0) {
                throw new IllegalStateException("the fork ended with " + code);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        } finally {
            process.destroyForcibly();
        }
    }

    private void accept(String line) {
        int equals = line.indexOf('=');
        try {
            double value = Double.parseDouble(line.substring(equals + 1));
            String name = line.substring(0, Math.max(equals, 0));
            values.computeIfAbsent(name, n -> new ArrayList<>()).add(value);
        } catch (NumberFormatException e) {
            System.err.println(line);
        }
    }

    /** The last answer of that name. */
    double get(String name) {
        double[] all = all(name);
        if (all.length == 0) {
            throw new IllegalStateException("the fork said nothing of " + name + ": " + values);
        }
        return all[all.length - 1];
    }

    /** All answers of that name, in their order. */
    double[] all(String name) {
        return values.getOrDefault(name, List.of()).stream()
                .mapToDouble(Double::doubleValue)
                .toArray();
    }

    /** The mean over several forks of the last answer of that name, in a larger unit. */
    static Mean mean(List<Fork> forks, String name, double unit) {
        return Statistics.mean(forks.stream().mapToDouble(f -> f.get(name) / unit).toArray());
    }

    /** The largest of the last answers of that name. */
    static double greatest(List<Fork> forks, String name) {
        return forks.stream().mapToDouble(f -> f.get(name)).max().orElse(Double.NaN);
    }

    /** In the fork: gives an answer. */
    static void answer(String name, double value) {
        System.out.println(name + "=" + value);
    }
}
