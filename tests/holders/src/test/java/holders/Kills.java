// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.JvmProcess;
import io.heapsampler.support.JvmProcess.Companion;
import io.heapsampler.support.Until;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Ends a child, its parent, or both, in the middle of a walk. */
final class Kills {

    private static final int PATIENCE_SECONDS = 60;

    /**
     * How long a child may live after its parent: killed at once, it ends late where it has no
     * processor to end on.
     */
    private static final int ORPHAN_SECONDS = 20;

    private static final int EXIT_CODE = 7;
    private static final int KILLED_CODE = 128 + 9;
    private static final Pattern CHILD = Pattern.compile("(?m)^child (\\d+)$");

    private final ForkedJvm jvms;
    private final Cell cell;

    Kills(ForkedJvm jvms, Cell cell) {
        this.jvms = jvms;
        this.cell = cell;
    }

    String run() throws Exception {
        StringBuilder line = new StringBuilder();
        line.append(end("survive", 0, Companion.NONE)).append("; ");
        line.append(end("exit", EXIT_CODE, Companion.NONE)).append("; ");
        line.append(end("halt", EXIT_CODE, Companion.NONE)).append("; ");
        return line.append(end("wait", KILLED_CODE, Kills::kill)).toString();
    }

    private String end(String mode, int code, Companion companion) throws Exception {
        Outcome outcome =
                jvms.run(
                        cell.name() + "-" + mode,
                        cell,
                        companion,
                        List.of("-Xms512m", "-Xmx512m", "-Xcheck:jni"),
                        KillsMain.class.getName(),
                        mode);
        assertThat(outcome.complaint()).as("complaint of the JVM in\n%s", outcome).isEmpty();
        assertThat(outcome.code()).as("exit code of\n%s", outcome).isEqualTo(code);
        Matcher children = CHILD.matcher(outcome.output());
        int count = 0;
        while (children.find()) {
            long child = Long.parseLong(children.group(1));
            count++;
            assertThat(Until.within(ORPHAN_SECONDS, () -> !isAlive(child)))
                    .as("end of child %d of\n%s", child, outcome)
                    .isTrue();
        }
        assertThat(count).as("children in the middle of a walk in\n%s", outcome).isPositive();
        return mode + " " + outcome.millis() + " ms";
    }

    /** A dead one that has not been waited for is not alive. */
    private static boolean isAlive(long pid) {
        try {
            String stat = Files.readString(java.nio.file.Path.of("/proc/" + pid + "/stat"));
            return !stat.substring(stat.lastIndexOf(')')).startsWith(") Z");
        } catch (IOException e) {
            return false;
        }
    }

    /** Kills the JVM as soon as it has a child. */
    private static void kill(Process process, java.nio.file.Path output) throws Exception {
        boolean hasChild =
                Until.within(
                        PATIENCE_SECONDS,
                        () -> !process.isAlive() || childOf(Files.readString(output)).isPresent());
        assertThat(hasChild).as("a child of\n%s", Files.readString(output)).isTrue();
        assertThat(isAlive(childOf(Files.readString(output)).orElse(0)))
                .as("the child is in the middle of its walk")
                .isTrue();
        JvmProcess.signal(process, "KILL");
    }

    private static OptionalLong childOf(String output) {
        Matcher matcher = CHILD.matcher(output);
        return matcher.find()
                ? OptionalLong.of(Long.parseLong(matcher.group(1)))
                : OptionalLong.empty();
    }
}
