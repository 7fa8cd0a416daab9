// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package doctor;

import io.heapsampler.doctor.internal.timeline.Causes;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The JVM that compares the doctor's table of causes with the texts in its own library. */
public final class CausesMain {

    private CausesMain() {}

    /** Prints a line for each cause: whether it is there as the table says. */
    public static void main(String[] arguments) throws IOException {
        Path library = Path.of(System.getProperty("java.home"), "lib", "server", "libjvm.so");
        String text = Files.readString(library, StandardCharsets.ISO_8859_1);
        int feature = Runtime.version().feature();
        for (Causes.Cause cause : Causes.all()) {
            boolean isExpected = cause.isIn(feature);
            // The linker may have made one that is there the end of a longer text.
            boolean isThere = text.contains((isExpected ? "" : "\0") + cause.name() + "\0");
            String verdict = isThere == isExpected ? "right" : isThere ? "surplus" : "missing";
            System.out.println("cause " + verdict + " " + cause.name());
        }
    }
}
