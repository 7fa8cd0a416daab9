// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The figures of sites in one snapshot, and which of them are named. */
class SiteViewTest {

    private final Shot shot = new Shot(100, 5000);

    private SiteView view(long regionSize, long... starts) {
        List<OldCollection> olds = new ArrayList<>();
        for (long at : starts) {
            olds.add(
                    new OldCollection(at, at + 5, at + 5, 100, 50, "x", CollectionKind.FULL_PAUSE));
        }
        LiveSet live =
                new LiveSet(
                        olds.stream()
                                .map(old -> new LiveSet.Point(old.at(), old.end(), old.after()))
                                .toList(),
                        Long.MIN_VALUE);
        return new SiteView(shot.take(), 0, live, regionSize);
    }

    private SiteMetrics only(long regionSize, long... starts) {
        return view(regionSize, starts).largest(1, new SiteLives(1)).get(0);
    }

    /** Each is twice as large as the one before. */
    private void born() {
        int site = shot.site("a.C", "make", 1000);
        shot.live(site, 1, 1, 999, 5).live(site, 1, 2, 1000, 4).live(site, 1, 4, 1999, 3);
        shot.live(site, 1, 8, 2000, 2).live(site, 1, 16, 2001, 2);
        shot.unconfirmed(site, 1, 32, 999).unconfirmed(site, 1, 64, 2001);
    }

    @Test
    void retainedIsFromBeforeTheLastButOne() {
        born();
        SiteMetrics site = only(-1, 500, 1000, 2000);

        assertThat(site.retained().value()).isEqualTo(1);
        assertThat(site.birthEpochs()).isEqualTo(4);
        assertThat(site.held().value()).isEqualTo(127);
        assertThat(site.live().value()).isEqualTo(31);
        assertThat(site.reachedOld().value()).isZero();
        assertThat(site.promotedDead().value()).isZero();
    }

    @Test
    void whereThereWasOneNothingIsRetained() {
        born();
        assertThat(only(-1, 2000).retained().value()).isZero();
        assertThat(only(-1, 1000, 2000).retained().value()).isEqualTo(1);
    }

    @Test
    void withoutRegionsNothingIsHumongous() {
        shot.live(shot.site("a.C", "make", 1000), 1, 1 << 20, 999, 5);
        assertThat(only(-1).humongous().value()).isZero();
        assertThat(only(0).humongous().value()).isZero();
        assertThat(only(2 << 20).humongous().value()).isEqualTo(1 << 20);
        assertThat(only((2 << 20) + 2).humongous().value()).isZero();
    }

    @Test
    void thoseOfWhichRulesAskStayAndThenThoseWithMost() {
        shot.site("java.nio.DirectByteBuffer", "make", 1);
        shot.site("a.WeakReference", "make", 1);
        shot.site("a.PluginLoader", "make", 1);
        shot.site("a.Churn", "make", 600);
        shot.site("a.Less", "make", 300);
        shot.live(shot.site("a.Held", "make", 100), 5, 10, 999, 1);
        SiteView view = view(-1);

        assertThat(view.largest(5, new SiteLives(1)))
                .extracting(SiteMetrics::className)
                .containsExactlyInAnyOrder(
                        "java.nio.DirectByteBuffer",
                        "a.WeakReference",
                        "a.PluginLoader",
                        "a.Churn",
                        "a.Held");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "java.nio.DirectByteBuffer",
                "java.lang.Thread",
                "java.util.zip.CRC32",
                "shop.PoolCleaner",
                "io.netty.buffer.PooledUnsafeDirectByteBuf",
                "java.nio.DirectLongByteBufferR",
                "com.github.luben.zstd.ZstdCompressCtx",
                "org.rocksdb.RocksIterator",
                "com.sun.jna.Memory"
            })
    void ownersOfMemoryOutsideOfTheHeap(String className) {
        assertThat(KnownClasses.isOwner(className, List.of())).isTrue();
        assertThat(KnownClasses.isLoader(className)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "java.util.WeakHashMap$Entry",
                "java.lang.ref.Finalizer",
                "java.lang.ref.SoftThing",
                "jdk.internal.ref.PhantomThing",
                "shop.KeyReference",
                "shop.WeakEntry"
            })
    void references(String className) {
        assertThat(KnownClasses.isReference(className)).isTrue();
        assertThat(KnownClasses.isOwner(className, List.of())).isFalse();
    }

    /** They refer as fields do, whatever their names say. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "java.util.concurrent.atomic.AtomicReference",
                "java.util.concurrent.atomic.AtomicStampedReference",
                "java.util.concurrent.atomic.AtomicMarkableReference"
            })
    void atomicReferencesAreNone(String className) {
        assertThat(KnownClasses.isReference(className)).isFalse();
    }

    /** The limit of a test by name. */
    @Test
    void loadersWithOtherNamesAreNotRecognized() {
        assertThat(KnownClasses.isLoader("shop.Plugins$1")).isFalse();
        assertThat(KnownClasses.isLoader("shop.Realm")).isFalse();
    }

    @Test
    void othersAreNeither() {
        for (String className : new String[] {"byte[]", "java.util.HashMap$Node", "a.Loaders"}) {
            assertThat(KnownClasses.isOwner(className, List.of())).isFalse();
            assertThat(KnownClasses.isReference(className)).isFalse();
            assertThat(KnownClasses.isLoader(className)).isFalse();
        }
        assertThat(KnownClasses.isLoader("java.net.URLClassLoader")).isTrue();
        assertThat(KnownClasses.isLoader("shop.PluginLoader")).isTrue();
    }

    @Test
    void aShareOfNothingIsNone() {
        SiteSum sum = new SiteSum();
        shot.live(shot.site("a.C", "make", 1000), 1, 100, 999, 1);
        sum.add(shot.take().samples().get(0));

        assertThat(sum.shareOf(0).value()).isZero();
        assertThat(sum.shareOf(400).value()).isEqualTo(0.25);
        assertThat(sum.isEmpty()).isFalse();
        sum.halve();
        assertThat(sum.isEmpty()).isFalse();
        sum.halve();
        assertThat(sum.isEmpty()).isTrue();
    }
}
