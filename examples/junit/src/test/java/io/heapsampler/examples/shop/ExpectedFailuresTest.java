// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.shop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;

/** The failures that a developer would see; and that the README shows them as they are. */
class ExpectedFailuresTest {

    private static final Path README =
            Path.of(System.getProperty("readme.root", "../.."), "README.md");

    @BeforeAll
    static void takeTime() { // where many builds share the cores
        System.setProperty("heapsampler.holders.millis", "60000");
    }

    @Test
    void budgetIsExceededAndTheReadmeShowsIt() throws IOException {
        String message = failureOf(Failing.BudgetTest.class);

        System.out.println(message);
        assertThat(message)
                .startsWith("BudgetTest.threeVisitsMakeLittle() allocated 6,152 bytes, limit 4 KB")
                .contains("at io.heapsampler.examples.shop.Shop.enter(Shop.java:");
        assertThat(steady(Files.readString(README))).contains("```\n" + steady(message) + "\n```");
    }

    @Test
    void leakIsFoundAndTheReadmeShowsIt() throws IOException {
        String message = failureOf(Failing.VisitTest.class);

        System.out.println(message);
        assertThat(message)
                .startsWith(
                        "VisitTest.leavingCustomersAreForgotten() leaks: 3 sites keep growing, by")
                .contains("at io.heapsampler.examples.shop.Shop.enter(Shop.java:");
        assertThat(steady(Files.readString(README))).contains("```\n" + steady(message) + "\n```");
    }

    /**
     * Without what depends on the collector, the update of the JDK and the speed of the machine.
     */
    private static String steady(String text) {
        return text.replaceAll(
                        "; alive .*, dead .*|; it is unknown how much is alive", "; alive or dead")
                .replaceAll("; [\\d,]+ bytes of the harness subtracted", "")
                .replaceAll("; the JVM's [\\d,]+ bytes for [^;]* set aside", "; the JVM's share")
                .replaceAll("\\n +at java\\..*|\\n +\\.\\.\\. \\d+ more", "")
                .replaceAll("walked in .*, longest pause [\\d.]+ ms", "walked")
                .replaceAll("[\\d.,]+ (?:B|KiB)\\b", "amount")
                .replaceAll("\\d+ samples", "samples");
    }

    private static String failureOf(Class<?> type) {
        List<Throwable> failures =
                EngineTestKit.engine("junit-jupiter")
                        .selectors(selectClass(type))
                        .execute()
                        .testEvents()
                        .failed()
                        .stream()
                        .map(event -> event.getRequiredPayload(TestExecutionResult.class))
                        .map(TestExecutionResult::getThrowable)
                        .flatMap(Optional::stream)
                        .toList();
        assertThat(failures).hasSize(1);
        return failures.get(0).getMessage();
    }
}
