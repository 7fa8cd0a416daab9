// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.rules;

import static io.heapsampler.doctor.Story.MB;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.GarbageCollector;
import io.heapsampler.doctor.Finding;
import io.heapsampler.doctor.Story;
import io.heapsampler.doctor.internal.timeline.CollectionKind;
import org.junit.jupiter.api.Test;

/** When new pages slow down the first pauses, and when this cannot be determined. */
class FirstTouchTest {

    /** Young pauses that copy 16 MiB each; the first third of them takes longer. */
    private static Story pauses(int count, double early, double late) {
        return pauses(count, early, late, 16 * MB);
    }

    private static Story pauses(int count, double early, double late, long copied) {
        Story story = Story.serial();
        story.survivors = copied;
        for (int i = 0; i < count; i++) {
            story.second(20 * MB).young(i < count / 3 ? early : late, 0);
        }
        return story;
    }

    private static Verdict judged(Story story) {
        return Rules.rule("first-touch").judge(story.situation());
    }

    private static boolean fires(Story story) {
        return judged(story).finding() != null;
    }

    @Test
    void moreThanTwiceAsSlowAndForATenthOfASecond() {
        assertThat(fires(pauses(6, 100, 50))).isFalse();
        assertThat(fires(pauses(6, 125, 50))).isTrue();
        assertThat(fires(pauses(6, 50, 0))).isTrue();
        assertThat(fires(pauses(6, 49.5, 0))).isFalse();
        assertThat(fires(pauses(12, 49.5, 0))).isTrue();
    }

    @Test
    void itIsTheFirstThirdOrTheFirstTen() {
        Finding six = judged(pauses(6, 150, 30)).finding();
        assertThat(six.title())
                .isEqualTo("The first 2 collections were slowed down by pages that were new");
        assertThat(six.endedAt().toEpochMilli() - six.startedAt().toEpochMilli()).isEqualTo(1300);
        assertThat(judged(pauses(33, 150, 30)).finding().title()).startsWith("The first 10 ");
    }

    @Test
    void sixPausesThatCopyAMegabyteAreNeeded() {
        assertThat(judged(pauses(5, 300, 10)).check().why())
                .isEqualTo("5 collections copied anything worth mentioning; it takes 6.");
        assertThat(fires(pauses(6, 300, 10, MB))).isTrue();
        assertThat(judged(pauses(6, 300, 10, MB - 1)).check().why()).startsWith("0 collections");
    }

    @Test
    void onlyYoungPausesCopy() {
        Story story = pauses(0, 0, 0, 16 * MB);
        for (int i = 0; i < 9; i++) {
            story.second(MB).old(CollectionKind.FULL_PAUSE, i < 3 ? 300 : 10, 10 * MB, "x");
        }
        assertThat(judged(story).check().why()).startsWith("0 collections");
    }

    /** Beans tell of whole milliseconds. */
    @Test
    void pausesOfNoLengthAreNotSlow() {
        assertThat(judged(pauses(9, 0, 0)).check().why())
                .isEqualTo(
                        "The first collections took 0 ms for each MiB that they copied, the last"
                                + " ones 0.");
        Story one = Story.serial();
        one.survivors = 16 * MB;
        one.second(MB).young(500, 0);
        for (int i = 0; i < 9; i++) {
            one.second(MB).young(0, 0);
        }
        assertThat(fires(one)).isFalse();
    }

    @Test
    void whatWorksBesideTheApplicationOrBeganBeforeTheDoctorCannotTell() {
        Story concurrent = new Story(GarbageCollector.Z, 17).second(MB);
        assertThat(judged(concurrent).check().observable()).isFalse();
        assertThat(judged(concurrent).check().why()).endsWith("beside the application.");
        Story late = pauses(6, 300, 10);
        late.earlier = 1;
        assertThat(judged(late).check().observable()).isFalse();
        assertThat(judged(late).check().why()).contains("took place before the doctor came");
    }

    /** What is remembered begins with pauses of yesterday. */
    @Test
    void pausesThatAreForgottenWereTheFirst() {
        Story story = pauses(12, 150, 30);
        story.completeFrom = 1_000_000;

        assertThat(fires(story)).isFalse();
        assertThat(judged(story).check().observable()).isFalse();
    }
}
