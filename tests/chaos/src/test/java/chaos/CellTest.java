// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package chaos;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.Jdk;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the few cells before a merge have to cover. */
class CellTest {

    private static final List<Target> TARGETS =
            Target.of(Stream.of(17, 21, 25).map(it -> new Jdk(it, Path.of("jdk"))).toList());

    private final List<Cell> cells = Cell.some(TARGETS, Tier.MERGE.turns());

    @Test
    void everyScenario() {
        assertThat(cells).extracting(Cell::kind).contains(Kind.values());
    }

    @Test
    void everyTarget() {
        assertThat(cells).extracting(Cell::target).containsAll(TARGETS);
    }

    @Test
    void noMoreThanThatTakes() {
        assertThat(cells).hasSize(TARGETS.size());
    }

    @Test
    void oneOldJdkIsEnough() {
        assertThat(Cell.some(Target.of(List.of(new Jdk(17, Path.of("jdk")))), 1))
                .hasSize(Kind.values().length - 2); // no virtual threads, no redefinition
    }

    @Test
    void inSixTurnsEveryCollectorOfEachJdk() {
        List<Target> soaked = new ArrayList<>();
        for (long turn = 20_000; turn < 20_006; turn++) {
            List<Target> chosen = Target.oneOfEach(TARGETS, turn);
            assertThat(chosen).extracting(Target::jdk).doesNotHaveDuplicates().hasSize(3);
            soaked.addAll(chosen);
        }
        assertThat(soaked).containsAll(TARGETS);
    }

    @Test
    void noneTwice() {
        assertThat(cells).extracting(Cell::name).doesNotHaveDuplicates();
    }
}
