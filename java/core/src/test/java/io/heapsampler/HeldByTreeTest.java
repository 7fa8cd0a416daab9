// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static io.heapsampler.HeldShot.MAP;
import static io.heapsampler.HeldShot.NODE;
import static io.heapsampler.HeldShot.TABLE;
import static io.heapsampler.HeldShot.value;
import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.internal.holders.HeldAddition;
import io.heapsampler.internal.shared.HeldByJson;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The merged tree of holders and its figures. */
class HeldByTreeTest {

    private static final String OPEN = "static com.acme.Shop.open -> " + MAP;

    private final HeldShot shot = new HeldShot();
    private final int first = shot.site("byte[]", "fill", 12);
    private final int second = shot.site("com.acme.Order", "order", 20);

    /** Sums of node and children. */
    private static HeapAmount sum(Stream<HeapAmount> amounts) {
        return amounts.reduce(HeapAmount.ZERO, HeapAmount::plus);
    }

    @Test
    void pathsThatReadAlikeMergeAndTheirBytesAddUp() {
        shot.live(first, 3).live(second, 1);
        shot.held
                .path(0, OPEN, TABLE, NODE, value("byte[]"))
                .path(1, OPEN, TABLE, NODE, value("byte[]"))
                .path(3, OPEN, TABLE, NODE, value("com.acme.Order"))
                .path(2, "thread 7 -> java.lang.Thread", "com.acme.Job.data -> byte[]");

        HeldBy answer = shot.heldBy(Map.of(7L, "main"));

        assertThat(HeldShot.tree(answer))
                .isEqualTo(
                        """
                        static field com.acme.Shop.open = 3000
                          value in HashMap = 3000
                            byte[] allocated at com.acme.Shop.fill(Source.java:12) = 2000
                            com.acme.Order allocated at com.acme.Shop.order(Source.java:20) = 1000
                        thread main = 1000
                          com.acme.Job.data = 1000
                            byte[] allocated at com.acme.Shop.fill(Source.java:12) = 1000
                        """);
        Holder open = answer.holders().get(0);
        assertThat(open.root()).contains(HolderRoot.STATIC_FIELD);
        assertThat(open.site()).isEmpty();
        assertThat(open.steps()).containsExactly("com.acme.Shop.open");
        assertThat(open.held().samples()).isEqualTo(3);
        assertThat(open.held().objects().value()).isEqualTo(3);
        Holder value = open.children().get(0);
        assertThat(value.root()).isEmpty();
        assertThat(value.steps())
                .containsExactly("java.util.HashMap.table", "[…]", "java.util.HashMap$Node.value");
        assertThat(value.children().get(0).site()).contains(answer.snapshot().sites().get(first));
        assertThat(value.children().get(0).steps()).isEmpty();
        assertThat(value.children().get(0).children()).isEmpty();
        assertThat(answer.holders().get(1).root()).contains(HolderRoot.THREAD);
    }

    @Test
    void sitesBeneathAHolderHaveTheirPartOfItsBytes() {
        shot.live(first, 2).live(second, 2);
        shot.held
                .path(0, OPEN, TABLE, NODE, value("byte[]"))
                .path(1, OPEN, "com.acme.MyMap.cache -> byte[]")
                .path(2, OPEN, TABLE, NODE, value("com.acme.Order"))
                .unresolved(3, 5);

        Map<HeapSite, HeapAmount> sites = shot.heldBy().holders().get(0).sites();

        assertThat(
                        sites.entrySet().stream()
                                .map(
                                        each ->
                                                each.getKey().className()
                                                        + " "
                                                        + each.getValue().samples()))
                .containsExactly("byte[] 2", "com.acme.Order 1");
    }

    /** Exactly, not about. */
    @Test
    void holdersAndUnresolvedBytesAreTheTotal() {
        for (int i = 0; i < 300; i++) {
            shot.live(i % 2, 1, 10 + i * i, 4096);
            if (i % 7 == 0) {
                shot.held.unresolved(i, 1 + i / 7 % 7);
            } else {
                shot.held.path(i, "static com.acme.Shop.open" + i % 5 + " -> byte[]");
            }
        }

        HeldBy answer = shot.heldBy();

        HeapAmount holders = sum(answer.holders().stream().map(Holder::held));
        assertThat(
                        Stream.concat(Stream.of(holders), answer.unresolved().values().stream())
                                .reduce(HeapAmount::plus))
                .contains(answer.total());
        assertThat(answer.total().samples()).isEqualTo(300);
        assertThat(answer.unresolved().keySet()).containsExactly(Unresolved.values());
        assertThat(answer.unresolved().get(Unresolved.PAUSE).samples()).isEqualTo(7);
        assertThat(answer.unresolved().get(Unresolved.NOT_POSSIBLE).samples()).isEqualTo(6);
        double live = answer.snapshot().totals().live().bytes().value();
        assertThat(answer.total().bytes().value()).isCloseTo(live, offset(live));
        double variance = answer.snapshot().totals().live().bytes().standardError();
        assertThat(answer.total().bytes().standardError()).isCloseTo(variance, offset(variance));
    }

    private static org.assertj.core.data.Offset<Double> offset(double value) {
        return org.assertj.core.api.Assertions.within(value * 1e-12);
    }

    @Test
    void exclusiveBytesAreThoseOfDominatedSamples() {
        shot.live(first, 2);
        shot.held
                .dominators()
                .path(0, OPEN + " !", TABLE, NODE, value("byte[] !"))
                .path(1, OPEN, TABLE + " !", NODE + " !", value("byte[] !"));

        Holder open = shot.heldBy().holders().get(0);

        assertThat(open.exclusive().orElseThrow().samples()).isEqualTo(1);
        assertThat(open.children().get(0).exclusive()).contains(open.held());
        Holder site = open.children().get(0).children().get(0);
        assertThat(site.exclusive()).contains(site.held());
    }

    @Test
    void exclusiveBytesAreAbsentWithoutDominators() {
        shot.live(first, 1);
        shot.held.path(0, OPEN + " !", "com.acme.MyMap.cache -> byte[] !");

        assertThat(shot.heldBy().holders().get(0).exclusive()).isEmpty();
    }

    @Test
    void softReferencesAreKeptApartAndMarkAllBelow() {
        shot.live(first, 2);
        shot.held
                .path(0, OPEN, "com.acme.MyMap.cache -> com.acme.Box ~", "com.acme.Box.x -> byte[]")
                .path(1, OPEN, "com.acme.MyMap.cache -> com.acme.Box", "com.acme.Box.x -> byte[]");

        Holder open = shot.heldBy().holders().get(0);

        assertThat(open.isSoft()).isFalse();
        assertThat(open.children().stream().map(Holder::text))
                .containsExactly("com.acme.MyMap.cache", "com.acme.MyMap.cache (soft reference)");
        assertThat(open.children().stream().map(Holder::isSoft)).containsExactly(false, true);
        assertThat(open.children().get(1).children().get(0).isSoft()).isTrue();
    }

    @Test
    void threadsOfAPoolAreOneHolder() {
        shot.live(first, 6);
        for (int i = 0; i < 6; i++) {
            shot.held.path(i, "local com.acme.Shop.run " + (10 + i) + " -> byte[]");
        }
        Map<Long, String> names =
                Map.of(
                        10L, "pool-1-thread-1",
                        11L, "pool-1-thread-2",
                        12L, "pool-1-thread-10",
                        13L, "http-1",
                        14L, "http-2");

        assertThat(shot.heldBy(names).holders().stream().map(Holder::text))
                .containsExactly(
                        "local of com.acme.Shop.run in thread pool-1-thread-*",
                        "local of com.acme.Shop.run in thread http-1",
                        "local of com.acme.Shop.run in thread http-2",
                        "local of com.acme.Shop.run in thread without a name");
    }

    @Test
    void theSuspectIsTheDeepestOwnFieldThatHoldsMostAndCanGrow() {
        shot.live(first, 20);
        for (int i = 0; i < 20; i++) {
            String order =
                    i == 0 ? "com.acme.Order.rare -> byte[]" : "com.acme.Order.text -> byte[]";
            shot.held.path(
                    i,
                    "static com.acme.Registry.it -> com.acme.Registry",
                    "com.acme.Registry.open -> " + MAP,
                    TABLE,
                    NODE,
                    value("com.acme.Order"),
                    order);
        }

        assertThat(suspects(shot.heldBy())).isEqualTo("com.acme.Registry.open");
    }

    @Test
    void theSuspectIsAnyOwnFieldWhereNothingCanGrow() {
        shot.live(first, 20);
        for (int i = 0; i < 20; i++) {
            shot.held.path(
                    i,
                    "static com.acme.Registry.it -> com.acme.Registry",
                    "com.acme.Registry.last -> com.acme.Order",
                    i < 3 ? "com.acme.Order.rare -> byte[]" : "com.acme.Order.text -> byte[]");
        }

        assertThat(suspects(shot.heldBy())).isEqualTo("com.acme.Registry.last");
    }

    @Test
    void fieldsOfLibrariesAreNoSuspects() {
        shot.live(first, 1);
        shot.held.path(
                0, "static java.util.Foo.it -> org.hibernate.Bar", "org.hibernate.Bar.x -> byte[]");

        assertThat(suspects(shot.heldBy())).isEmpty();
    }

    private static String suspects(HeldBy answer) {
        return answer.holders().stream()
                .flatMap(HeldByTreeTest::withAllBelow)
                .filter(Holder::isSuspect)
                .map(Holder::text)
                .collect(Collectors.joining(", "));
    }

    private static Stream<Holder> withAllBelow(Holder holder) {
        return Stream.concat(
                Stream.of(holder),
                holder.children().stream().flatMap(HeldByTreeTest::withAllBelow));
    }

    /** Not those whose cause says all. */
    @ParameterizedTest
    @CsvSource({
        "2, the child process waited for a lock",
        "3, the child process waited for a lock",
        "7, the child process waited for a lock",
        "1, a pause would have become too long",
        "4, an array is too large to follow",
        "5, the objects died after the snapshot",
        "6, the JVM showed no strong or soft reference"
    })
    void notesHaveTheFailure(int outcome, String text) {
        shot.live(first, 1);
        shot.held.failure("the child process waited for a lock").unresolved(0, outcome);

        assertThat(shot.heldBy().notes())
                .hasSize(1)
                .first()
                .extracting(Note::text)
                .asString()
                .startsWith("100 % of the live bytes have no known holder: " + text);
    }

    @Test
    void notesHaveTheReasonOfTheWayAndLargeUnresolvedParts() {
        shot.live(first, 100);
        shot.held.way(1).reason("child: it would share the heap");
        for (int i = 0; i < 100; i++) {
            shot.held.unresolved(i, i < 5 ? 1 : i < 20 ? 2 : i < 40 ? 3 : i < 60 ? 4 : 5 + i % 3);
        }

        assertThat(shot.heldBy().notes())
                .extracting(Note::id)
                .containsExactly(
                        "holders-way",
                        "holders-unresolved-time",
                        "holders-unresolved-memory",
                        "holders-unresolved-large-array",
                        "holders-unresolved-died",
                        "holders-unresolved-only-weak",
                        "holders-unresolved-not-possible");
        assertThat(shot.heldBy().notes())
                .extracting(Note::text)
                .startsWith(
                        "The heap was walked in one stop of the application. Other ways: child: it"
                                + " would share the heap.",
                        "15 % of the live bytes have no known holder: the time was over. Raise"
                                + " maxTime(), or lower maxSamples().");
    }

    @Test
    void aNoteSaysThatPathsAreOfSeveralMoments() {
        shot.live(first, 1);
        shot.held.way(3);
        shot.held.unresolved(0, 6);

        assertThat(shot.heldBy().notes())
                .extracting(Note::text)
                .containsExactly(
                        "The references of a path were seen in different stops of the application."
                                + " A reference that moved meanwhile can be missing, so a path of"
                                + " objects that live shortly can be wrong. Paths of a leak do not"
                                + " change.",
                        "100 % of the live bytes have no known holder: the JVM showed no strong or"
                                + " soft reference to the objects. The next collection frees them,"
                                + " unless a linked call site or HeapSampler itself holds them.");
    }

    @Test
    void aReferenceIsRepeatedIfItIsSoOnAnyPath() {
        shot.live(first, 3);
        String open = "static com.acme.Shop.open -> com.acme.Node";
        String next = "com.acme.Node.next -> com.acme.Node";
        shot.held
                .path(0, open, next, "com.acme.Node.value -> byte[]")
                .path(1, open, next + " *", "com.acme.Node.value -> byte[]")
                .path(2, open, next, "com.acme.Node.value -> byte[]");

        Holder root = shot.heldBy().holders().get(0);

        assertThat(root.children()).hasSize(1);
        assertThat(root.children().get(0).text()).isEqualTo("com.acme.Node.next (repeated)");
        assertThat(root.children().get(0).held().samples()).isEqualTo(3);
    }

    @Test
    void aFileThatClaimsAnyNumberOfMatchingSamplesIsDrawn() {
        shot.live(first, 1);
        shot.held.path(0, OPEN, "com.acme.MyMap.cache -> byte[]");
        HeapSnapshot snapshot = shot.snapshot(new HeldAddition(Long.MAX_VALUE, "all", Map.of()));
        HeldBy answer = snapshot.heldBy().orElseThrow();

        assertThat(answer.total().bytes().value()).isFinite();
        assertThat(answer.total().bytes().standardError()).isFinite();
        assertThat(answer.toText(12)).contains("com.acme.MyMap.cache");
        assertThat(HeldByJson.of(answer)).doesNotContain("NaN", "Infinity");
    }

    @Test
    void holdersAreEqualWithinAnAnswer() {
        shot.live(first, 1);
        shot.held.path(0, OPEN, "com.acme.MyMap.cache -> byte[]");
        HeapSnapshot snapshot = shot.snapshot();

        Holder holder = snapshot.heldBy().orElseThrow().holders().get(0);

        assertThat(holder).isEqualTo(snapshot.heldBy().orElseThrow().holders().get(0));
        assertThat(holder.hashCode())
                .isEqualTo(snapshot.heldBy().orElseThrow().holders().get(0).hashCode());
        assertThat(holder).isNotEqualTo(holder.children().get(0));
        assertThat(holder).isNotEqualTo(shot.heldBy().holders().get(0));
        assertThat(Objects.toString(holder))
                .isEqualTo("static field com.acme.Shop.open: 1000 ± 0 (95 %, 1 sample)");
    }
}
