// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package io.heapsampler.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CollectorThreadsTest {

    @TempDir private Path tasks;

    private CollectorThreads threads;

    @BeforeEach
    void make() {
        threads = new CollectorThreads(tasks);
    }

    private void thread(int id, String name, long runMillis, long waitedMillis) throws IOException {
        Path task = Files.createDirectories(tasks.resolve(Integer.toString(id)));
        Files.writeString(task.resolve("comm"), name + "\n");
        Files.writeString(
                task.resolve("schedstat"),
                runMillis * 1_000_000 + " " + waitedMillis * 1_000_000 + " 17\n");
    }

    private void end(int id) throws IOException {
        Path task = tasks.resolve(Integer.toString(id));
        Files.delete(task.resolve("comm"));
        Files.delete(task.resolve("schedstat"));
        Files.delete(task);
    }

    private void refresh(int times) {
        for (int i = 0; i < times; i++) {
            threads.refresh();
        }
    }

    private void assertSums(long runMillis, long waitedMillis) {
        assertThat(threads.run()).isEqualTo(nanos(runMillis));
        assertThat(threads.waited()).isEqualTo(nanos(waitedMillis));
    }

    private static long nanos(long millis) {
        return millis < 0 ? -1 : millis * 1_000_000;
    }

    @Test
    void nothingIsKnownWithoutTheFolder() throws IOException {
        threads = new CollectorThreads(tasks.resolve("none"));
        refresh(1);
        assertSums(-1, -1);
    }

    @Test
    void nothingIsKnownWithoutTheCounts() throws IOException {
        thread(1, "VM Thread", 5, 5);
        Files.delete(tasks.resolve("1").resolve("schedstat"));
        refresh(30);
        assertSums(-1, -1);
    }

    @Test
    void onlyThreadsThatCollectCount() throws IOException {
        String[] names = {"VM Thread", "GC Thread#0", "ZWorkerOld#1", "XWorker#0", "main"};
        for (int i = 0; i < names.length; i++) {
            thread(i, names[i], 100, 10);
        }
        refresh(1);
        for (int i = 0; i < names.length; i++) {
            thread(i, names[i], 101, 12);
        }
        refresh(1);
        assertSums(4, 8);
    }

    /** Its sums must not jump by what it did before in the second in which it is found. */
    @Test
    void aThreadThatIsFoundLateBeginsAtNothing() throws IOException {
        thread(1, "VM Thread", 7, 1);
        refresh(1);
        assertSums(0, 0);
        thread(2, "GC Thread#1", 5_000, 9_000);
        refresh(10);
        assertSums(0, 0);
        thread(2, "GC Thread#1", 5_003, 9_001);
        refresh(1);
        assertSums(3, 1);
    }

    /** Such as when the process has no file left to open. */
    @Test
    void aReadThatFailsLosesNothing() throws IOException {
        thread(1, "VM Thread", 1_000, 2_000);
        refresh(1);
        Path counts = tasks.resolve("1").resolve("schedstat");
        Files.delete(counts);
        Files.createDirectory(counts);
        refresh(25);
        assertSums(0, 0);
        Files.delete(counts);
        thread(1, "VM Thread", 1_004, 2_005);
        refresh(25);
        assertSums(4, 5);
    }

    @Test
    void whatAThreadThatEndedHasDoneStays() throws IOException {
        thread(1, "VM Thread", 0, 0);
        thread(2, "GC Thread#0", 0, 0);
        refresh(1);
        thread(2, "GC Thread#0", 10, 20);
        refresh(1);
        end(2);
        refresh(30);
        assertSums(10, 20);
    }

    /** The kernel gives the id of a thread that has ended to another one. */
    @Test
    void anotherThreadOfTheSameIdIsNotCounted() throws IOException {
        thread(1, "VM Thread", 0, 0);
        thread(2, "GC Thread#0", 50, 60);
        refresh(1);
        thread(2, "worker", 10, 20);
        refresh(1);
        thread(2, "worker", 900, 900);
        refresh(30);
        assertSums(0, 0);
    }

    /** Looking at the names of very many threads costs time and garbage. */
    @Test
    void aProcessOfManyThreadsIsLookedThroughRarely() throws IOException {
        for (int i = 0; i < 1_000; i++) {
            thread(i, "worker", 0, 0);
        }
        refresh(1);
        thread(1_000, "GC Thread#0", 0, 0);
        refresh(30);
        thread(1_000, "GC Thread#0", 10, 10);
        refresh(1);
        assertThat(threads.run()).isEqualTo(-1);
        refresh(80);
        thread(1_000, "GC Thread#0", 12, 10);
        refresh(1);
        assertThat(threads.run()).isEqualTo(nanos(2));
    }
}
