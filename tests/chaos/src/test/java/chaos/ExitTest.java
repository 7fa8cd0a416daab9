// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.JvmProcess;
import io.heapsampler.support.Until;
import io.heapsampler.support.Wanted;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * A JVM ends in every state of the sampler: in time, with its own exit code, and leaves nothing.
 */
class ExitTest {

    private static final Wanted WANTED = Wanted.by("chaos.cells");

    /** Prime to the number of targets. */
    private static final int STRIDE = 5;

    private static final int PATIENCE_SECONDS = 60;

    private record Started(String name, Ending ending, Future<Outcome> outcome) {}

    @TestFactory
    Stream<DynamicTest> endsAsItWould() throws Exception {
        ForkedJvm jvms = new ForkedJvm("exits");
        List<Target> targets = Target.all();
        List<Started> started = new ArrayList<>();
        int next = 0;
        for (Ending ending : Ending.values()) {
            int count = Math.min(targets.size(), Tier.current().exits());
            for (int i = 0; i < count; i++) {
                Target target = targets.get(next % targets.size());
                next += count == targets.size() ? 1 : STRIDE;
                String name = target.name() + "-exit-" + ending.label();
                if (WANTED.includes(name)) {
                    started.add(
                            new Started(name, ending, jvms.start(launch(name, target, ending))));
                }
            }
        }
        return started.stream().map(one -> DynamicTest.dynamicTest(one.name, () -> check(one)));
    }

    private static Launch launch(String name, Target target, Ending ending) {
        Launch launch =
                Launch.of(name, target, Exits.class, ending.label())
                        .flags(List.of(ending.flags()))
                        .within(PATIENCE_SECONDS);
        return switch (ending) {
            case TERMINATED -> launch.with((process, output) -> signal(process, output, "TERM"));
            case KILLED, KILLED_IN_START_AND_STOP ->
                    launch.with((process, output) -> signal(process, output, "KILL"));
            default -> launch;
        };
    }

    private static void signal(Process process, Path output, String name) throws Exception {
        boolean hasCome =
                Until.within(
                        PATIENCE_SECONDS,
                        () -> Files.readString(output).contains("ending=") || !process.isAlive());
        if (!hasCome) {
            throw new IllegalStateException("it does not come to its end: " + output);
        }
        JvmProcess.signal(process, name);
    }

    private static void check(Started started) throws Exception {
        Outcome outcome = started.outcome.get();
        assertThat(outcome.trouble(started.ending.code())).isEmpty();
    }
}
