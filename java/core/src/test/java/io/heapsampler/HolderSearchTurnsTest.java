// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.heapsampler.internal.holders.HeldBlockWriter;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two searches at a time: one runs, the other waits or is refused. */
@Timeout(60)
class HolderSearchTurnsTest {

    private final FakeEngine engine = new FakeEngine();
    private final ProcessSampler sampler = new ProcessSampler(engine);

    HolderSearchTurnsTest() {
        HeldShot shot = new HeldShot();
        shot.live(shot.site("byte[]", "fill", 12), 30);
        shot.live(shot.site("com.acme.Order", "order", 20), 5);
        engine.block = shot.block();
        engine.holders =
                (samples, max) -> {
                    HeldBlockWriter writer = new HeldBlockWriter();
                    IntStream.of(samples)
                            .forEach(i -> writer.path(i, "static com.acme.Shop.open -> X"));
                    return writer.write();
                };
    }

    private HeldBy search(HeldByOptions options) {
        sampler.start(null);
        return sampler.heldBy(options);
    }

    /** Runs a search in another thread until it is inside the engine. */
    private Thread searching(CountDownLatch end) throws InterruptedException {
        CountDownLatch inside = new CountDownLatch(1);
        FakeEngine.Holders answer = engine.holders;
        engine.holders =
                (samples, max) -> {
                    inside.countDown();
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        throw new AssertionError(e);
                    }
                    engine.holders = answer;
                    return answer.answer(samples, max);
                };
        Thread thread = new Thread(() -> search(HeldByOptions.all()).total(), "first");
        thread.start();
        assertThat(inside.await(30, TimeUnit.SECONDS)).isTrue();
        return thread;
    }

    @Test
    void aSecondSearchIsRefusedAtOnceWhereItDoesNotWait() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        Thread first = searching(end);
        engine.takeCalls();

        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.heldBy(HeldByOptions.all().waitsForTurn(false)))
                .withMessage(
                        "Another search for holders is running in this process, and one runs at a"
                                + " time. Search later, or with waitsForTurn(true).");
        assertThat(engine.takeCalls()).as("a forced collection, for nothing").isEmpty();
        end.countDown();
        first.join();
        assertThat(search(HeldByOptions.all()).total().samples()).isEqualTo(35);
    }

    @Test
    void aSecondSearchWaitsForItsTurnAndThenRuns() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        Thread first = searching(end);
        AtomicInteger found = new AtomicInteger();
        Thread second =
                new Thread(
                        () ->
                                found.set(
                                        (int)
                                                sampler.heldBy(HeldByOptions.all())
                                                        .total()
                                                        .samples()),
                        "second");
        second.start();
        while (second.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        assertThat(found).hasValue(0);

        end.countDown();
        first.join();
        second.join();

        assertThat(found).hasValue(35);
    }

    @Test
    void aSecondSearchDoesNotWaitLongerThanItsTime() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        Thread first = searching(end);

        assertThatIllegalStateException()
                .isThrownBy(
                        () -> sampler.heldBy(HeldByOptions.all().maxTime(Duration.ofMillis(30))))
                .withMessage(
                        "Another search for holders is running in this process, and one runs at a"
                                + " time. This one waited for PT0.03S. Raise maxTime().");
        end.countDown();
        first.join();
    }

    @Test
    void anInterruptEndsTheWait() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        Thread first = searching(end);

        Thread.currentThread().interrupt();
        assertThatIllegalStateException()
                .isThrownBy(() -> sampler.heldBy(HeldByOptions.all()))
                .withMessage(
                        "The thread was interrupted while it waited for another search for holders."
                                + " Search again.");
        assertThat(Thread.interrupted()).isTrue();
        end.countDown();
        first.join();
    }

    @Test
    void anInterruptedThreadThatNeedNotWaitSearches() {
        sampler.start(null);
        Thread.currentThread().interrupt();

        assertThat(sampler.heldBy(HeldByOptions.all()).total().samples()).isEqualTo(35);
        assertThat(Thread.interrupted()).isTrue();
    }

    /** The engine returns null while a copy of the classes in another class loader searches. */
    @Test
    void aSearchOfAnotherCopyOfTheClassesCountsAsWell() {
        int[] left = {3};
        FakeEngine.Holders answer = engine.holders;
        engine.holders = (samples, max) -> left[0]-- > 0 ? null : answer.answer(samples, max);

        assertThat(search(HeldByOptions.all()).total().samples()).isEqualTo(35);
        left[0] = 1;
        assertThatIllegalStateException()
                .isThrownBy(() -> search(HeldByOptions.all().waitsForTurn(false)))
                .withMessageStartingWith("Another search for holders is running");
        left[0] = Integer.MAX_VALUE;
        assertThatIllegalStateException()
                .isThrownBy(() -> search(HeldByOptions.all().maxTime(Duration.ofMillis(50))))
                .withMessageEndingWith("This one waited for PT0.05S. Raise maxTime().");
    }

    @Test
    void snapshotsAreTakenWhileASearchRuns() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        Thread first = searching(end);

        assertThat(sampler.snapshot(SnapshotOptions.defaults()).sites()).hasSize(2);

        end.countDown();
        first.join();
    }
}
