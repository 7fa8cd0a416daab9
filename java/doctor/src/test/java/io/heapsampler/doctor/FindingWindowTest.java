// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.GarbageCollector;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** When each problem began and ended, with half a minute of peace before it and after it. */
class FindingWindowTest {

    private static final Duration HOUR = Duration.ofHours(1);
    private static final long BEGIN = 1_030_000;
    private static final String BUFFERS = "java.nio.Bits.reserveMemory:175";

    /** Returns the finding after three rounds, a second apart; the first one is at BEGIN. */
    private static Finding found(String id, Story story, Consumer<Story> round) {
        story.seconds(30, MB);
        for (int i = 0; i < 3; i++) {
            round.accept(story);
            story.millis(BEGIN + 1000L * i - story.now).second(MB);
        }
        return story.seconds(30, MB).judged().finding(id).orElseThrow();
    }

    private static void assertWindow(Finding finding, long fromMillis, long toMillis) {
        assertThat(finding.startedAt()).isEqualTo(Instant.ofEpochMilli(fromMillis));
        assertThat(finding.endedAt()).isEqualTo(Instant.ofEpochMilli(toMillis));
    }

    private static Diagnosis judged(Timeline plain, long ahead) {
        Timeline timeline =
                new Timeline(
                        plain.settings(),
                        plain.ticks(),
                        plain.collections(),
                        plain.events(),
                        plain.completeFromMillis(),
                        ahead);
        return Rules.judge(timeline, new SiteBook(), Slo.DEFAULT);
    }

    /** The wall clock was set an hour ahead. */
    @Test
    void allTimesAreThoseOfTheWallClock() {
        Story story = Story.g1().seconds(10, MB);
        for (int i = 0; i < 3; i++) {
            story.second(9 * MB).full(20, 10 * MB, "System.gc()");
        }
        Timeline timeline = story.seconds(10, 9 * MB).timeline();
        Diagnosis plain = judged(timeline, 0);
        Diagnosis set = judged(timeline, HOUR.toMillis());

        assertThat(set.startedAt()).isEqualTo(plain.startedAt().plus(HOUR));
        assertThat(set.endedAt()).isEqualTo(plain.endedAt().plus(HOUR));
        Finding explicit = plain.finding("gc.explicit").orElseThrow();
        Finding later = set.finding("gc.explicit").orElseThrow();
        assertThat(later.startedAt()).isEqualTo(explicit.startedAt().plus(HOUR));
        assertThat(later.endedAt()).isEqualTo(explicit.endedAt().plus(HOUR));
        String from = Instant.ofEpochMilli(1_000_000).plus(HOUR).toString();
        assertThat(JsonReport.of(set)).contains("\"timeline\":{\"from\":\"" + from + "\"");
    }

    @Test
    void evacuationsFailFromTheFirstEventOrYoungCollectionToTheLastFullOne() {
        String id = "gc.evacuation-failure";
        Consumer<Story> event = story -> story.event("EvacuationFailed", 7, Map.of());
        Consumer<Story> pair =
                story ->
                        story.young(50, 29 * MB, "G1 Evacuation Pause")
                                .full(60, 10 * MB, "G1 Compaction Pause");

        assertWindow(found(id, Story.g1(), event), BEGIN, BEGIN + 2007);
        assertWindow(found(id, Story.g1(), pair), BEGIN, BEGIN + 2110);
        assertWindow(found(id, Story.g1(), event.andThen(pair)), BEGIN, BEGIN + 2110);
    }

    @Test
    void promotionsFailAndThreadsWaitFromTheFirstEventToTheLast() {
        assertWindow(
                found(
                        "gc.degenerated",
                        Story.serial(),
                        story -> story.event("PromotionFailed", 0, Map.of())),
                BEGIN,
                BEGIN + 2000);
        Consumer<Story> stall = story -> story.event("ZAllocationStall", 8.5, Map.of());
        Consumer<Story> cycle =
                story ->
                        story.millis(100)
                                .old(CollectionKind.OLD_CYCLE, 80, 10 * MB, "Allocation Stall");
        assertWindow(
                found("gc.stall", new Story(GarbageCollector.Z, 17), stall), BEGIN, BEGIN + 2009);
        assertWindow(
                found("gc.stall", new Story(GarbageCollector.Z, 17), stall.andThen(cycle)),
                BEGIN,
                BEGIN + 2180);
    }

    @Test
    void nativeCodeIsWaitedForFromTheFirstWaitToTheLastCollection() {
        Consumer<Story> wait = story -> story.event("GCLocker", 300, Map.of());
        Consumer<Story> after =
                story -> story.millis(300).full(20, 10 * MB, "GCLocker Initiated GC");

        assertWindow(found("jni.critical", Story.serial(), wait), BEGIN, BEGIN + 2300);
        assertWindow(
                found("jni.critical", Story.serial(), wait.andThen(after)), BEGIN, BEGIN + 2320);
    }

    @Test
    void metaspaceGrowsFromTheFirstCollectionAndIsFullWhileItIs() {
        Story story = Story.g1().seconds(30, MB);
        story.maxMetaspace = 100 * MB;
        for (int i = 0; i < 4; i++) {
            story.metaspace += 5 * MB;
            story.loaded += 1000;
            story.full(20, 10 * MB, "Metadata GC Threshold").second(MB);
        }
        assertWindow(story.judged().finding("metaspace.leak").orElseThrow(), BEGIN, story.now);

        Story full = Story.g1();
        full.maxMetaspace = 100 * MB;
        Finding finding =
                found(
                        "metaspace.leak",
                        full,
                        it -> {
                            it.loaded += 100;
                            it.metaspace = 95 * MB;
                        });
        assertWindow(finding, BEGIN + 1000, full.now);
    }

    @Test
    void directBuffersGrowAllTheTimeOrAreAtTheLimitSinceTheyReachedIt() {
        Story growing = Story.g1();
        growing.maxDirect = 1024 * MB;
        for (int i = 0; i < 700; i++) {
            growing.direct += MB;
            growing.second(MB);
        }
        assertWindow(growing.judged().finding("direct.leak").orElseThrow(), 1_000_000, growing.now);

        Story stuck = Story.g1().flag("DisableExplicitGC", "true");
        stuck.maxDirect = 64 * MB;
        assertWindow(
                found("direct.leak", stuck, it -> it.direct = 62 * MB), BEGIN + 1000, stuck.now);
        stuck.direct = 0;
        assertWindow(
                stuck.second(MB).judged().finding("direct.pressure").orElseThrow(),
                BEGIN + 1000,
                stuck.now - 1000);
    }

    @Test
    void buffersAskFromTheFirstCallToTheLast() {
        Consumer<Story> fill = story -> story.direct = 60 * MB;
        Consumer<Story> collect = story -> story.full(20, 10 * MB, "System.gc()");
        Consumer<Story> call = story -> story.event("SystemGC", 15, Map.of(), BUFFERS);
        Story unseen = Story.g1();
        unseen.maxDirect = 64 * MB;
        Story seen = Story.g1().full(20, 10 * MB, "System.gc()");
        seen.event("SystemGC", 20, Map.of(), "shop.Batch.end:9").millis(-20);

        assertWindow(found("direct.pressure", unseen, fill.andThen(collect)), BEGIN, BEGIN + 2020);
        assertWindow(found("direct.pressure", seen, call.andThen(collect)), BEGIN, BEGIN + 2015);
    }
}
