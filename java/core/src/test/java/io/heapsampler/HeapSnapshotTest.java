// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.heapsampler.internal.BlockWriter;
import io.heapsampler.internal.Info;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class HeapSnapshotTest {

    private static final long SECOND = 1_000_000;

    /**
     * A block with one site for each name, at a stack of its own, that has this number of live
     * objects of 1,000 bytes.
     */
    private static HeapSnapshot snapshot(long takenAt, String raw, Object... classesAndLive) {
        BlockWriter writer = new BlockWriter().info(Info.TAKEN_AT, takenAt);
        int thread = writer.thread(1, "main");
        for (int i = 0; i < classesAndLive.length; i += 2) {
            String name = (String) classesAndLive[i];
            int live = (Integer) classesAndLive[i + 1];
            int stack =
                    writer.stack(false, writer.frame(name + "Maker", raw, "make", "M.java", 5, 2));
            int site = writer.site(stack, name, live, live, live * 1000.0);
            for (int k = 0; k < live; k++) {
                writer.living(site, thread, 1000, 0, 0, 0, 1, 1);
            }
        }
        return HeapSnapshot.decode(writer.write());
    }

    @Test
    void sampleTellsAllThatIsKnown() {
        BlockWriter writer = new BlockWriter();
        int site =
                writer.site(writer.stack(false, writer.frame("a.A", "m", 3)), "byte[]", 1, 1, 16);
        writer.living(site, writer.thread(42, "w"), 24, 5 * SECOND, 0, 2, 0, 7);
        writer.dead(site, -1, 16, SECOND, 1, 2 * SECOND, 3 * SECOND);

        List<HeapSample> samples = HeapSnapshot.decode(writer.write()).samples();

        HeapSample living = samples.get(0);
        assertThat(living.className()).isEqualTo("byte[]");
        assertThat(living.size()).isEqualTo(24);
        assertThat(living.weight()).isEqualTo(4);
        assertThat(living.threadName()).isEqualTo("w");
        assertThat(living.threadId()).hasValue(42);
        assertThat(living.allocatedAt()).isEqualTo(Instant.ofEpochSecond(5));
        assertThat(living.liveness()).isEqualTo(Liveness.UNCONFIRMED);
        assertThat(living.collectionsSurvived()).isEqualTo(7);
        assertThat(living.lastSeenAliveAt()).isNull();
        assertThat(living.foundDeadAt()).isNull();
        assertThat(living.stack())
                .extracting(HeapFrame::toString)
                .containsExactly("a.A.m(Source.java:3)");
        HeapSample dead = samples.get(1);
        assertThat(dead.liveness()).isEqualTo(Liveness.DEAD);
        assertThat(dead.lastSeenAliveAt()).isEqualTo(Instant.ofEpochSecond(2));
        assertThat(dead.foundDeadAt()).isEqualTo(Instant.ofEpochSecond(3));
        assertThat(dead.threadName()).isEqualTo("(other)");
        assertThat(dead.threadId()).isEmpty();
        assertThat(samples).hasSize(2);
        assertThat(samples.get(0)).isEqualTo(living).isNotEqualTo(dead);
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> samples.get(2));
    }

    @Test
    void siteTellsAgesAndLifetimes() {
        BlockWriter writer = new BlockWriter().info(Info.TAKEN_AT, 10 * SECOND);
        double[] buckets = new double[48];
        buckets[3] = 12;
        buckets[32 + 15] = 12;
        int stack = writer.stack(true, writer.frame("a.A", "m", 3));
        int site =
                writer.site(
                        stack,
                        writer.name("a.T"),
                        5,
                        5,
                        0,
                        80,
                        0,
                        80,
                        writer.lifetimes(2, buckets));
        writer.living(site, -1, 16, 9 * SECOND, 0, 1, 1, 20).dead(site, -1, 16, 0, 0, 0, 0);

        HeapSite decoded = HeapSnapshot.decode(writer.write()).sites().get(0);

        assertThat(decoded.isTruncated()).isTrue();
        assertThat(decoded.ages().samples()).isEqualTo(1);
        assertThat(decoded.ages().byTime().objects(10)).isEqualTo(2); // 512 to 1023 ms
        assertThat(decoded.ages().byCollections().objects(15)).isEqualTo(2);
        assertThat(decoded.lifetimes().samples()).isEqualTo(2);
        assertThat(decoded.lifetimes().byTime().objects(3)).isEqualTo(12);
        assertThat(decoded.lifetimes().byCollections().objects(15)).isEqualTo(12);
        assertThat(decoded.samples()).hasSize(2);
    }

    @Test
    void theSiteOfAllOthersIsNamed() {
        BlockWriter writer = new BlockWriter();
        writer.site(-1, "", 3, 30, 300);

        HeapSite other = HeapSnapshot.decode(writer.write()).sites().get(0);

        assertThat(other.isOther()).isTrue();
        assertThat(other.className()).isEqualTo("(other)");
        assertThat(other.stack()).isEmpty();
        assertThat(other.lifetimes().samples()).isZero();
    }

    @Test
    void infoIsReadInItsUnits() {
        BlockWriter writer =
                new BlockWriter()
                        .info(Info.STARTED_AT, 1_500_000)
                        .info(Info.TAKEN_AT, 4 * SECOND)
                        .info(Info.SAMPLED_MICROS, 2 * SECOND)
                        .info(Info.INTERVAL, 4096)
                        .info(Info.COLLECTIONS, 6)
                        .info(Info.COLLECTOR, GarbageCollector.G1.ordinal())
                        .info(Info.FLAGS, Info.FLAG_GC_ASKED | Info.FLAG_GC_DONE)
                        .drop(DropCause.PHANTOM.ordinal(), 8);

        HeapSnapshot snapshot = HeapSnapshot.decode(writer.write());

        assertThat(snapshot.startedAt()).isEqualTo(Instant.ofEpochMilli(1500));
        assertThat(snapshot.takenAt()).isEqualTo(Instant.ofEpochSecond(4));
        assertThat(snapshot.duration()).isEqualTo(Duration.ofSeconds(2));
        assertThat(snapshot.interval()).isEqualTo(4096);
        assertThat(snapshot.collections()).isEqualTo(6);
        assertThat(snapshot.collector()).isEqualTo(GarbageCollector.G1);
        assertThat(snapshot.isAfterGc()).isTrue();
        assertThat(snapshot.dropped()).hasSize(16).containsEntry(DropCause.PHANTOM, 8L);
    }

    @Test
    void topListsAreRankedAndLimited() {
        HeapSnapshot snapshot = snapshot(0, "raw", "a.Small", 1, "a.Big", 9, "a.None", 0);

        assertThat(snapshot.topByLive(5))
                .extracting(HeapSite::className)
                .containsExactly("a.Big", "a.Small");
        assertThat(snapshot.topByAllocated(1))
                .extracting(HeapSite::className)
                .containsExactly("a.Big");
        assertThatIllegalArgumentException().isThrownBy(() -> snapshot.topByLive(-1));
        assertThat(snapshot.totals().live().bytes().value()).isEqualTo(10_000);
        assertThat(snapshot.classes()).hasSize(3);
        assertThat(snapshot.threads().get(0).live().objects().value()).isEqualTo(10);
    }

    @Test
    void framesPrintLikeStackTracesAndMergeByNormalisedName() {
        HeapFrame lambda =
                new HeapFrame("a.A$$Lambda", "a.A$$Lambda/0x1", "run", "()V", null, -1, 0, 2);
        HeapFrame again =
                new HeapFrame("a.A$$Lambda", "a.A$$Lambda/0x2", "run", "()V", null, -1, 0, 2);
        HeapFrame nativeFrame = new HeapFrame("a.A", "a.A", "clone", "()V", "A.java", -1, 0, 1);

        assertThat(lambda)
                .isEqualTo(again)
                .hasSameHashCodeAs(again)
                .hasToString("a.A$$Lambda.run(Unknown Source)");
        assertThat(lambda.isHidden()).isTrue();
        assertThat(nativeFrame).hasToString("a.A.clone(Native Method)");
        assertThat(nativeFrame.toStackTraceElement().isNativeMethod()).isTrue();
        assertThat(new HeapFrame("a.A", "a.A", "m", "()V", "A.java", -1, 0, 0))
                .hasToString("a.A.m(A.java)");
    }

    @Test
    void diffRanksByGrowthOfLiveBytesAndMergesAcrossRuns() {
        HeapSnapshot before = snapshot(SECOND, "raw/1", "a.Gone", 5, "a.Same", 7, "a.Leak", 2);
        HeapSnapshot after = snapshot(3 * SECOND, "raw/2", "a.Same", 7, "a.New", 3, "a.Leak", 20);

        HeapDiff diff = after.diff(before);

        assertThat(diff.deltas())
                .extracting(SiteDelta::className)
                .containsExactly("a.Leak", "a.New", "a.Same", "a.Gone");
        SiteDelta leak = diff.deltas().get(0);
        assertThat(leak.live().bytes().value()).isEqualTo(18_000);
        assertThat(leak.live().objects().value()).isEqualTo(18);
        assertThat(leak.live().samples()).isEqualTo(18);
        assertThat(leak.live().bytes().samples()).isEqualTo(18);
        assertThat(leak.allocated().bytes().samples()).isEqualTo(18);
        assertThat(leak.allocated().bytes().standardError()).isZero();
        assertThat(leak.earlierLive().samples()).isEqualTo(2);
        assertThat(leak.laterLive().samples()).isEqualTo(20);
        assertThat(leak.stack().get(0).methodName()).isEqualTo("make");
        assertThat(leak.laterSite()).isIn(after.sites());
        assertThat(leak.laterSite().className()).isEqualTo("a.Leak");
        assertThat(diff.deltas().get(3).laterSite()).isNull();
        assertThat(diff.deltas().get(3).stack().get(0).methodName()).isEqualTo("make");
        assertThat(diff.growing())
                .extracting(SiteDelta::className)
                .containsExactly("a.Leak", "a.New");
        assertThat(diff.live().bytes().value()).isEqualTo(16_000);
        assertThat(diff.allocated().objects().value()).isEqualTo(16);
        assertThat(diff.elapsed()).isEqualTo(Duration.ofSeconds(2));
        assertThat(diff.earlier()).isSameAs(before);
        assertThat(diff.later()).isSameAs(after);
    }

    /** Objects of 1,000 bytes, some by each of two lines of main. */
    private static HeapSnapshot calledFrom(long seconds, int atLine5, int atLine9) {
        BlockWriter writer =
                new BlockWriter()
                        .info(Info.TAKEN_AT, seconds * SECOND)
                        .info(Info.FLAGS, Info.FLAG_GC_ASKED | Info.FLAG_GC_DONE);
        int thread = writer.thread(1, "main");
        int[] lines = {5, 9};
        int[] objects = {atLine5, atLine9};
        for (int i = 0; i < lines.length; i++) {
            int put = writer.frame("a.Cache", "put", 20);
            int stack = writer.stack(false, put, writer.frame("a.A", "main", lines[i]));
            int site = writer.site(stack, "byte[]", objects[i], objects[i], 1_000.0 * objects[i]);
            for (int k = 0; k < objects[i]; k++) {
                writer.living(site, thread, 1000, seconds * SECOND + k, 0, 0, 1, 0);
            }
        }
        return HeapSnapshot.decode(writer.write());
    }

    // A full cache, whose entries another line of main has replaced between the snapshots.
    @Test
    void sitesAreMatchedByMethodAndOnDemandByLine() {
        HeapDiff diff = calledFrom(3, 10, 90).diff(calledFrom(1, 100, 0));

        assertThat(diff.growing()).isEmpty();
        assertThat(diff.deltas()).hasSize(1);
        SiteDelta cache = diff.deltas().get(0);
        assertThat(cache.live().bytes().value()).isZero();
        assertThat(cache.earlierLive().objects().value()).isEqualTo(100);
        assertThat(cache.laterLive().objects().value()).isEqualTo(100);
        assertThat(cache.stack())
                .extracting(HeapFrame::toString)
                .as("the lines of most objects")
                .containsExactly("a.Cache.put(Source.java:20)", "a.A.main(Source.java:9)");
        assertThat(diff.byLine().deltas())
                .extracting(delta -> delta.live().objects().value())
                .containsExactly(90.0, -90.0);
        assertThat(diff.byLine().growing()).hasSize(1);
        assertThat(diff.byLine().byLine().deltas()).hasSize(2);
    }

    @Test
    void framesThatCarryOutACallAreRecognised() {
        BlockWriter writer = new BlockWriter();
        writer.site(
                writer.stack(
                        false,
                        writer.frame("java.lang.StringConcatHelper", "newArray", 1),
                        writer.frame("java.lang.invoke.DirectMethodHandle$Holder", "invoke", 1),
                        writer.frame("a.A$$Lambda", "a.A$$Lambda/0x1", "run", "", -1, 2),
                        writer.frame(
                                "jdk.internal.reflect.DirectMethodHandleAccessor", "invoke", 1),
                        writer.frame("java.lang.reflect.Method", "invoke", 1),
                        writer.frame("java.lang.reflect.Method", "copy", 1),
                        writer.frame("a.A", "main", 1)),
                "byte[]",
                1,
                1,
                16);

        assertThat(HeapSnapshot.decode(writer.write()).sites().get(0).stack())
                .filteredOn(frame -> !frame.isImplementation())
                .extracting(HeapFrame::methodName)
                .containsExactly("copy", "main");
    }

    @Test
    void framesHaveNumbers() {
        BlockWriter writer = new BlockWriter();
        int leaf = writer.frame("a.A", "leaf", 3);
        int root = writer.frame("a.A", "root", 9);
        writer.site(writer.stack(false, leaf, root), "byte[]", 1, 1, 16);
        writer.site(writer.stack(false, root), "int[]", 1, 1, 16);
        writer.site(writer.stack(false), "long[]", 1, 1, 16);

        HeapSnapshot snapshot = HeapSnapshot.decode(writer.write());

        assertThat(snapshot.frames()).hasSize(2);
        for (HeapSite site : snapshot.sites()) {
            assertThat(IntStream.of(site.frameNumbers()).mapToObj(snapshot.frames()::get))
                    .containsExactlyElementsOf(site.stack());
        }
        snapshot.sites().get(0).frameNumbers()[0] = -1; // a copy
        assertThat(snapshot.sites().get(0).frameNumbers()).doesNotContain(-1);
        assertThat(snapshot.sites().get(2).frameNumbers()).isEmpty();
    }
}
