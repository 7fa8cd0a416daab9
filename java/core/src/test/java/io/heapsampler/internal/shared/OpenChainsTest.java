// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.internal.shared.OpenChains.Chain;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OpenChainsTest {

    private final OpenChains test = OpenChains.ofTest(false);

    @BeforeEach
    void bind() {
        test.bind();
    }

    @AfterEach
    void unbind() {
        OpenChains.rebind(null);
        test.close();
    }

    private static Chain begin() {
        return OpenChains.begin("a verdict");
    }

    @Test
    void saysWhereAChainBegan() {
        begin();

        assertThat(test.close())
                .singleElement()
                .asString()
                .matches(
                        "The assertion at"
                            + " io\\.heapsampler\\.internal\\.shared\\.OpenChainsTest\\.begin\\(OpenChainsTest\\.java:\\d+\\)"
                            + " ends without a verdict: end it with a verdict\\.");
    }

    @Test
    void judgedChainsAreForgotten() {
        for (int i = 0; i < 1000; i++) {
            assertThat(begin().judged()).isTrue();
        }
        assertThat(test.close()).isEmpty();
    }

    @Test
    void chainThatIsReopenedHasNoVerdict() {
        Chain chain = begin();
        assertThat(chain.judged()).isTrue();
        assertThat(chain.judged()).isFalse();
        chain.reopen();
        assertThat(test.close()).hasSize(1);
    }

    @Test
    void closedTestKeepsNothing() {
        Chain chain = begin();
        test.close();
        chain.reopen();
        begin();
        assertThat(test.close()).isEmpty();
    }

    @Test
    void threadsWithoutATestKeepNothing() throws InterruptedException {
        Chain[] made = new Chain[1];
        Thread other = new Thread(() -> made[0] = begin());
        other.start();
        other.join();

        assertThat(made[0]).isSameAs(Chain.NONE);
        assertThat(test.close()).isEmpty();
        assertThat(made[0].judged()).isFalse();
    }

    @Test
    void otherThreadsWorkForTheInnermostTestThatIsAlone() throws InterruptedException {
        OpenChains outer = OpenChains.ofTest(true);
        OpenChains inner = OpenChains.ofTest(true);
        Thread other = new Thread(OpenChainsTest::begin);
        other.start();
        other.join();

        assertThat(inner.close()).hasSize(1);
        Thread later = new Thread(OpenChainsTest::begin);
        later.start();
        later.join();
        assertThat(outer.close()).hasSize(1);
        assertThat(test.close()).isEmpty();
    }

    @Test
    void chainCanBeJudgedByAnotherThread() throws InterruptedException {
        Chain chain = begin();
        Thread other = new Thread(chain::judged);
        other.start();
        other.join();

        assertThat(test.close()).isEmpty();
    }

    @Test
    void testInsideATestHasItsOwn() {
        OpenChains inner = OpenChains.ofTest(false);
        OpenChains before = inner.bind();
        begin();
        OpenChains.rebind(before);
        begin().judged();

        assertThat(inner.close()).hasSize(1);
        assertThat(test.close()).isEmpty();
    }
}
