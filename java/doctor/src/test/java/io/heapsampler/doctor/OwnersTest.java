// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which lines own memory outside of the heap, or make class loaders. */
class OwnersTest {

    private final Shot shot = new Shot(100, 5000);

    private static Situation situation(SiteBook book) {
        return Situation.of(Story.g1().timeline(), book, Slo.DEFAULT);
    }

    private static List<SiteEvidence> owners(SiteBook book) {
        return NamedSites.owners(situation(book), "the memory").sites();
    }

    private static List<SiteEvidence> loaders(SiteBook book) {
        return NamedSites.loaders(situation(book)).sites();
    }

    @Test
    void theyExplainAShareThatIsNotKnown() {
        shot.live(shot.site("java.lang.Thread", "keep", 1000), 1, 100, 999, 1);
        NamedSites found = NamedSites.owners(situation(book(shot)), "the memory");
        assertThat(found.explained().value()).isNaN();
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
        assertThat(owners(book(shot)))
                .extracting(each -> each.stack().get(0).methodName())
                .containsExactly("keep4", "keep3", "keep2");
        Shot gone = new Shot(100, 5000);
        gone.site("java.lang.Thread", "gone", 1000);
        assertThat(owners(book(gone))).isEmpty();
    }

    @Test
    void loadersAreNamedIfTheyWereSampled() {
        shot.live(shot.site("byte[]", "keep", 1000), 9, 100, 999, 1);
        assertThat(loaders(book(shot))).isEmpty();
        shot.site("a.MadeLoader", "make", 1000);
        shot.site("a.NoLoader", "make", 0);
        shot.live(shot.site("a.HeldLoader", "make", 0), 1, 100, 999, 1);
        assertThat(loaders(book(shot)))
                .extracting(SiteEvidence::className)
                .containsExactly("a.HeldLoader");
    }

    /** Most of what a class costs in the heap is not its loader. */
    @Test
    void linesThatDefineClassesMakeLoaders() {
        shot.live(shot.defining("java.lang.Class", "plug", 1000), 9, 100, 999, 1);
        shot.live(shot.site("byte[]", "keep", 1000), 99, 100, 999, 1);
        assertThat(loaders(book(shot)))
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
        book.addCloser(other.take(), true);
        assertThat(owners(book)).hasSize(1);
        other.live(other.site("java.util.zip.Inflater", "open", 10), 1, 10, 999, 1);
        book.addCloser(other.take(), true);
        assertThat(owners(book))
                .extracting(SiteEvidence::className)
                .containsExactly("java.util.zip.Inflater");
    }

    @Test
    void aLookAtLoadersLeavesTheOwnersAsTheyAre() {
        shot.live(shot.site("org.rocksdb.RocksIterator", "scan", 1000), 1, 100, 999, 1);
        SiteBook book = new SiteBook();
        book.addCloser(shot.take(), true);
        Shot other = new Shot(100, 5000);
        other.live(other.site("java.lang.Thread", "run", 10), 1, 10, 999, 1);
        other.live(other.site("a.PlugLoader", "plug", 10), 1, 10, 999, 1);
        book.addCloser(other.take(), false);

        assertThat(owners(book))
                .extracting(SiteEvidence::className)
                .containsExactly("org.rocksdb.RocksIterator");
        assertThat(loaders(book))
                .extracting(SiteEvidence::className)
                .containsExactly("a.PlugLoader");
    }

    @Test
    void whatTheConstructorOfAnOwnerMakesIsAPartOfIt() {
        String flag = "java.util.concurrent.atomic.AtomicBoolean";
        shot.live(shot.part(flag, "org.rocksdb.RocksObject", "scan", 1000), 9, 100, 999, 1);
        shot.live(shot.part(flag, "shop.Order", "order", 1000), 9, 100, 999, 1);

        assertThat(owners(book(shot)))
                .singleElement()
                .matches(each -> each.stack().get(1).methodName().equals("scan"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "org.rocksdb.RocksIterator",
                "com.github.luben.zstd.ZstdCompressCtx",
                "org.sqlite.core.NativeDB",
                "org.bytedeco.javacpp.Pointer$NativeDeallocator",
                "org.rocksdb.ConfigOptions"
            })
    void objectsOfLibrariesOfNativeCodeAreOwners(String className) {
        assertThat(KnownClasses.isOwner(className, List.of())).isTrue();
    }

    /** They have no memory outside of the heap that could be closed. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "org.rocksdb.RocksDBException",
                "org.rocksdb.TickerType",
                "org.rocksdb.Status$Code",
                "org.rocksdb.ColumnFamilyHandle[]",
                "org.rocksdb.SizeUnit$$Lambda",
                "org.sqlite.SQLiteConfig$Pragma",
                "com.github.luben.zstd.RecyclingBufferPool"
            })
    void theirExceptionsConstantsArraysAndHelpersAreNot(String className) {
        assertThat(KnownClasses.isOwner(className, List.of())).isFalse();
        shot.live(shot.part("java.lang.Object[]", className, "make", 1000), 9, 100, 999, 1);
        assertThat(owners(book(shot))).isEmpty();
    }

    @Test
    void whereACloserLookDoesNotTrackAllSamplesAllCountAsHeld() {
        shot.site("java.util.zip.Inflater", "open", 1000);
        SiteBook book = new SiteBook();
        book.addCloser(shot.take(), true);
        assertThat(owners(book)).isEmpty();
        book.addCloser(shot.thinned(1).take(), true);
        assertThat(owners(book)).hasSize(1);
    }
}
