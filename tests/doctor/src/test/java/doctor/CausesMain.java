// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import io.heapsampler.doctor.Inside;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The JVM that compares the doctor's table of causes with the texts in its own library. */
public final class CausesMain {

    /** Names that HotSpot has, and the feature releases from 17 on if not all have them. */
    private static final String NAMES =
            """
            System.gc()
            Diagnostic Command
            JvmtiEnv ForceGarbageCollection
            Heap Inspection Initiated GC
            Heap Dump Initiated GC
            WhiteBox Initiated Young GC
            WhiteBox Initiated Full GC
            WhiteBox Initiated Concurrent Mark|17-20
            WhiteBox Initiated Run to Breakpoint
            Allocation Failure
            Metadata GC Threshold
            Metadata GC Clear Soft References
            Ergonomics|17-24
            Tenured Generation Full|17-20
            GCLocker Initiated GC|17-24
            G1 Evacuation Pause
            G1 Compaction Pause
            G1 Humongous Allocation
            G1 Periodic Collection
            G1 Preventive Collection|17-20
            CodeCache GC Threshold|20-
            CodeCache GC Aggressive|20-
            Concurrent GC
            Allocation Failure During Evacuation
            Upgrade To Full GC
            Stopping VM
            Timer
            Warmup
            Allocation Rate
            Allocation Stall
            Proactive
            High Usage
            No GC
            """;

    private CausesMain() {}

    /** Prints a line for each name: whether the doctor knows it, and this JVM as it should. */
    public static void main(String[] arguments) throws IOException {
        Path library = Path.of(System.getProperty("java.home"), "lib", "server", "libjvm.so");
        String text = Files.readString(library, StandardCharsets.ISO_8859_1);
        for (String line : NAMES.lines().toList()) {
            String name = line.replaceFirst("\\|.*", "");
            boolean isExpected = isIn(line.substring(name.length()), Runtime.version().feature());
            // The linker may have made one that is there the end of a longer text.
            boolean isThere = text.contains((isExpected ? "" : "\0") + name + "\0");
            boolean isKnown = !Inside.meaning(name).isEmpty();
            String verdict = isThere != isExpected ? "wrong" : isKnown ? "right" : "unknown";
            System.out.println("cause " + verdict + " " + name);
        }
    }

    /** Of releases such as {@code |17-20} or {@code |20-}; all if there are none. */
    private static boolean isIn(String releases, int feature) {
        String[] ends = releases.isEmpty() ? new String[] {"17"} : releases.substring(1).split("-");
        int last = ends.length > 1 ? Integer.parseInt(ends[1]) : Integer.MAX_VALUE;
        return feature >= Integer.parseInt(ends[0]) && feature <= last;
    }
}
