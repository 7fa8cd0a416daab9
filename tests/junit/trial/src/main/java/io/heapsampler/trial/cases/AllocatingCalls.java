// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial.cases;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.heapsampler.junit.NoAllocation;
import io.heapsampler.trial.Known;
import io.heapsampler.trial.Truth;
import io.heapsampler.trial.Unique;
import java.math.BigInteger;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Calls that allocate in each run, however often they have run and been compiled. */
@NoAllocation
@Known(Truth.ALLOCATES)
class AllocatingCalls {

    private static final String TEXT = "the quick brown fox";
    private static final List<Integer> LIST = new ArrayList<>(List.of(1, 2, 3, 4, 5));
    private static final Map<Integer, Integer> MAP = new HashMap<>();
    private static final BigInteger BIG = BigInteger.TWO.pow(200);
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static volatile Object sink;
    private static int turns;

    @Test
    void object() {
        sink = new Object();
    }

    @Test
    void concatenation() {
        sink = TEXT + turns++;
    }

    @Test
    void largeBox() {
        sink = Unique.number();
    }

    @Test
    void immutableList() {
        sink = List.of(turns++, TEXT);
    }

    @Test
    void stream() {
        sink = IntStream.range(0, 20).map(i -> i * turns++).toArray();
    }

    @Test
    void format() {
        sink = String.format("%d of %s", turns++, TEXT);
    }

    @Test
    void iteratorThatEscapes() {
        Iterator<Integer> iterator = LIST.iterator();
        sink = iterator;
    }

    @Test
    void lambdaThatCaptures() {
        int turn = turns++;
        IntSupplier supplier = () -> turn;
        sink = supplier;
    }

    @Test
    void split() {
        sink = TEXT.split(" ");
    }

    @Test
    void substring() {
        sink = TEXT.substring(1 + (turns++ & 3));
    }

    @Test
    void characters() {
        sink = TEXT.toCharArray();
    }

    @Test
    void date() {
        sink = LocalDate.ofEpochDay(turns++);
    }

    @Test
    void bigNumber() {
        sink = BIG.add(BigInteger.valueOf(turns++));
    }

    @Test
    void exception() {
        sink = new IllegalStateException(TEXT);
    }

    @Test
    void newEntry() {
        MAP.put(turns++, turns);
    }

    @Test
    void numberAsText() {
        sink = Integer.toString(Unique.number());
    }

    @Test
    void uuid() {
        sink = UUID.randomUUID();
    }

    @Test
    void copyOfAnArray() {
        sink = Arrays.copyOf(new int[] {1, 2}, 10 + (turns++ & 3));
    }

    @Test
    void future() {
        sink = CompletableFuture.completedFuture(TEXT).thenApply(String::length);
    }

    @Test
    void json() throws Exception {
        sink = MAPPER.readTree("{\"a\": 1}");
    }
}
