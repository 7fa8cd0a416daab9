// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.agenttest;

import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerOptions;
import io.heapsampler.SamplerState;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

/** An application with a database, which is not started with the sampler in mind. */
final class App {

    private static final int ROWS = 5_000;
    private static final int ROUNDS = 20;
    private static final int MOST_ROUNDS = 40;
    private static final int SPEED_POINTS = 50_000_000;
    private static final int POINTS = 2_000_000;

    private static boolean isLoggingDue;

    private App() {}

    public static void main(String[] args) throws Exception {
        if (Boolean.getBoolean("app.strict")) {
            // As in servers that would rather start again than go on after an error.
            Thread.setDefaultUncaughtExceptionHandler((thread, e) -> Runtime.getRuntime().halt(7));
        }
        if (Boolean.getBoolean("app.deaf")) {
            Logger.getLogger("io.heapsampler.agent").addHandler(new Deaf());
        }
        switch (args[0]) {
            case "work" -> work();
            case "serve" -> serve();
            case "late" -> late();
            case "nothing" -> System.out.println("state=" + HeapSampler.status().state());
            case "join" -> join();
            case "origin" -> origin();
            case "logging" -> logging();
            case "hello" -> System.out.println("hello");
            case "copy" -> copy();
            case "points" -> points();
            case "speed" -> speed();
            case "full" -> full();
            case "threads" -> threads();
            default -> throw new IllegalArgumentException(args[0]);
        }
    }

    /** Asks a second copy of HeapSampler, in a class loader that knows nothing of the first. */
    private static void copy() throws Exception {
        URL jar = Path.of(System.getProperty("copy")).toUri().toURL();
        try (URLClassLoader loader =
                new URLClassLoader(new URL[] {jar}, ClassLoader.getPlatformClassLoader())) {
            Class<?> sampler = loader.loadClass(HeapSampler.class.getName());
            System.out.println("another=" + (sampler != HeapSampler.class));
            Object reason = sampler.getMethod("unavailability").invoke(null);
            System.out.println("supported=" + (reason == null));
            Object status = sampler.getMethod("status").invoke(null);
            System.out.println("state=" + status.getClass().getMethod("state").invoke(status));
        }
    }

    /** Returns which core this is. */
    /** With a greater interval than the agent's. */
    private static void join() {
        HeapSampler.start(SamplerOptions.builder().interval(512 * 1024).build());
        System.out.println("interval=" + HeapSampler.status().interval());
        System.out.println("holders=" + HeapSampler.status().holders());
        HeapSampler.stop();
        System.out.println("holders=" + HeapSampler.status().holders());
        System.out.println("state=" + HeapSampler.status().state());
    }

    private static void origin() {
        System.out.println("state=" + HeapSampler.status().state());
        String place =
                HeapSampler.class.getProtectionDomain().getCodeSource().getLocation().getPath();
        System.out.println("from=" + place.substring(place.lastIndexOf('/') + 1));
    }

    /** Wants a log manager of its own. */
    private static void logging() {
        isLoggingDue = true;
        System.setProperty("java.util.logging.manager", OwnManager.class.getName());
        boolean isOwn = LogManager.getLogManager() instanceof OwnManager;
        System.out.println("manager=" + (isOwn ? "own" : "another"));
    }

    /** What servers have; it must not be made before their main is ready for it. */
    public static final class OwnManager extends LogManager {

        /** Called by the JDK. */
        public OwnManager() {
            System.out.println(isLoggingDue ? "made in main" : "made too early");
        }
    }

    /** Takes a folder away that the agent needs, and ends when the agent has had its say. */
    private static void late() throws Exception {
        Files.delete(Path.of("reports"));
        while (!Files.exists(Path.of("end")) && HeapSampler.status().state() == SamplerState.NEW) {
            Thread.sleep(20);
        }
        System.out.println("state=" + HeapSampler.status().state());
    }

    /** Takes a message and never comes back. */
    private static final class Deaf extends Handler {

        @Override
        public void publish(LogRecord message) {
            LockSupport.park();
            publish(message);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    /** Allocates in each way there is, uses a database, and says what it sees of the sampler. */
    private static void work() throws Exception {
        Hooks.run();
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:")) {
            fill(connection);
            for (int i = 0; i < ROUNDS; i++) {
                transfer(connection);
            }
        }
        System.out.println("state=" + HeapSampler.status().state());
        System.out.println("sites=" + (HeapSampler.snapshot().sites().size() > 0));
    }

    private static void fill(Connection connection) throws Exception {
        try (Statement statement = connection.createStatement()) {
            statement.execute("create table account(id int primary key, balance bigint)");
            statement.execute(
                    "insert into account select x, 1000 from system_range(1, " + ROWS + ")");
        }
    }

    private static void transfer(Connection connection) throws Exception {
        try (PreparedStatement update =
                connection.prepareStatement(
                        "update account set balance = balance + 1 where id = ?")) {
            for (int id = 1; id <= 100; id++) {
                update.setInt(1, id);
                update.executeUpdate();
            }
        }
    }

    /** Works until the standard input ends. */
    private static void serve() throws Exception {
        List<byte[]> leak = new ArrayList<>();
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:")) {
            fill(connection);
            System.out.println("ready");
            while (System.in.available() == 0) {
                transfer(connection);
                leak.add(new byte[2_000]);
                if (leak.size() > 10_000) {
                    leak.clear();
                }
            }
        }
    }

    /** What escape analysis takes away, as soon as it has: the rounds end with one of no sample. */
    private static void points() {
        long samples = -1;
        for (int round = 0; round < MOST_ROUNDS && samples != 0; round++) {
            HeapSampler.reset();
            long sum = 0;
            for (int i = 0; i < POINTS; i++) {
                sum += distance(i);
            }
            Hooks.sink = sum;
            samples = samplesOf(Point.class.getName());
        }
        System.out.println("points=" + (samples == 0 ? "none" : "some"));
    }

    /** For {@code tests/agent/bench}: nanoseconds for a point, at best. */
    private static void speed() {
        double best = Double.MAX_VALUE;
        int rounds = Integer.getInteger("speed.rounds", MOST_ROUNDS);
        for (int round = 0; round < rounds; round++) {
            long begin = System.nanoTime();
            long sum = 0;
            for (int i = 0; i < SPEED_POINTS; i++) {
                sum += distance(i);
            }
            Hooks.sink = sum;
            best = Math.min(best, (System.nanoTime() - begin) / (double) SPEED_POINTS);
        }
        System.out.println(best);
    }

    private record Point(long x, long y) {}

    private static long distance(int i) {
        Point point = new Point(i, i + 1L);
        return point.x() * point.x() + point.y();
    }

    private static long samplesOf(String className) {
        HeapSnapshot snapshot = HeapSampler.snapshot();
        return snapshot.sites().stream()
                .filter(site -> site.className().equals(className))
                .mapToLong(site -> site.allocated().samples())
                .sum();
    }

    /** Gives the doctor a reason to look closely, and prints which threads keep the JVM alive. */
    private static void threads() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        System.out.println(
                "not a daemon: "
                        + Thread.getAllStackTraces().keySet().stream()
                                .filter(it -> !it.isDaemon())
                                .map(Thread::getName)
                                .toList());
    }

    /** Fills the heap. */
    private static void full() {
        List<byte[]> hoard = new ArrayList<>();
        try {
            while (true) {
                hoard.add(new byte[100_000]);
            }
        } catch (OutOfMemoryError e) {
            hoard.clear();
            System.out.println("survived");
        }
    }
}
