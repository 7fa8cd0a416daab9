// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;

/** The rooms of the doctor, and who knows whom: each only those before it. */
class RoomsTest {

    private static final String OURS = "io.heapsampler.doctor.";

    /** What all of them speak of: the records of the API. */
    private static final String RECORDS = "records";

    private static final List<String> ORDER =
            List.of(
                    "internal.text",
                    RECORDS,
                    "internal.timeline",
                    "internal.sites",
                    "internal.rules",
                    "internal.report",
                    "internal.watch",
                    "doctor");

    /** Doors: classes of the API that only open a room. */
    private static final Map<String, String> DOORS =
            Map.of(
                    "Diagnosis", "doctor",
                    "DoctorOptions", "doctor",
                    "GcDoctor", "doctor",
                    "JvmWatch", "doctor");

    private static final Pattern DEPENDENCY =
            Pattern.compile(
                    "(?m)^ +io\\.heapsampler\\.doctor\\.(\\S+) +->"
                            + " io\\.heapsampler\\.doctor\\.(\\S+)");

    /** Names are without {@code io.heapsampler.doctor}. */
    private static String room(String name) {
        String outer = name.replaceFirst("\\$.*", "");
        int dot = outer.lastIndexOf('.');
        return dot >= 0 ? outer.substring(0, dot) : DOORS.getOrDefault(outer, RECORDS);
    }

    private static String dependencies() throws Exception {
        Path classes =
                Path.of(GcDoctor.class.getProtectionDomain().getCodeSource().getLocation().toURI());
        StringWriter out = new StringWriter();
        StringWriter complaints = new StringWriter();
        ToolProvider.findFirst("jdeps")
                .orElseThrow()
                .run(
                        new PrintWriter(out),
                        new PrintWriter(complaints),
                        "--ignore-missing-deps",
                        "-verbose:class",
                        "-filter:none",
                        "-e",
                        OURS.replace(".", "\\.") + ".*",
                        // Not their root, where jdeps would find a module and look for others.
                        classes.resolve("io").toString());
        return out.toString() + complaints;
    }

    @Test
    void eachRoomKnowsOnlyThoseBeforeIt() throws Exception {
        String all = dependencies();
        Matcher each = DEPENDENCY.matcher(all);
        List<String> wrong = new ArrayList<>();
        int seen = 0;
        while (each.find()) {
            int from = ORDER.indexOf(room(each.group(1)));
            int to = ORDER.indexOf(room(each.group(2)));
            seen++;
            if (from < 0 || to < 0 || to > from) {
                wrong.add(each.group(1) + " -> " + each.group(2));
            }
        }
        assertThat(seen).as("what jdeps says:%n%s", all).isGreaterThan(400);
        assertThat(wrong).isEmpty();
    }
}
