// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial.cases;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.collect.Interner;
import com.google.common.collect.Interners;
import com.google.common.eventbus.EventBus;
import com.google.common.eventbus.Subscribe;
import io.heapsampler.junit.NoLeaks;
import io.heapsampler.trial.Known;
import io.heapsampler.trial.Truth;
import io.heapsampler.trial.Unique;
import io.netty.buffer.PooledByteBufAllocator;
import io.reactivex.rxjava3.subjects.PublishSubject;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import org.agrona.collections.Int2IntHashMap;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.logging.log4j.ThreadContext;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import reactor.core.publisher.Sinks;

/** The usual mistakes with the usual libraries; one use per run. */
@NoLeaks
@Known(Truth.LEAK)
class LibraryLeaks {

    /** Receives events that are never sent. */
    public static final class Audience {

        /** Does nothing. */
        @Subscribe
        public void hear(String text) {}
    }

    private static final class Connections extends BasePooledObjectFactory<byte[]> {
        @Override
        public byte[] create() {
            return new byte[32];
        }

        @Override
        public PooledObject<byte[]> wrap(byte[] connection) {
            return new DefaultPooledObject<>(connection);
        }
    }

    private static final Interner<String> INTERNER = Interners.newStrongInterner();
    private static final EventBus BUS = new EventBus();
    private static final Cache<String, byte[]> CACHE = Caffeine.newBuilder().build();
    private static final PublishSubject<String> SUBJECT = PublishSubject.create();
    private static final Sinks.Many<String> SINK = Sinks.many().multicast().directBestEffort();
    private static final IntArrayList INTS = new IntArrayList();
    private static final Int2IntHashMap COUNTS = new Int2IntHashMap(-1);
    private static final GenericObjectPool<byte[]> POOL =
            new GenericObjectPool<>(new Connections());

    static {
        POOL.setMaxTotal(-1);
    }

    @Test
    void guavaStrongInterner() {
        INTERNER.intern(Unique.name());
    }

    @Test
    void guavaEventBus() {
        BUS.register(new Audience());
    }

    @Test
    void logbackLoggerPerName() {
        LoggerFactory.getLogger(Unique.name());
    }

    @Test
    void mdcKeyPerRequest() {
        MDC.put(Unique.name(), "yes");
    }

    @Test
    void mdcPushWithoutPop() {
        MDC.pushByKey("path", Unique.name());
    }

    @Test
    void log4jPushWithoutPop() {
        ThreadContext.push(Unique.name());
    }

    @Test
    void caffeineWithoutBound() {
        CACHE.put(Unique.name(), new byte[48]);
    }

    @Test
    void poolWithoutReturn() throws Exception {
        POOL.borrowObject();
    }

    @Test
    void rxWithoutDispose() {
        int[] state = new int[4];
        SUBJECT.filter(text -> !text.isEmpty()).subscribe(text -> state[0]++);
    }

    @Test
    void reactorWithoutDispose() {
        int[] state = new int[4];
        SINK.asFlux().filter(text -> !text.isEmpty()).subscribe(text -> state[0]++);
    }

    /** A chunk of 4 MiB has room for 64 of them. */
    @Test
    void nettyBuffersWithoutRelease() {
        for (int i = 0; i < 64; i++) {
            PooledByteBufAllocator.DEFAULT.heapBuffer(60_000);
        }
    }

    @Test
    void fastutilListThatGrows() {
        for (int i = 0; i < 200; i++) {
            INTS.add(i);
        }
    }

    @Test
    void agronaMapThatGrows() {
        for (int i = 0; i < 80; i++) {
            COUNTS.put(Unique.number(), i);
        }
    }
}
