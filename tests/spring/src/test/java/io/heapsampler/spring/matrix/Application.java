// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring.matrix;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The shop in a JVM of its own. Each line of its log is read by one test. */
final class Application implements AutoCloseable {

    /** Far more than a start takes on a busy machine. */
    private static final long SECONDS = 120;

    private static final Pattern PORT = Pattern.compile("started on port (?:\\(s\\): )?(\\d+)");

    private final Process process;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();
    private final StringBuffer log = new StringBuffer();

    /** Starts it; the arguments are those of the JVM, then those of the application. */
    Application(List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
        command.addAll(arguments);
        command.add("--server.port=0");
        command.add("--spring.security.user.name=operator");
        command.add("--spring.security.user.password=secret");
        command.add("--heapsampler.max-overhead=1");
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        Thread reader = new Thread(this::read, "log");
        reader.setDaemon(true);
        reader.start();
    }

    /** Returns the arguments that run the jar of a version of Spring Boot. */
    static List<String> jar(String boot, List<String> more) {
        List<String> arguments = new ArrayList<>(List.of("-jar", target(boot, "shop.jar")));
        arguments.addAll(more);
        return arguments;
    }

    /** Returns a file that the build of the shop has made. */
    static String target(String boot, String name) {
        Path file = Path.of(System.getProperty("spring.apps"), boot, name);
        if (!Files.exists(file)) {
            throw new IllegalStateException(file + " is missing: run tests/spring/run");
        }
        return file.toString();
    }

    private void read() {
        try (BufferedReader in =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                log.append(line).append('\n');
                lines.add(line);
            }
        } catch (IOException e) {
            log.append(e);
        }
    }

    /** Waits until the application has started, again after a restart, and returns its port. */
    int port() throws InterruptedException {
        return Integer.parseInt(await(PORT).group(1));
    }

    /** Waits for a line. */
    Matcher await(Pattern pattern) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (System.nanoTime() < end) {
            String line = lines.poll(1, TimeUnit.SECONDS);
            Matcher found = pattern.matcher(line == null ? "" : line);
            if (found.find()) {
                return found;
            }
            if (line == null && !process.isAlive()) {
                break;
            }
        }
        throw new AssertionError("no line has " + pattern + ":\n" + log);
    }

    long pid() {
        return process.pid();
    }

    String log() {
        return log.toString();
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError("the application does not end:\n" + log);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
    }
}
