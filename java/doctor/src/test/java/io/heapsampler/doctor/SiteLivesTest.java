// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HeapSnapshot;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which objects a collection of the old generation met, and how long this counts. */
class SiteLivesTest {

    private final SiteLives lives = new SiteLives(3);

    private static List<OldCollection> olds(long... starts) {
        List<OldCollection> all = new ArrayList<>();
        for (long at : starts) {
            all.add(new OldCollection(at, at + 5, at + 5, 100, 50, "x", CollectionKind.FULL_PAUSE));
        }
        return all;
    }

    private SiteView.Name name(HeapSnapshot snapshot, String className) {
        return snapshot.sites().stream()
                .filter(site -> site.className().equals(className))
                .map(SiteView.Name::of)
                .findFirst()
                .orElseThrow();
    }

    private double reachedOld(HeapSnapshot snapshot, String className) {
        return lives.of(name(snapshot, className)).reachedOld.value();
    }

    private double promotedDead(HeapSnapshot snapshot, String className) {
        return lives.of(name(snapshot, className)).promotedDead.value();
    }

    /**
     * Collections of the old generation begin at 1000 and 2000, and pause for 5 ms. The sampler
     * looks at nothing during a pause: one that seems to be there was before or after it, by clocks
     * that differ by some milliseconds.
     */
    @ParameterizedTest
    @CsvSource({
        "1500, 1, 1900, 2001, true, true",
        "1500, 1, 2000, 2001, true, true",
        "1500, 1, 1900, 2000, true, true",
        "1500, 1, 1900, 1999, false, false",
        "1500, 1, 2002, 2006, true, true",
        "1500, 1, 2006, 2007, true, false",
        "1500, 0, 1900, 2001, false, false",
        "2000, 1, 2000, 2001, true, true",
        "2001, 1, 2002, 2003, false, false",
        "1000, 1, 1000, 1001, true, true",
        "500, 1, 900, 1001, true, true",
        "500, 1, 1900, 2001, true, false"
    })
    void theDeadAreJudgedAtTheNextAfterTheirBirth(
            long born, int survived, long seen, long found, boolean wasThere, boolean diedThere) {
        Shot shot = new Shot(100, 3000);
        shot.dead(shot.site("a.C", "make", 100), 1, 100, born, survived, seen, found);
        HeapSnapshot snapshot = shot.take();
        lives.count(snapshot, 0, 100, olds(1000, 2000), List.of());

        assertThat(reachedOld(snapshot, "a.C")).isEqualTo(wasThere ? 100 : 0);
        assertThat(promotedDead(snapshot, "a.C")).isEqualTo(diedThere ? 100 : 0);
    }

    @ParameterizedTest
    @CsvSource({"1500, 1, true", "1500, 0, false", "2000, 1, true", "2001, 1, false"})
    void theLivingWereThereIfTheyHaveSurvivedAYoungOne(long born, int survived, boolean wasThere) {
        Shot shot = new Shot(100, 3000);
        shot.live(shot.site("a.C", "make", 100), 1, 100, born, survived);
        HeapSnapshot snapshot = shot.take();
        lives.count(snapshot, 0, 100, olds(1000, 2000), List.of());

        assertThat(reachedOld(snapshot, "a.C")).isEqualTo(wasThere ? 100 : 0);
        assertThat(promotedDead(snapshot, "a.C")).isZero();
    }

    /** A cycle runs beside the application, and so do the looks of the sampler. */
    @Test
    void duringACycleObjectsAreChecked() {
        Shot shot = new Shot(100, 3000);
        shot.dead(shot.site("a.C", "make", 100), 1, 100, 1500, 1, 2001, 2006);
        HeapSnapshot snapshot = shot.take();
        CollectionKind kind = CollectionKind.OLD_CYCLE;
        OldCollection cycle = new OldCollection(2000, 2005, 2000, 100, 50, "x", kind);
        lives.count(snapshot, 0, 100, List.of(cycle), List.of());

        assertThat(reachedOld(snapshot, "a.C")).isEqualTo(100);
        assertThat(promotedDead(snapshot, "a.C")).isZero();
    }

    /** G1 frees regions at some time between two pauses, and the sampler looks after each pause. */
    @Test
    void whatWasSeenAfterTheFirstOfTwoPausesDidNotSurviveWhatIsBetweenThem() {
        Shot shot = new Shot(100, 3000);
        int site = shot.site("a.C", "make", 100);
        shot.dead(site, 1, 100, 1500, 1, 2001, 2300).dead(site, 1, 100, 1500, 1, 2501, 2900);
        HeapSnapshot snapshot = shot.take();
        CollectionKind kind = CollectionKind.PHASE_PAUSE;
        OldCollection between = new OldCollection(2000, 2600, 2500, 100, 50, "x", kind);
        lives.count(snapshot, 0, 100, List.of(between), List.of());

        assertThat(reachedOld(snapshot, "a.C")).isEqualTo(200);
        assertThat(promotedDead(snapshot, "a.C")).isEqualTo(100);
    }

    /** Before, an object that it has found dead is still live to the sampler. */
    @Test
    void aCollectionCountsInTheFirstSnapshotAfterItsEnd() {
        Shot during = new Shot(100, 2004);
        during.live(during.site("a.C", "make", 100), 1, 100, 1500, 1);
        HeapSnapshot early = during.take();
        lives.count(early, 0, 100, olds(1000, 2000), List.of(young(1500, 7)));
        assertThat(lives.oldCollections()).isEqualTo(1);
        assertThat(reachedOld(early, "a.C")).isZero();

        Shot after = new Shot(100, 2006);
        after.dead(after.site("a.C", "make", 100), 1, 100, 1500, 1, 1990, 2006);
        HeapSnapshot late = after.take();
        lives.count(late, 0, 100, olds(1000, 2000), List.of(young(1500, 7)));
        assertThat(lives.oldCollections()).isEqualTo(2);
        assertThat(promotedDead(late, "a.C")).isEqualTo(100);
        assertThat(lives.promoted()).isEqualTo(7);
    }

    @Test
    void unconfirmedObjectsAreNotCounted() {
        Shot shot = new Shot(100, 3000);
        shot.unconfirmed(shot.site("a.C", "make", 100), 1, 100, 1500);
        HeapSnapshot snapshot = shot.take();
        lives.count(snapshot, 0, 100, olds(1000, 2000), List.of());

        assertThat(reachedOld(snapshot, "a.C")).isZero();
        assertThat(lives.oldCollections()).isEqualTo(2);
    }

    private HeapSnapshot counted(long now, long began, long forgotten, long... starts) {
        Shot shot = new Shot(began, now);
        int site = shot.site("a.C", "make", 100);
        shot.live(site, 1, 100, 1500, 1).live(site, 1, 100, 2500, 1);
        shot.dead(site, 1, 100, 200, 1, 250, 1001);
        shot.forgotten(forgotten);
        HeapSnapshot snapshot = shot.take();
        lives.count(snapshot, 0, began, olds(starts), List.of());
        return snapshot;
    }

    @Test
    void whatWasCountedIsNotCountedAgain() {
        counted(2500, 100, 0, 1000, 2000);
        HeapSnapshot next = counted(3500, 100, 0, 1000, 2000, 3000);

        assertThat(lives.oldCollections()).isEqualTo(3);
        assertThat(reachedOld(next, "a.C")).isEqualTo(300);
        counted(3600, 100, 0);
        counted(3650, 100, 0, 1000, 2000);
        counted(3700, 100, 0, 1000, 2000, 3000);
        assertThat(reachedOld(next, "a.C")).isEqualTo(300);
    }

    /** The first remaining dead object was found at 1001: earlier ones may be forgotten. */
    @Test
    void whereTheDeadWereForgottenNothingBeforeTheFirstThatIsLeftCounts() {
        HeapSnapshot snapshot = counted(2500, 100, 1, 1000, 2000);

        assertThat(lives.oldCollections()).isEqualTo(1);
        assertThat(reachedOld(snapshot, "a.C")).isEqualTo(100);
    }

    @Test
    void whatWasBeforeTheSamplerBeganDoesNotCount() {
        counted(2500, 1000, 0, 1000, 2000);
        assertThat(lives.oldCollections()).isEqualTo(1);
        lives.clear();
        counted(2500, 999, 0, 1000, 2000);
        assertThat(lives.oldCollections()).isEqualTo(2);
        lives.clear();
        counted(2500, 1100, 1, 1000, 2000);
        assertThat(lives.oldCollections()).isEqualTo(1);
    }

    @Test
    void whatIsFiveMinutesAgoCountsHalf() {
        lives.fade(1000);
        HeapSnapshot snapshot = counted(2500, 100, 0, 1000, 2000);
        lives.fade(300_999);
        assertThat(lives.oldCollections()).isEqualTo(2);
        lives.fade(301_000);
        assertThat(lives.oldCollections()).isEqualTo(1);
        assertThat(reachedOld(snapshot, "a.C")).isEqualTo(100);
        assertThat(promotedDead(snapshot, "a.C")).isEqualTo(50);
        lives.fade(600_999);
        assertThat(lives.oldCollections()).isEqualTo(1);
        lives.fade(601_000);
        assertThat(reachedOld(snapshot, "a.C")).isEqualTo(50);
        lives.fade(901_000);
        assertThat(lives.oldCollections()).isEqualTo(0.25);
        assertThat(reachedOld(snapshot, "a.C")).isZero();
    }

    private static GcEvent young(long at, long promoted) {
        long before = 10 * Samples.MIB;
        return new GcEvent(
                at,
                1,
                CollectionKind.YOUNG_PAUSE,
                "bean",
                "action",
                "cause",
                before,
                before,
                before,
                0,
                before,
                before + promoted,
                0);
    }

    @Test
    void promotedBytesAreSummedUpFromTheBeginningToTheLastCollection() {
        List<GcEvent> youngs =
                List.of(
                        young(50, 1),
                        young(500, 10),
                        young(1500, 100),
                        young(2500, 1000),
                        young(3500, 10_000));
        Shot shot = new Shot(100, 4000);
        shot.dead(shot.site("a.C", "make", 100), 1, 100, 2100, 1, 2400, 2500);
        HeapSnapshot snapshot = shot.forgotten(1).take();
        lives.count(snapshot, 0, 100, olds(1000, 2000, 3000), youngs);

        assertThat(lives.promoted()).isEqualTo(1110);
    }

    @Test
    void theSitesWithMostStay() {
        Shot shot = new Shot(100, 3000);
        for (int i = 1; i <= 5; i++) {
            shot.live(shot.site("a.C" + i, "make", 100), 1, 100 * i, 1500, 1);
        }
        HeapSnapshot snapshot = shot.take();
        lives.count(snapshot, 0, 100, olds(2000), List.of());

        assertThat(reachedOld(snapshot, "a.C1") + reachedOld(snapshot, "a.C2")).isZero();
        assertThat(reachedOld(snapshot, "a.C3")).isEqualTo(300);
        assertThat(reachedOld(snapshot, "a.C5")).isEqualTo(500);
    }
}
