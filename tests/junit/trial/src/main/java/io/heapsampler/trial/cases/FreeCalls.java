// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial.cases;

import io.heapsampler.junit.NoAllocation;
import io.heapsampler.trial.Known;
import io.heapsampler.trial.Truth;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import it.unimi.dsi.fastutil.ints.Int2IntOpenHashMap;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntUnaryOperator;
import org.agrona.collections.Int2IntHashMap;
import org.junit.jupiter.api.Test;

/** Calls that allocate nothing, from the first on, except for what the JVM makes on a first run. */
@NoAllocation
@Known(Truth.FREE)
class FreeCalls {

    private static final int[] NUMBERS = {5, 3, 9, 1, 7, 2, 8};
    private static final String TEXT = "the quick brown fox";
    private static final String KEY = "brown";
    private static final Map<String, String> MAP = new HashMap<>(Map.of(KEY, TEXT));
    private static final Map<String, String> CONCURRENT = new ConcurrentHashMap<>(MAP);
    private static final List<String> LIST = new ArrayList<>(List.of(KEY, TEXT));
    private static final ArrayDeque<String> DEQUE = new ArrayDeque<>(LIST);
    private static final StringBuilder BUILDER = new StringBuilder(1_000);
    private static final AtomicLong ATOMIC = new AtomicLong();
    private static final LongAdder ADDER = new LongAdder();
    private static final ThreadLocal<String> LOCAL = ThreadLocal.withInitial(() -> TEXT);
    private static final ByteBuffer BUFFER = ByteBuffer.allocate(100);
    private static final BitSet BITS = new BitSet(200);
    private static final ReentrantLock LOCK = new ReentrantLock();
    private static final ByteBuf NETTY = Unpooled.buffer(100);
    private static final Int2IntHashMap AGRONA = new Int2IntHashMap(-1);
    private static final Int2IntOpenHashMap FASTUTIL = new Int2IntOpenHashMap();
    private static volatile long sink;

    static {
        AGRONA.put(7, 42);
        FASTUTIL.put(7, 42);
        LOCAL.get();
    }

    @Test
    void sumOfAnArray() {
        long sum = 0;
        for (int number : NUMBERS) {
            sum += Math.max(number, 4);
        }
        sink = sum;
    }

    @Test
    void sortedArray() {
        int[] numbers = NUMBERS;
        Arrays.sort(numbers);
        sink = Arrays.binarySearch(numbers, 7);
    }

    @Test
    void filledArray() {
        Arrays.fill(NUMBERS, 4);
        System.arraycopy(NUMBERS, 0, NUMBERS, 1, 3);
    }

    @Test
    void comparedText() {
        sink = TEXT.compareTo(KEY) + (TEXT.equals(KEY) ? 1 : 0) + TEXT.hashCode();
    }

    @Test
    void searchedText() {
        sink = TEXT.indexOf(KEY) + (TEXT.startsWith("the") ? 1 : 0) + TEXT.charAt(3);
    }

    @Test
    void regionOfText() {
        sink = TEXT.regionMatches(true, 10, "BROWN", 0, 5) ? 1 : 0;
    }

    @Test
    void numberFromText() {
        sink = Integer.parseInt("123456") + Long.parseLong("-9000000000");
    }

    @Test
    void smallBoxes() {
        Integer small = Integer.valueOf(100);
        sink = small + Character.valueOf('a') + (Boolean.valueOf(true) ? 1 : 0);
    }

    @Test
    void hashMapGet() {
        sink = MAP.get(KEY).length() + (MAP.containsKey("red") ? 1 : 0);
    }

    @Test
    void hashMapReplace() {
        sink = MAP.put(KEY, TEXT).length();
    }

    @Test
    void concurrentMapGet() {
        sink = CONCURRENT.get(KEY).length();
    }

    @Test
    void listByIndex() {
        long sum = 0;
        for (int i = 0; i < LIST.size(); i++) {
            sum += LIST.get(i).length();
        }
        sink = sum;
    }

    @Test
    void dequeThatTurns() {
        DEQUE.addLast(DEQUE.pollFirst());
    }

    @Test
    void builderWithRoom() {
        BUILDER.setLength(0);
        BUILDER.append(KEY).append(123_456).append('x').append(true);
        sink = BUILDER.length();
    }

    @Test
    void atomics() {
        sink = ATOMIC.incrementAndGet() + ATOMIC.getAndAdd(5);
    }

    @Test
    void adder() {
        ADDER.increment();
        sink = ADDER.sum();
    }

    @Test
    void threadLocal() {
        sink = LOCAL.get().length();
    }

    @Test
    void byteBuffer() {
        BUFFER.clear();
        BUFFER.putLong(7).putInt(8).flip();
        sink = BUFFER.getLong();
    }

    @Test
    void bitSet() {
        BITS.set(42);
        sink = BITS.nextSetBit(0) + BITS.cardinality();
    }

    @Test
    void lock() {
        LOCK.lock();
        try {
            sink++;
        } finally {
            LOCK.unlock();
        }
    }

    @Test
    void time() {
        sink = TimeUnit.NANOSECONDS.toMillis(System.nanoTime()) + System.currentTimeMillis();
    }

    @Test
    void lambdaThatCapturesNothing() {
        IntUnaryOperator twice = number -> 2 * number;
        sink = twice.applyAsInt(21);
    }

    @Test
    void nettyBuffer() {
        NETTY.clear();
        NETTY.writeLong(7).writeInt(8);
        sink = NETTY.readLong();
    }

    @Test
    void primitiveMaps() {
        sink = AGRONA.get(7) + FASTUTIL.get(7) + FASTUTIL.put(7, 42);
    }
}
