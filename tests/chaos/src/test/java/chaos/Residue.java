// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerStatus;
import io.heapsampler.support.Until;
import java.io.File;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.JMException;
import javax.management.ObjectName;

/**
 * What a sampler may hold: threads, descriptors, files, references, memory. Compared before its
 * first start and after its last reset.
 *
 * @param threads by name, without those that come and go with the JVM's mood
 * @param descriptors by target
 * @param files in the folder for temporary files
 * @param weak JNI's weak global references in this JVM, as itself counts them
 * @param nativeBytes of the sampler
 */
record Residue(
        Map<String, Integer> threads,
        Map<String, Integer> descriptors,
        List<String> files,
        long weak,
        long nativeBytes) {

    private static final int PATIENCE_SECONDS = 60;

    /**
     * What the process keeps: the four rooms to learn stacks in (native/README.md), and the rest.
     */
    private static final long PROCESS_BYTES = (4 * 42 + 22) * 1024;

    /** What a thread keeps until its end: its state and its last walk. */
    private static final long THREAD_BYTES = 5 * 1024;

    private static final Pattern WEAK =
            Pattern.compile("JNI global refs: (\\d+), weak refs: (\\d+)");

    /** The JVM's and the JDK's own, which the work brings to life. */
    private static final Pattern OF_THE_JVM =
            Pattern.compile(
                    "(C[12] |GC |G1 |[XZ][A-Z]|[XZ]W|Shenandoah|VM |VirtualThread|ForkJoinPool|"
                            + "Common-Cleaner|JFR |Cleaner-|Attach|process |JDWP|Notification|"
                            + "Monitor|Service|Sweeper|Signal|Finalizer|Reference|DestroyJavaVM|"
                            + "StrDedup|Runtime|read-poll|MainThread-).*");

    static Residue now() {
        SamplerStatus status = HeapSampler.status();
        return new Residue(
                threadsOfBothKinds(),
                ProcFile.descriptors(),
                temporaryFiles(),
                references()[1],
                status.memoryUsed());
    }

    private static Map<String, Integer> threadsOfBothKinds() {
        Map<String, Integer> all = new TreeMap<>(systemThreads());
        javaThreads().forEach((name, count) -> all.put("Java thread " + name, count));
        return all;
    }

    /** Returns the threads that the system knows, by name. */
    static Map<String, Integer> systemThreads() {
        return withoutTheJvms(ProcFile.threads());
    }

    /** Returns the threads that Java knows, by name. */
    static Map<String, Integer> javaThreads() {
        Map<String, Integer> names = new TreeMap<>();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            names.merge(thread.getName(), 1, Integer::sum);
        }
        return withoutTheJvms(names);
    }

    private static Map<String, Integer> withoutTheJvms(Map<String, Integer> names) {
        names.keySet().removeIf(name -> OF_THE_JVM.matcher(name).matches());
        return names;
    }

    private static List<String> temporaryFiles() {
        String[] names = new File(System.getProperty("java.io.tmpdir")).list();
        return names == null ? List.of() : Arrays.stream(names).sorted().toList();
    }

    /** Returns JNI's global and weak global references, which a thread dump tells. */
    static long[] references() {
        try {
            Object dump =
                    ManagementFactory.getPlatformMBeanServer()
                            .invoke(
                                    new ObjectName("com.sun.management:type=DiagnosticCommand"),
                                    "threadPrint",
                                    new Object[] {new String[0]},
                                    new String[] {String[].class.getName()});
            Matcher counts = WEAK.matcher((String) dump);
            if (!counts.find()) {
                throw new IllegalStateException("a thread dump without counts");
            }
            return new long[] {Long.parseLong(counts.group(1)), Long.parseLong(counts.group(2))};
        } catch (JMException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns what there is now and was not then; waits for what is on its way out. */
    List<String> leftOver() throws Exception {
        boolean isGone = Until.within(PATIENCE_SECONDS, () -> since(now()).isEmpty());
        return isGone ? List.of() : since(now());
    }

    private List<String> since(Residue after) {
        List<String> left = new ArrayList<>();
        more("thread", threads, after.threads, left);
        more("descriptor", descriptors, after.descriptors, left);
        after.files.stream()
                .filter(name -> !files.contains(name))
                .forEach(name -> left.add("file " + name));
        if (after.weak > weak) {
            left.add((after.weak - weak) + " weak references");
        }
        long kept = PROCESS_BYTES + THREAD_BYTES * Thread.getAllStackTraces().size();
        if (after.nativeBytes > nativeBytes + kept) {
            left.add((after.nativeBytes - nativeBytes) + " bytes, more than " + kept);
        }
        SamplerStatus status = HeapSampler.status();
        if (status.isSampling() || status.recordings() > 0 || status.tracked() > 0) {
            left.add("state " + status);
        }
        return left;
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
