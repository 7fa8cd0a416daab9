// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import javax.management.ObjectName;
import jdk.jfr.EventSettings;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingStream;

/**
 * Measures the memory that Flight Recorder adds to a process that generates classes. Prints the
 * resident memory and the number of classes each five seconds. Needs nothing but the JDK; see
 * {@code tests/doctor/sources.md} for the command lines and the figures.
 *
 * <p>Arguments are {@code key=value}, see {@link #DEFAULTS}.
 */
public final class RecorderMemoryMain {

    /** The events of the doctor, with their threshold in milliseconds and whether with stack. */
    private static final List<String> DOCTOR =
            List.of(
                    "SystemGC:0:stack",
                    "EvacuationFailed:0:bare",
                    "PromotionFailed:0:bare",
                    "ZAllocationStall:0:bare",
                    "GCLocker:0:stack",
                    "GCPhasePause:5:bare",
                    "GCPhasePauseLevel1:5:bare",
                    "GCPhasePauseLevel2:10:bare",
                    "GCReferenceStatistics:0:bare",
                    "MetaspaceAllocationFailure:0:stack");

    private static final Map<String, String> DEFAULTS =
            Map.ofEntries(
                    Map.entry("seconds", "80"),
                    // Any word, by which a process is found.
                    Map.entry("tag", ""),
                    // Classes a second; 0: none.
                    Map.entry("rate", "250"),
                    Map.entry("keep", "true"),
                    // made: written by hand; janino: compiled by Janino, which must be on the class
                    // path.
                    Map.entry("source", "made"),
                    // Methods of each class.
                    Map.entry("methods", "20"),
                    // A loader for this many classes.
                    Map.entry("perLoader", "1"),
                    // How often the first method of each class is called.
                    Map.entry("calls", "0"),
                    // Each class in a thread of its own, which ends then.
                    Map.entry("spawn", "false"),
                    // No more classes than this.
                    Map.entry("classes", "1000000"),
                    // none, stream, recording.
                    Map.entry("jfr", "none"),
                    // none, doctor, or names without "jdk.", with commas.
                    Map.entry("events", "none"),
                    // doctor, all, none: the events that have stacks.
                    Map.entry("stacks", "doctor"),
                    Map.entry("flushMillis", "1000"),
                    Map.entry("maxSize", "1"),
                    // When the recorder is opened and closed, in seconds.
                    Map.entry("open", "15"),
                    Map.entry("close", "1000000"),
                    // If more than 0: opened again after this many seconds, for half of them.
                    Map.entry("cycle", "0"),
                    // System.gc() each time this many seconds have passed; 0: never.
                    Map.entry("gcEvery", "0"),
                    // The native heap is trimmed at this second (JDK 21.0.3 and later, 17.0.9).
                    Map.entry("trim", "1000000"));

    private final Map<String, String> options = new HashMap<>(DEFAULTS);
    private final List<Object> kept = new ArrayList<>();
    private final long begin = System.nanoTime();
    private int made;
    private int heard;
    private GeneratedClassLoader loader = new GeneratedClassLoader();
    private RecordingStream stream;
    private Recording recording;
    private long firstRss;

    private RecorderMemoryMain(String[] arguments) {
        for (String argument : arguments) {
            String[] pair = argument.split("=", 2);
            if (options.put(pair[0], pair[1]) == null) {
                throw new IllegalArgumentException(argument);
            }
        }
    }

    /**
     * Runs.
     *
     * @param arguments key=value
     */
    public static void main(String[] arguments) throws Exception {
        new RecorderMemoryMain(arguments).run();
    }

    private int number(String key) {
        return Integer.parseInt(options.get(key));
    }

    private double seconds() {
        return (System.nanoTime() - begin) / 1e9;
    }

    private void run() throws Exception {
        int last = number("seconds");
        int open = number("open");
        int close = number("close");
        int nextPrint = 0;
        int nextGc = number("gcEvery") > 0 ? number("gcEvery") : Integer.MAX_VALUE;
        int trim = number("trim");
        for (double now = seconds(); now < last; now = seconds()) {
            if (now >= nextPrint) {
                print((int) now);
                nextPrint = (int) now + 5;
            }
            if (now >= open) {
                open = number("cycle") > 0 ? open + number("cycle") : Integer.MAX_VALUE;
                close = number("cycle") > 0 ? (int) now + number("cycle") / 2 : close;
                open();
            }
            if (now >= close) {
                close = Integer.MAX_VALUE;
                close();
            }
            if (now >= nextGc) {
                nextGc += number("gcEvery");
                System.gc();
            }
            if (now >= trim) {
                trim = Integer.MAX_VALUE;
                System.out.println("trim: " + command("systemTrimNativeHeap"));
                print((int) now);
            }
            while (made < now * number("rate") && made < number("classes")) {
                if (options.get("spawn").equals("true")) {
                    spawn();
                } else {
                    make();
                }
            }
            Thread.sleep(2);
        }
        print(last);
        System.out.println(
                "end: +"
                        + (memory("VmRSS") - firstRss) / 1024
                        + " MiB, peak "
                        + memory("VmHWM") / 1024
                        + " MiB, events heard "
                        + heard);
        if (options.get("jfr").equals("none")) {
            return;
        }
        close();
    }

    private void spawn() throws InterruptedException {
        Thread thread =
                new Thread(
                        () -> {
                            try {
                                make();
                            } catch (Exception e) {
                                throw new IllegalStateException(e);
                            }
                        });
        thread.start();
        thread.join();
    }

    private void make() throws Exception {
        if (options.get("source").equals("janino")) {
            keep(compiled());
            return;
        }
        if (made % number("perLoader") == 0) {
            loader = new GeneratedClassLoader();
        }
        Class<?> type = loader.define("generated/p" + made / 100 + "/C" + made, number("methods"));
        type.getDeclaredConstructor().newInstance();
        Method first = type.getDeclaredMethods()[0];
        for (int i = 0; i < number("calls"); i++) {
            first.invoke(null, i, made);
        }
        keep(type);
    }

    private void keep(Object generated) {
        made++;
        if (options.get("keep").equals("true")) {
            kept.add(generated);
        }
    }

    private Object compiled() throws ReflectiveOperationException {
        Class<?> type = Class.forName("org.codehaus.janino.ExpressionEvaluator");
        Object evaluator = type.getDeclaredConstructor().newInstance();
        type.getMethod("setExpressionType", Class.class).invoke(evaluator, int.class);
        type.getMethod("setParameters", String[].class, Class[].class)
                .invoke(evaluator, new String[] {"a", "b"}, new Class<?>[] {int.class, int.class});
        type.getMethod("cook", String.class)
                .invoke(evaluator, "a * " + made + " + Math.max(a, b) - b");
        Method evaluate = type.getMethod("evaluate", Object[].class);
        for (int i = 0; i < 1 + number("calls"); i++) {
            evaluate.invoke(evaluator, (Object) new Object[] {made, i});
        }
        return evaluator;
    }

    private void open() throws ReflectiveOperationException {
        switch (options.get("jfr")) {
            case "stream" -> openStream();
            case "recording" -> openRecording();
            default -> {}
        }
    }

    private void openStream() throws ReflectiveOperationException {
        stream = new RecordingStream();
        for (String event : events()) {
            choose(stream.enable("jdk." + event.split(":")[0]), event);
            stream.onEvent("jdk." + event.split(":")[0], heardOf -> heard++);
        }
        stream.setMaxSize(number("maxSize"));
        stream.setReuse(true);
        stream.setOrdered(false);
        flushEach(number("flushMillis"));
        stream.startAsync();
    }

    /** Has no public name; needs {@code --add-opens} of what is used here. */
    private void flushEach(int millis) throws ReflectiveOperationException {
        if (millis == 1000) {
            return;
        }
        Object ofStream = field(stream, "recording");
        Object internal = field(ofStream, "internal");
        Method set = internal.getClass().getMethod("setFlushInterval", Duration.class);
        set.setAccessible(true);
        set.invoke(internal, Duration.ofMillis(millis));
    }

    private static Object field(Object of, String name) throws ReflectiveOperationException {
        Field field = of.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(of);
    }

    private void openRecording() {
        recording = new Recording();
        for (String event : events()) {
            choose(recording.enable("jdk." + event.split(":")[0]), event);
        }
        recording.setToDisk(number("maxSize") > 0);
        if (number("maxSize") > 0) {
            recording.setMaxSize(number("maxSize"));
        }
        recording.start();
    }

    private List<String> events() {
        return switch (options.get("events")) {
            case "none" -> List.of();
            case "doctor" -> DOCTOR;
            default -> List.of(options.get("events").split(","));
        };
    }

    private void choose(EventSettings settings, String event) {
        String[] parts = event.split(":");
        settings.withThreshold(Duration.ofMillis(parts.length > 1 ? Long.parseLong(parts[1]) : 0));
        boolean withStack =
                switch (options.get("stacks")) {
                    case "all" -> true;
                    case "none" -> false;
                    default -> parts.length > 2 && parts[2].equals("stack");
                };
        if (withStack) {
            settings.withStackTrace();
        } else {
            settings.withoutStackTrace();
        }
    }

    private void close() {
        if (stream != null) {
            stream.close();
            stream = null;
        }
        if (recording != null) {
            recording.close();
            recording = null;
        }
    }

    private void print(int second) throws IOException {
        long rss = memory("VmRSS");
        if (firstRss == 0) {
            firstRss = rss;
        }
        System.out.printf(
                Locale.ROOT,
                "%3d s  RSS %5d MiB  malloc %5d  classes %6d  heap %4d  metaspace %4d  heard"
                        + " %d%s%n",
                second,
                rss / 1024,
                malloc() / 1024,
                ManagementFactory.getClassLoadingMXBean().getLoadedClassCount(),
                ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getCommitted() >> 20,
                ManagementFactory.getMemoryMXBean().getNonHeapMemoryUsage().getCommitted() >> 20,
                heard,
                stream == null && recording == null ? "" : "  open");
    }

    /**
     * The resident memory of glibc's arenas in KiB: what lies in {@code [heap]} and in nameless
     * mappings that begin where a multiple of 64 MiB is, as arenas other than the first do. Blocks
     * of more than the mmap threshold are not in it.
     */
    private static long malloc() throws IOException {
        long sum = 0;
        boolean isArena = false;
        for (String line : Files.readAllLines(Path.of("/proc/self/smaps"))) {
            String[] words = line.split(" +");
            if (words[0].indexOf('-') > 0) {
                long from = Long.parseUnsignedLong(words[0].split("-")[0], 16);
                isArena =
                        words[words.length - 1].equals("[heap]")
                                || (words.length == 5
                                        && words[1].equals("rw-p")
                                        && from > 1L << 40
                                        && from % (64 << 20) == 0);
            } else if (isArena && words[0].equals("Rss:")) {
                sum += Long.parseLong(words[1]);
            }
        }
        return sum;
    }

    /** In KiB. */
    private static long memory(String what) throws IOException {
        for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
            if (line.startsWith(what + ":")) {
                return Long.parseLong(line.replaceAll("[^0-9]", ""));
            }
        }
        return 0;
    }

    private static String command(String name) throws Exception {
        return (String)
                ManagementFactory.getPlatformMBeanServer()
                        .invoke(
                                new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                name,
                                new Object[] {},
                                new String[] {});
    }
}
