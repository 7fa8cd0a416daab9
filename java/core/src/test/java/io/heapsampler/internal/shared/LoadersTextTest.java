// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.HolderRoot;
import io.heapsampler.Unresolved;
import io.heapsampler.internal.holders.HeldBlockWriter;
import io.heapsampler.internal.holders.HeldDecoder;
import io.heapsampler.internal.holders.WatchedPaths;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** How paths to class loaders are drawn. */
class LoadersTextTest {

    private static final int WATCHED = 1 << 31;
    private static final int TIME = 2;
    private static final String REGISTRY =
            "static com.acme.Registry.plugins -> java.util.ArrayList";

    private final HeldBlockWriter block = new HeldBlockWriter();
    private int count;

    private LoadersTextTest held(String root, String... steps) {
        block.path(WATCHED + count++, root, steps);
        return this;
    }

    private LoadersTextTest inRegistry() {
        return held(
                REGISTRY,
                "java.util.ArrayList.elementData -> java.lang.Object[]",
                "[] -> com.acme.Loader");
    }

    private LoadersText text() {
        byte[] bytes = block.write();
        return new LoadersText(new WatchedPaths(HeldDecoder.decode(bytes, 0, bytes.length, 0)));
    }

    private String draw(int groups, String... labels) {
        return text().draw(List.of(labels), groups);
    }

    @Test
    void thoseThatAreHeldAlikeAreDrawnOnceWithTheSuspectUnderlined() {
        inRegistry().inRegistry().held("thread 7 -> java.lang.Thread");

        assertThat(draw(3, "com.acme.Loader", "com.acme.Loader", "com.acme.Other"))
                .isEqualTo(
                        """
                        Held by: 3 class loaders with a path (walked in a child process, longest pause 42.0 ms)
                          ├─ 2 class loaders: static field com.acme.Registry.plugins
                          │                   ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
                          │  ↓ element of ArrayList
                          │  ╰→ com.acme.Loader
                          ╰─ 1 class loader: thread without a name
                             ╰→ com.acme.Other\
                        """
                                .replaceAll(
                                        "~+",
                                        "~"
                                                .repeat(
                                                        "static field com.acme.Registry.plugins"
                                                                .length())));
    }

    @Test
    void differentLabelsAndFurtherPathsAreSaid() {
        inRegistry().inRegistry().held("thread 7 -> java.lang.Thread");

        assertThat(draw(1, "com.acme.Loader \"a\"", "com.acme.Loader \"b\"", "com.acme.Other"))
                .contains("│  ╰→ com.acme.Loader \"a\", and others\n  ╰─ 1 more path");
    }

    @Test
    void oneWithoutALabelIsLeftOut() {
        inRegistry().held("thread 7 -> java.lang.Thread");

        assertThat(draw(3, "com.acme.Loader", ""))
                .contains("1 class loader with a path")
                .doesNotContain("thread");
    }

    @Test
    void oneWithoutAPathHasAReason() {
        block.unresolved(WATCHED, TIME);

        assertThat(draw(3, "com.acme.Loader"))
                .startsWith("Held by: no path was found (walked in a child process")
                .contains("\n  no path to 1 class loader, because the search takes longer");
        assertThat(text().holdings())
                .containsExactly(new LoadersText.Holding(Unresolved.TIME, null, false, List.of()));
    }

    @Test
    void aLongPathHasTwelveLinesAtMost() {
        String[] steps =
                IntStream.range(0, 40)
                        .mapToObj(i -> "com.acme.Link" + i + ".next -> com.acme.Link" + (i + 1))
                        .toArray(String[]::new);
        held("static com.acme.Shop.first -> com.acme.Link0", steps);

        String drawn = draw(1, "com.acme.Loader");

        assertThat(drawn.lines().count()).isLessThanOrEqualTo(HoldersText.LINES_PER_SITE);
        assertThat(drawn).contains(" references\n").contains("↓ com.acme.Link39.next\n");
    }

    @Test
    void rootsAndClassesTellWhetherALoaderIsLetGo() {
        held(
                "static com.acme.Cache.all -> java.util.WeakHashMap",
                "java.util.WeakHashMap.table -> java.util.WeakHashMap$Entry[]",
                "[] -> java.util.WeakHashMap$Entry",
                "java.util.WeakHashMap$Entry.value -> com.acme.Loader ~");

        LoadersText.Holding holding = text().holdings().get(0);

        assertThat(holding.root()).isEqualTo(HolderRoot.STATIC_FIELD);
        assertThat(holding.missing()).isNull();
        assertThat(holding.isSoft()).isTrue();
        assertThat(holding.classes().stream().distinct().collect(Collectors.toList()))
                .contains("java.util.WeakHashMap$Entry", "com.acme.Loader");
    }
}
