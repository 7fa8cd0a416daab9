// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static io.heapsampler.doctor.Story.MB;
import static io.heapsampler.doctor.Story.assertSilent;
import static io.heapsampler.doctor.Story.severity;
import static io.heapsampler.doctor.Story.why;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.GarbageCollector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Classes, direct buffers and native memory. */
class ClassAndNativeRulesTest {

    private static Story loading(int rounds, long bytes, double unloadedShare, long limit) {
        Story story = Story.g1();
        story.maxMetaspace = limit;
        for (int i = 0; i < rounds; i++) {
            story.metaspace += bytes;
            story.loaded += 1000;
            story.unloaded += (long) (1000 * unloadedShare);
            story.seconds(4, MB).full(20, 10 * MB, "Metadata GC Threshold");
        }
        return story.second(MB);
    }

    @Test
    void metaspaceThatGrowsAndUnloadsNothingIsALeak() {
        assertThat(severity(loading(8, 2 * MB, 0, 48 * MB).judged(), "metaspace.leak"))
                .isEqualTo(Severity.WARNING);
        assertThat(severity(loading(8, 2 * MB, 0, Long.MAX_VALUE).judged(), "metaspace.leak"))
                .isEqualTo(Severity.INFO);
        assertThat(severity(loading(3, 2 * MB, 0, 480 * MB).judged(), "metaspace.leak")).isNull();
    }

    @Test
    void theLastResortIsCritical() {
        Story story = loading(8, 3 * MB, 0, 48 * MB);
        story.metaspace = 47 * MB;
        story.full(20, 10 * MB, "Metadata GC Clear Soft References");
        Finding finding = story.second(MB).judged().finding("metaspace.leak").orElseThrow();

        assertThat(finding.severity()).isEqualTo(Severity.CRITICAL);
        assertThat(finding.evidence()).extracting(Evidence::name).contains("metaspace.last-resort");
    }

    /** What was found before stays in the notes. */
    @Test
    void aLeakIsOverWhenTheLoadersAreReleased() {
        Story story = loading(8, 3 * MB, 0, 48 * MB);
        story.metaspace = 47 * MB;
        story.second(MB).full(20, 10 * MB, "Metadata GC Clear Soft References").seconds(3, MB);
        assertThat(severity(story.judged(), "metaspace.leak")).isEqualTo(Severity.CRITICAL);
        story.metaspace = 20 * MB;
        story.unloaded += 8000;
        assertThat(severity(story.seconds(60, MB).judged(), "metaspace.leak")).isNull();
    }

    /** Classes that go at the next collection, or at the last resort, were not kept. */
    @Test
    void whatIsLetGoBeforeMetaspaceIsFullIsNoLeak() {
        Story grown = loading(8, 2 * MB, 0, 480 * MB);
        grown.unloaded += 8000;
        assertThat(severity(grown.seconds(10, MB).judged(), "metaspace.leak")).isNull();
        Story helped = loading(8, 3 * MB, 0, 48 * MB);
        helped.metaspace = 47 * MB;
        helped.second(MB).metaspace = 20 * MB;
        helped.full(20, 10 * MB, "Metadata GC Clear Soft References");
        helped.unloaded += 8000;

        assertThat(severity(helped.seconds(60, MB).judged(), "metaspace.leak")).isNull();
    }

    @Test
    void classesThatComeAndGoAreChurn() {
        Diagnosis diagnosis = loading(40, 0, 0.95, 48 * MB).judged();

        assertThat(severity(diagnosis, "class.churn")).isEqualTo(Severity.INFO);
        assertThat(severity(diagnosis, "metaspace.leak")).isNull();
        assertSilent(diagnosis);
    }

    @Test
    void thresholdsAtTheStartAreNoLeak() {
        assertSilent(loading(3, 10 * MB, 0, Long.MAX_VALUE).judged());
    }

    @Test
    void directBuffersThatStayAtTheLimitLeak() {
        Story story = Story.g1();
        story.maxDirect = 64 * MB;
        story.direct = 62 * MB;
        story.second(MB).full(20, 10 * MB, "System.gc()");
        story.seconds(4, MB);
        assertThat(severity(story.judged(), "direct.leak")).isEqualTo(Severity.CRITICAL);
        story.direct = 20 * MB;
        assertThat(severity(story.second(MB).judged(), "direct.leak")).isNull();
    }

    @Test
    void directBuffersThatCameAfterTheCollectionAreNotStuck() {
        Story story = Story.g1();
        story.maxDirect = 64 * MB;
        story.second(MB).full(20, 10 * MB, "System.gc()").second(MB);
        story.direct = 62 * MB;

        assertThat(severity(story.seconds(4, MB).judged(), "direct.leak")).isNull();
    }

    @Test
    void aFullMetaspaceThatDoesNotGrowIsNoLeak() {
        Story story = Story.g1();
        story.maxMetaspace = 64 * MB;
        story.metaspace = 58 * MB;

        assertThat(severity(story.seconds(30, MB).judged(), "metaspace.leak")).isNull();
    }

    @Test
    void aPoolThatFillsItsLimitOnPurposeDoesNot() {
        Story story = Story.g1();
        story.maxDirect = 64 * MB;
        story.direct = 62 * MB;

        assertSilent(story.seconds(300, MB).judged());
    }

    @Test
    void directBuffersThatGrowForMinutesLeak() {
        Story story = Story.g1();
        story.maxDirect = 512 * MB;
        for (int i = 0; i < 300; i++) {
            story.direct += MB;
            story.second(MB);
        }
        assertThat(severity(story.judged(), "direct.leak")).isEqualTo(Severity.WARNING);
        story.seconds(300, MB);
        assertThat(severity(story.judged(), "direct.leak")).isNull();
    }

    private static Story growing(int seconds, long perSecond) {
        Story story = Story.g1();
        story.seconds(12, MB);
        for (int i = 0; i < seconds; i++) {
            story.resident += perSecond;
            story.second(MB);
        }
        return story;
    }

    @Test
    void unaccountedResidentMemoryIsReported() {
        assertThat(severity(growing(40, 3 * MB).judged(), "native.unaccounted"))
                .isEqualTo(Severity.WARNING);
        assertThat(severity(growing(40, MB).judged(), "native.unaccounted"))
                .isEqualTo(Severity.INFO);
        assertThat(severity(growing(40, MB / 4).judged(), "native.unaccounted")).isNull();
    }

    @Test
    void whatHasStoppedGrowingIsNot() {
        Story story = growing(40, 3 * MB);
        story.seconds(60, MB);

        assertThat(severity(story.judged(), "native.unaccounted")).isNull();
    }

    private static Story filling(Story story) {
        story.touched = 60 * MB;
        story.seconds(12, MB);
        for (int i = 0; i < 60; i++) {
            story.resident += 3 * MB;
            story.touched += 3 * MB;
            story.old += 3 * MB;
            story.second(3 * MB);
        }
        return story;
    }

    /** Of a heap that is committed from the beginning, pages become resident as it fills. */
    @ParameterizedTest
    @EnumSource(names = {"G1", "Z", "Z_GENERATIONAL", "SHENANDOAH"})
    void theHeapThatIsTouchedForTheFirstTimeIsAccountedFor(GarbageCollector collector) {
        Diagnosis judged = filling(new Story(collector, 25)).judged();

        assertThat(severity(judged, "native.unaccounted")).isNull();
        assertThat(why(judged, "native.unaccounted")).contains("steady growth of 24 MiB");
    }

    /** Of 256 MiB, 241 are not in use at first, and may become resident. */
    @Test
    void whereTheHeapIsNotMeasuredItsUnusedPartMayHaveGrown() {
        Story story = Story.g1();
        story.touched = -1;
        story.seconds(12, MB);
        for (int i = 0; i < 60; i++) {
            story.resident += 4 * MB;
            story.second(MB);
        }
        assertThat(severity(story.judged(), "native.unaccounted")).isNull();
        assertThat(severity(story.flag("AlwaysPreTouch", "true").judged(), "native.unaccounted"))
                .isEqualTo(Severity.WARNING);
        story.flag("AlwaysPreTouch", "false");
        for (int i = 0; i < 14; i++) {
            story.resident += 4 * MB;
            story.second(MB);
        }
        assertThat(severity(story.judged(), "native.unaccounted")).isEqualTo(Severity.INFO);
    }
}
