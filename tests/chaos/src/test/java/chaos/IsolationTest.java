// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.Gc;
import io.heapsampler.support.Wanted;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Nothing of the application is touched by the sampler, and nothing is written anywhere. */
class IsolationTest {

    private record Started(String name, Future<Outcome> outcome) {}

    @TestFactory
    Stream<DynamicTest> applicationIsNotTouched() throws Exception {
        ForkedJvm jvms = new ForkedJvm("isolation");
        Wanted wanted = Wanted.by("chaos.cells");
        List<Started> started = new ArrayList<>();
        for (Target target : Target.all()) {
            boolean isFew = target.gc() == Gc.G1 || Tier.current() == Tier.LONG;
            String name = target.name() + "-isolation";
            if (isFew && wanted.includes(name)) {
                started.add(new Started(name, jvms.start(launch(jvms, name, target))));
            }
        }
        return started.stream().map(one -> DynamicTest.dynamicTest(one.name, () -> check(one)));
    }

    private static Launch launch(ForkedJvm jvms, String name, Target target) {
        return Launch.of(name, target, Isolation.class)
                .flags(
                        List.of(
                                "--add-opens=java.base/java.lang=ALL-UNNAMED",
                                jvms.javaAgent(""),
                                ForkedJvm.nativeAgent()));
    }

    private static void check(Started started) throws Exception {
        Outcome outcome = started.outcome.get();
        assertThat(outcome.trouble(0)).isEmpty();
        assertThat(outcome.line()).as("%s", outcome).contains("changes=0");
    }
}
