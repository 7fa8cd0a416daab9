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
import org.junit.jupiter.api.Test;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;

/** The failures that a developer would see; and that the README shows them as they are. */
class ExpectedFailuresTest {

    private static final Path README =
            Path.of(System.getProperty("readme.root", "../.."), "README.md");

    @Test
    void budgetIsExceeded() throws IOException {
        String message = failureOf(Failing.BudgetTest.class);

        System.out.println(message);
        assertThat(message)
                .startsWith("BudgetTest.aFormattedLineMakesLittle() allocated ")
                .contains("limit 256 bytes")
                .contains("at io.heapsampler.examples.shop.Receipt.formatted(Receipt.java:");
    }

    @Test
    void leakIsFoundAndTheReadmeShowsIt() throws IOException {
        String message = failureOf(Failing.VisitTest.class);

        System.out.println(message);
        assertThat(message)
                .startsWith("VisitTest.whoLeavesIsForgotten() leaks: 1 site leaves more than")
                .contains("at io.heapsampler.examples.shop.Shop.enter(Shop.java:");
        assertThat(Files.readString(README)).contains("```\n" + message + "\n```");
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
