// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.assertj;

import static io.heapsampler.assertj.HeapSamplerAssertions.HEAP_SNAPSHOT;
import static io.heapsampler.assertj.HeapSamplerAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.heapsampler.Blocks;
import io.heapsampler.ClassTotals;
import io.heapsampler.DropCause;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import java.util.EnumSet;
import java.util.Set;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NavigationTest {

    private static final HeapSnapshot SHOP = shop();

    static HeapSnapshot shop() {
        TestSnapshot made =
                new TestSnapshot(0)
                        .afterGc()
                        .site("byte[]", "com.acme.cart.Cart.add", 40, 40, 0)
                        .site("char[]", "com.acme.cart.Cart.lambda$add$0", 20, 0, 0)
                        .site("byte[]", "com.acme.stock.Stock.load", 10, 5, 0)
                        .site("java.util.HashMap$Node", "com.acmeplus.Other.run", 1, 0, 0);
        return made.take();
    }

    @Test
    void sitesAreFoundByClassPackageMethodAndCaller() {
        assertThat(SHOP).sitesOf(byte[].class).hasAllocatedObjectsAtLeast(50).sites().hasSize(2);
        assertThat(SHOP).sitesOf("java.util.HashMap$Node").allocatesAtMost(64);
        assertThat(SHOP).sitesIn("com.acme").hasAllocatedObjectsAtLeast(70).sites().hasSize(3);
        assertThat(SHOP).sitesIn("com.acme").hasAllocatedObjectsAtMost(70);
        assertThat(SHOP).sitesAt("com.acme.cart.Cart", "add").allocatesAtMost(60 * 64);
        assertThat(SHOP).sitesAt("com.acme.cart.Cart", "add").hasAllocatedAtLeast(60 * 64);
        assertThat(SHOP).sitesAt("java.util.Arrays", "copyOf").allocatesNothing();
        assertThat(SHOP)
                .sitesMatching(site -> site.className().endsWith("[]"), "sites of arrays")
                .hasAllocatedAtLeast(70 * 64)
                .returnToSnapshot()
                .hasAllocatedAtLeast(71 * 64);
    }

    @Test
    void oneSiteIsFoundByItsMethod() {
        assertThat(SHOP)
                .siteAt("com.acme.stock.Stock", "load")
                .isOf(byte[].class)
                .leavesBehindAtMost(5 * 64)
                .hasLiveAtLeast(5 * 64);
        assertThat(SHOP)
                .siteAt("com.acme.stock.Stock", "load")
                .stack()
                .extracting(HeapFrame::methodName)
                .containsExactly("copyOf", "load", "run");
        assertThat(SHOP).siteAt("com.acme.stock.Stock", "load").samples().hasSize(5);
    }

    @Test
    void noSiteAndSeveralSitesAreErrorsThatNameWhatThereIs() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(SHOP).siteAt("com.acme.Cart", "add"))
                .withMessageStartingWith("No sampled site is at com.acme.Cart.add.\nTop sites (4")
                .withMessageContaining("at com.acme.cart.Cart.add(Source.java:42)\n")
                .withMessageEndingWith("or sitesAt(...), which may find none.");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(SHOP).as("shop").siteAt("com.acme.cart.Cart", "add"))
                .withMessageStartingWith("[shop] 2 sites are at com.acme.cart.Cart.add, which")
                .withMessageEndingWith("What helps: sitesAt(...), which adds them up.");
    }

    @Test
    void listsAreThoseOfAssertJ() {
        assertThat(SHOP).sites().hasSize(4).first().isOf("byte[]").hasAllocatedAtLeast(40 * 64);
        assertThat(SHOP).sites().filteredOn(site -> site.className().equals("char[]")).hasSize(1);
        assertThat(SHOP).sites().extracting(HeapSite::className).contains("char[]");
        assertThat(SHOP).classes().extracting(ClassTotals::className).contains("byte[]", "char[]");
        assertThat(SHOP).threads().hasSize(1);
        assertThat(SHOP).samples().hasSize(45);
        assertThat(SHOP).notes().isEmpty();
        assertThat(SHOP).classTotals(byte[].class).hasAllocatedAtLeast(50 * 64);
        assertThat(SHOP).classTotals("a.Absent").allocatesNothing();
        assertThat(SHOP).threadTotals("main").hasLiveAtLeast(45 * 64);
        assertThat(SHOP).threadTotals(Thread.currentThread()).hasLiveAtLeast(0);
    }

    @Test
    void sitesAreCheckedByPlaceAndCaller() throws Exception {
        HeapSnapshot mine =
                new TestSnapshot(0).site("byte[]", getClass().getName() + ".load", 1, 0, 0).take();

        assertThat(mine).siteAt(getClass(), "load").isAt(getClass(), "load");
        assertThat(mine).sitesUnder(getClass(), "load").hasAllocatedAtLeast(64);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(
                        () -> assertThat(mine).siteAt(getClass(), "load").isUnder(int[].class, "x"))
                .withMessage(
                        "[site at io.heapsampler.assertj.NavigationTest.load] Expected a site under"
                            + " int[].x, but its stack is:\n"
                            + "    your code:"
                            + " io.heapsampler.assertj.NavigationTest.load(Source.java:42)\n"
                            + "    at java.util.Arrays.copyOf(Source.java:3537)\n"
                            + "    at io.heapsampler.assertj.NavigationTest.load(Source.java:42)\n"
                            + "    at com.acme.Caller.run(Source.java:7)");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(mine).sites().first().isOf(int[].class))
                .withMessageContaining(
                        "Expected a site of int[], but this is a site of byte[] at"
                                + " io.heapsampler.assertj.NavigationTest.load(Source.java:42).");
    }

    @Test
    void descriptionsGoAlong() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(
                        () ->
                                assertThat(SHOP)
                                        .as("shop")
                                        .sitesIn("com.acme")
                                        .allocatedBytes()
                                        .isAtMost(1))
                .withMessageStartingWith(
                        "[shop, sites in com.acme, allocated bytes of sites in com.acme] Allocated"
                                + " bytes over the limit:\n");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(SHOP).withFailMessage("too much").allocatesAtMost(1))
                .withMessage("too much");
    }

    @Test
    void assertJsOwnEntryAcceptsTheWrapperAndOtherTypesCanBeNarrowed() {
        Assertions.assertThat(AssertableHeapSnapshot.of(SHOP)).sitesOf("char[]").hasNothingLive();
        Object any = SHOP;
        Assertions.assertThat(any).asInstanceOf(HEAP_SNAPSHOT).hasAllocatedAtLeast(71 * 64);
        HeapSamplerBDDAssertions.then(SHOP).sitesOf("char[]").hasNothingLive();
    }

    @Test
    void dropsAndNotesAreNamed() {
        HeapSnapshot dropped =
                new TestSnapshot(0)
                        .drop(DropCause.PHANTOM, 9)
                        .drop(DropCause.TRUNCATED, 2)
                        .drop(DropCause.SITES_FULL, 1)
                        .take();

        assertThat(SHOP).hasNoDrops().hasNoNotes().isAfterGc();
        assertThat(dropped).hasNoDrops(DropCause.NO_STACK);
        assertThat(dropped).hasNoNotesExcept("tables-full", "truncated");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> assertThat(dropped).hasNoNotesExcept("(other)"));
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(dropped).hasNoDrops())
                .withMessage(
                        "Samples were dropped, folded or shortened:\n"
                                + "  SITES_FULL 1 sample. What helps: raise maxSites.\n"
                                + "  TRUNCATED 2 samples. What helps: raise maxDepth.");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(dropped).hasNoNotesExcept("tables-full"))
                .withMessage(
                        "The snapshot has notes:\n"
                            + "  truncated: Some stacks were deeper than maxDepth and are cut.\n"
                            + "What helps: do as they say, or expect them with"
                            + " hasNoNotesExcept(\"id\").");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(dropped).isAfterGc())
                .withMessageContaining("What helps: snapshot(SnapshotOptions.afterGc())");
    }

    @Test
    void wrongUseIsSaid() {
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat((HeapSnapshot) null).allocatesAtMost(1))
                .withMessageContaining("Expecting actual not to be null");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat((HeapSnapshot) null).sitesOf("a.A"))
                .withMessageContaining("Expecting actual not to be null");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> assertThat(SHOP).sitesOf(int.class))
                .withMessage(
                        "int is a primitive type, of which there are no objects; did you mean"
                                + " int[].class?");
        Runnable lambda = () -> {};
        assertThatIllegalArgumentException()
                .isThrownBy(() -> assertThat(SHOP).sitesOf(lambda.getClass()))
                .withMessageContaining("is a hidden class, which has another name in snapshots");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> assertThat(SHOP).sitesIn("com.acme.*"))
                .withMessage(
                        "\"com.acme.*\" is not the name of a package; write it as in"
                                + " \"com.acme.cart\", packages below it are included");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> assertThat(SHOP).sitesAt("com.acme.Cart", " "))
                .withMessage("method name must not be blank");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> assertThat(SHOP).hasNoDrops(new DropCause[0]))
                .withMessage("name one or more, or call hasNoDrops()");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> assertThat(SHOP).hasNoDropsAffecting());
        assertThatIllegalStateException()
                .isThrownBy(() -> assertThat(SHOP.sites().get(0)).returnToSnapshot())
                .withMessageContaining("Begin with assertThat(snapshot)");
    }

    @ParameterizedTest
    @EnumSource(DropCause.class)
    void onlyDropsThatChangeFiguresFail(DropCause cause) {
        HeapSnapshot snapshot = new TestSnapshot(0).drop(cause, 1).take();
        Set<DropCause> harmless =
                EnumSet.of(
                        DropCause.PHANTOM,
                        DropCause.OWN,
                        DropCause.CAPPED,
                        DropCause.DEAD_FORGOTTEN,
                        DropCause.LABELS_FULL);

        if (harmless.contains(cause)) {
            assertThat(snapshot).hasNoDrops();
        } else {
            assertThatExceptionOfType(AssertionError.class)
                    .isThrownBy(() -> assertThat(snapshot).hasNoDrops());
        }
    }

    @Test
    void dropsFailOnlyWhereTheFiguresMatter() {
        HeapSnapshot untracked =
                new TestSnapshot(0)
                        .drop(DropCause.THINNED, 9)
                        .drop(DropCause.DEAD_FORGOTTEN, 7_535)
                        .take();

        assertThat(untracked).hasNoDropsAffecting(DropCause.Figure.ALLOCATED);
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> assertThat(untracked).hasNoDropsAffecting(DropCause.Figure.LIVE))
                .withMessage(
                        "Samples were dropped, folded or shortened:\n"
                                + "  THINNED 9 samples. What helps: raise maxTracked.");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(
                        () ->
                                assertThat(untracked)
                                        .hasNoDropsAffecting(DropCause.Figure.DEAD_SAMPLES))
                .withMessageEndingWith("DEAD_FORGOTTEN 7,535 samples. What helps: raise maxDead.");
    }

    @Test
    void threadsWithoutRoomAreNoThreadOfThatName() {
        TestSnapshot made = new TestSnapshot(0);
        made.writer().thread(-1, "(other)"); // 16 bytes

        assertThat(made.take())
                .threadTotals("(other)")
                .whenUndecided(Undecided.PASSES)
                .allocatesAtMost(15);
    }

    @Test
    void blocksThatTheLibraryWroteAreRead() {
        HeapSnapshot wide = Blocks.written("wide-25-zgc.block");

        assertThat(wide).hasAllocatedAtLeast(1);
        assertThat(wide).sites().isNotEmpty().first().allocatedBytes().hasAtLeastSamples(1);
    }
}
