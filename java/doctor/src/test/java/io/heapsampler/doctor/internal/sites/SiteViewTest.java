// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor.internal.sites;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.doctor.Shot;
import io.heapsampler.doctor.SiteEvidence;
import io.heapsampler.doctor.Story;
import io.heapsampler.doctor.internal.timeline.CollectionKind;
import io.heapsampler.doctor.internal.timeline.LiveSet;
import io.heapsampler.doctor.internal.timeline.OldCollection;
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
        return view(regionSize, starts).metrics(new SiteLives(1)).get(0);
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
        assertThat(view.keepLargest(5)).isEqualTo(1);

        assertThat(view.metrics(new SiteLives(1)))
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
                "java.nio.DirectLongByteBufferR"
            })
    void ownersOfMemoryOutsideOfTheHeap(String className) {
        assertThat(SiteFigures.isOwner(className)).isTrue();
        assertThat(SiteFigures.isLoader(className)).isFalse();
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
        assertThat(SiteFigures.isReference(className)).isTrue();
        assertThat(SiteFigures.isOwner(className)).isFalse();
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
        assertThat(SiteFigures.isReference(className)).isFalse();
    }

    /** The limit of a test by name. */
    @Test
    void loadersWithOtherNamesAreNotRecognized() {
        assertThat(SiteFigures.isLoader("shop.Plugins$1")).isFalse();
        assertThat(SiteFigures.isLoader("shop.Realm")).isFalse();
    }

    @Test
    void othersAreNeither() {
        for (String className : new String[] {"byte[]", "java.util.HashMap$Node", "a.Loaders"}) {
            assertThat(SiteFigures.isOwner(className)).isFalse();
            assertThat(SiteFigures.isReference(className)).isFalse();
            assertThat(SiteFigures.isLoader(className)).isFalse();
        }
        assertThat(SiteFigures.isLoader("java.net.URLClassLoader")).isTrue();
        assertThat(SiteFigures.isLoader("shop.PluginLoader")).isTrue();
    }

    private static SiteBook book(Shot shot) {
        SiteBook book = new SiteBook();
        book.add(shot.take(), Story.g1().timeline(), 0);
        return book;
    }

    @Test
    void onlyOwnersThatAreThereAreNamedTheLargestThree() {
        shot.site("java.lang.Thread", "gone", 1000);
        shot.live(shot.site("byte[]", "keep", 1000), 9, 100, 999, 1);
        for (int i = 1; i <= 4; i++) {
            shot.live(shot.site("java.lang.Thread", "keep" + i, 1000), i, 100, 999, 1);
        }
        assertThat(SiteFigures.owners(book(shot)))
                .extracting(each -> each.stack().get(0).methodName())
                .containsExactly("keep4", "keep3", "keep2");
        Shot gone = new Shot(100, 5000);
        gone.site("java.lang.Thread", "gone", 1000);
        assertThat(SiteFigures.owners(book(gone))).isEmpty();
    }

    @Test
    void loadersAreNamedIfTheyWereSampled() {
        shot.live(shot.site("byte[]", "keep", 1000), 9, 100, 999, 1);
        assertThat(SiteFigures.loaders(book(shot))).isEmpty();
        shot.site("a.MadeLoader", "make", 1000);
        shot.site("a.NoLoader", "make", 0);
        shot.live(shot.site("a.HeldLoader", "make", 0), 1, 100, 999, 1);
        assertThat(SiteFigures.loaders(book(shot)))
                .extracting(SiteEvidence::className)
                .containsExactly("a.HeldLoader");
    }

    /** Most of what a class costs in the heap is not its loader. */
    @Test
    void linesThatDefineClassesMakeLoaders() {
        shot.live(shot.defining("java.lang.Class", "plug", 1000), 9, 100, 999, 1);
        shot.live(shot.site("byte[]", "keep", 1000), 99, 100, 999, 1);
        assertThat(SiteFigures.loaders(book(shot)))
                .singleElement()
                .matches(each -> each.stack().get(2).methodName().equals("plug"))
                .matches(each -> each.estimate().samples() == 9);
    }

    @Test
    void thoseOfACloserLookComeFirst() {
        shot.live(shot.site("java.lang.Thread", "keep", 1000), 1, 100, 999, 1);
        SiteBook book = book(shot);
        Shot other = new Shot(100, 5000);
        other.live(other.site("byte[]", "keep", 1000), 1, 100, 999, 1);
        book.addCloser(other.take());
        assertThat(SiteFigures.owners(book)).hasSize(1);
        other.live(other.site("java.util.zip.Inflater", "open", 10), 1, 10, 999, 1);
        book.addCloser(other.take());
        assertThat(SiteFigures.owners(book))
                .extracting(SiteEvidence::className)
                .containsExactly("java.util.zip.Inflater");
    }

    @Test
    void whereACloserLookDoesNotTrackAllSamplesAllCountAsHeld() {
        shot.site("java.util.zip.Inflater", "open", 1000);
        SiteBook book = new SiteBook();
        book.addCloser(shot.take());
        assertThat(SiteFigures.owners(book)).isEmpty();
        book.addCloser(shot.thinned(1).take());
        assertThat(SiteFigures.owners(book)).hasSize(1);
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
