// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import io.heapsampler.HeapSampler;
import io.heapsampler.support.Until;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What walks may leave in the process: threads, descriptors, children, native memory, tags, weak
 * references.
 *
 * @param threads of the system by name, without the JVM's
 * @param descriptors by target
 * @param nativeBytes of the sampler
 * @param tagBytes of the JVM for JVMTI, tags above all; 0 where it does not track its memory
 * @param weak JNI's weak global references
 */
record Leftovers(
        Map<String, Integer> threads,
        Map<String, Integer> descriptors,
        long nativeBytes,
        long tagBytes,
        long weak) {

    private static final int PATIENCE_SECONDS = 30;
    private static final Path SELF = Path.of("/proc/self");

    /** What the sampler keeps for the process once it has worked: rooms to learn stacks in. */
    private static final long PROCESS_BYTES = 512 * 1024;

    /** A walk has tags of 80 bytes for a few thousand classes at least. */
    private static final long TAG_BYTES = 64 * 1024;

    private static final Pattern TAGS = Pattern.compile("Serviceability \\(.*committed=(\\d+)KB");
    private static final Pattern WEAK = Pattern.compile("weak refs: (\\d+)");

    private static final Pattern OF_THE_JVM =
            Pattern.compile(
                    "(C[12] |GC |G1 |[XZ][A-Z]|[XZ]W|Shenandoah|VM"
                            + " |VirtualThread|ForkJoinPool|Common-Cleaner|Cleaner-|Attach|process"
                            + " |Notification|Monitor|Service|"
                            + "Sweeper|Signal|Finalizer|Reference|DestroyJavaVM|StrDedup|Runtime|"
                            + "read-poll|MainThread-).*");

    static Leftovers now() throws IOException {
        return new Leftovers(
                names(SELF.resolve("task"), true),
                names(SELF.resolve("fd"), false),
                HeapSampler.status().memoryUsed(),
                1024 * number(TAGS, command("vmNativeMemory", "summary")),
                number(WEAK, command("threadPrint")));
    }

    /** Returns the resident memory, in KiB. */
    static long rss() throws IOException {
        return number(
                Pattern.compile("VmRSS:\\s+(\\d+)"), Files.readString(SELF.resolve("status")));
    }

    private static long number(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        return matcher.find() ? Long.parseLong(matcher.group(1)) : 0;
    }

    private static String command(String name, String... arguments) throws IOException {
        try {
            return (String)
                    ManagementFactory.getPlatformMBeanServer()
                            .invoke(
                                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                    name,
                                    new Object[] {arguments},
                                    new String[] {String[].class.getName()});
        } catch (JMException e) {
            throw new IOException(e);
        }
    }

    private static Map<String, Integer> names(Path folder, boolean areThreads) throws IOException {
        Map<String, Integer> names = new TreeMap<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            for (Path entry : entries) {
                String name = name(entry, areThreads);
                if (!name.isEmpty()) {
                    names.merge(name, 1, Integer::sum);
                }
            }
        }
        return names;
    }

    /** Empty for what belongs to the JVM, and for what has gone meanwhile. */
    private static String name(Path entry, boolean isThread) {
        try {
            if (isThread) {
                String name = Files.readString(entry.resolve("comm")).strip();
                return OF_THE_JVM.matcher(name).matches() ? "" : name;
            }
            String target = Files.readSymbolicLink(entry).toString().replaceAll("[0-9]+", "#");
            boolean isOfTheJvm =
                    target.matches(".*\\.jar|.*/modules|/dev/.*|/proc/.*|/sys/fs/cgroup/.*");
            return isOfTheJvm ? "" : target;
        } catch (IOException e) {
            return "";
        }
    }

    /** Returns what there is now and was not then; waits for what is on its way out. */
    List<String> since() throws Exception {
        boolean isGone =
                Until.within(
                        PATIENCE_SECONDS,
                        () -> {
                            System.gc(); // frees the JVM's environment with its tags
                            return compare().isEmpty();
                        });
        return isGone ? List.of() : compare();
    }

    private List<String> compare() throws IOException {
        Leftovers after = now();
        List<String> left = new ArrayList<>(children());
        more("thread", threads, after.threads, left);
        more("descriptor", descriptors, after.descriptors, left);
        if (after.nativeBytes > nativeBytes + PROCESS_BYTES) {
            left.add((after.nativeBytes - nativeBytes) + " bytes");
        }
        if (after.tagBytes > tagBytes + TAG_BYTES) {
            left.add((after.tagBytes - tagBytes) + " bytes of tags");
        }
        if (after.weak > weak) {
            left.add((after.weak - weak) + " weak references");
        }
        return left;
    }

    /** Children and zombies alike. */
    private static List<String> children() throws IOException {
        List<String> children = new ArrayList<>();
        try (DirectoryStream<Path> tasks = Files.newDirectoryStream(SELF.resolve("task"))) {
            for (Path task : tasks) {
                try {
                    byte[] text = Files.readAllBytes(task.resolve("children"));
                    String pids = new String(text, StandardCharsets.US_ASCII).strip();
                    if (!pids.isEmpty()) {
                        children.add("children " + pids);
                    }
                } catch (IOException e) {
                    // The thread has ended.
                }
            }
        }
        return children;
    }

    private static void more(
            String what,
            Map<String, Integer> before,
            Map<String, Integer> after,
            List<String> left) {
        after.forEach(
                (name, count) -> {
                    int extra = count - before.getOrDefault(name, 0);
                    if (extra > 0) {
                        left.add(extra + " " + what + " " + name);
                    }
                });
    }
}
