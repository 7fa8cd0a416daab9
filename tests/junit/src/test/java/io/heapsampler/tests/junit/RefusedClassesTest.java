// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.tests.junit;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.junit.MaxAllocation;
import io.heapsampler.junit.NoLeaks;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.platform.launcher.PostDiscoveryFilter;
import org.junit.platform.launcher.TagFilter;

/** A misplaced annotation fails its class, and no other, before anything of that class runs. */
class RefusedClassesTest {

    private static boolean hasRun;

    @BeforeEach
    void begin() {
        hasRun = false;
    }

    static class Fine {

        @Test
        @MaxAllocation("1 MB")
        void passes() {}
    }

    /** Nothing of ours is called for it but by the launcher. */
    @Tag("slow")
    static class Alone {

        @BeforeAll
        static void beforeAll() {
            hasRun = true;
        }

        @BeforeEach
        @NoLeaks
        void measured() {
            hasRun = true;
        }

        @Test
        @Tag("first")
        void one() {}

        @Test
        void two() {}
    }

    static class Outer {

        @Test
        void passes() {}

        @Nested
        class Inner {

            @NoLeaks
            void helper() {}

            @Test
            void one() {}
        }

        @Nested
        class Other {

            @Test
            void passesToo() {}
        }
    }

    private static final String ALONE =
            "Alone FAILED: At io.heapsampler.tests.junit.RefusedClassesTest$Alone.measured:"
                    + " @NoLeaks is on a method that is no test, so nothing would be measured. Move"
                    + " it to a test method or to the class.";

    private static List<String> run(PostDiscoveryFilter filter, Class<?>... types) {
        return Launched.run(List.of(filter), types);
    }

    @Test
    void classFailsAndOthersRun() {
        assertThat(Launched.run(List.of(), Alone.class, Fine.class))
                .map(event -> event.replace("RefusedClassesTest$Alone F", "Alone F"))
                .containsExactlyInAnyOrder(ALONE, "passes() SUCCESSFUL");
        assertThat(hasRun).isFalse();
    }

    @Test
    void nestedClassFailsAlone() {
        assertThat(Launched.run(List.of(), Outer.class))
                .containsExactlyInAnyOrder(
                        "passes() SUCCESSFUL",
                        "passesToo() SUCCESSFUL",
                        "Inner FAILED: At io.heapsampler.tests.junit.RefusedClassesTest$Outer$Inner"
                                + ".helper: @NoLeaks is on a method that is no test, so nothing"
                                + " would be measured. Move it to a test method or to the class.");
    }

    @Test
    void classThatAnotherFilterLeavesOutDoesNotFail() {
        assertThat(run(TagFilter.excludeTags("slow"), Alone.class, Fine.class))
                .containsExactly("passes() SUCCESSFUL");
        assertThat(run(TagFilter.includeTags("none"), Alone.class, Fine.class)).isEmpty();
        assertThat(run(TagFilter.includeTags("first"), Alone.class, Fine.class))
                .singleElement()
                .asString()
                .endsWith(ALONE);
    }
}
