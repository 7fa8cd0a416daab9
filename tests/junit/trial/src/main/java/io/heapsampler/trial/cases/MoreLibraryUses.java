// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial.cases;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.base.Splitter;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.EvictingQueue;
import com.google.common.collect.Multimap;
import com.google.common.hash.Hashing;
import com.google.common.util.concurrent.Futures;
import com.zaxxer.hikari.HikariDataSource;
import groovy.lang.GroovyClassLoader;
import io.heapsampler.junit.NoLeaks;
import io.heapsampler.trial.Known;
import io.heapsampler.trial.Truth;
import io.heapsampler.trial.Unique;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.Unpooled;
import io.netty.util.Recycler;
import io.reactivex.rxjava3.core.Observable;
import io.reactivex.rxjava3.disposables.CompositeDisposable;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.subjects.ReplaySubject;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.io.StringReader;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.concurrent.CompletableFuture;
import org.agrona.collections.Int2ObjectHashMap;
import org.agrona.collections.IntHashSet;
import org.apache.commons.collections4.map.LRUMap;
import org.apache.commons.collections4.map.ReferenceMap;
import org.apache.commons.collections4.queue.CircularFifoQueue;
import org.apache.commons.io.IOUtils;
import org.apache.commons.lang3.StringUtils;
import org.apache.commons.lang3.event.EventListenerSupport;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.Logger;
import org.codehaus.janino.SimpleCompiler;
import org.eclipse.collections.impl.list.mutable.FastList;
import org.jctools.queues.MpscArrayQueue;
import org.joda.time.DateTime;
import org.joda.time.DateTimeZone;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.springframework.util.ConcurrentReferenceHashMap;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

/** More uses of libraries of Maven Central that leave nothing behind. */
@NoLeaks
@Known(Truth.CLEAN)
class MoreLibraryUses {

    private static final class Reused {
        private final Recycler.Handle<Reused> handle;

        Reused(Recycler.Handle<Reused> handle) {
            this.handle = handle;
        }
    }

    private static final Recycler<Reused> RECYCLER =
            new Recycler<>() {
                @Override
                protected Reused newObject(Handle<Reused> handle) {
                    return new Reused(handle);
                }
            };
    private static final Multimap<String, Integer> MULTIMAP = ArrayListMultimap.create();
    private static final EvictingQueue<String> EVICTING = EvictingQueue.create(80);
    private static final Cache<Object, byte[]> WEAK = CacheBuilder.newBuilder().weakKeys().build();
    private static final AsyncCache<String, String> ASYNC =
            Caffeine.newBuilder().maximumSize(50).executor(Runnable::run).buildAsync();
    private static final LRUMap<String, byte[]> LRU = new LRUMap<>(200);
    private static final ReferenceMap<String, byte[]> REFERENCES = new ReferenceMap<>();
    private static final CircularFifoQueue<String> CIRCLE = new CircularFifoQueue<>(64);
    private static final EventListenerSupport<Runnable> SUPPORT =
            EventListenerSupport.create(Runnable.class);
    private static final ReplaySubject<Integer> LAST_TEN = ReplaySubject.createWithSize(10);
    private static final CompositeDisposable DISPOSABLES = new CompositeDisposable();
    private static final Sinks.Many<Integer> LATEST = Sinks.many().replay().limit(10);
    private static final MeterRegistry METERS = new SimpleMeterRegistry();
    private static final MetricRegistry METRICS = new MetricRegistry();
    private static final MpscArrayQueue<Integer> QUEUE = new MpscArrayQueue<>(64);
    private static final DefaultListableBeanFactory BEANS = new DefaultListableBeanFactory();
    private static final ConcurrentReferenceHashMap<Integer, byte[]> SPRING_WEAK =
            new ConcurrentReferenceHashMap<>(64, ConcurrentReferenceHashMap.ReferenceType.WEAK);
    private static final FastList<String> FAST = FastList.newList();
    private static final Long2ObjectOpenHashMap<String> LONGS = new Long2ObjectOpenHashMap<>();
    private static final Int2ObjectHashMap<String> INTS = new Int2ObjectHashMap<>();
    private static final IntHashSet NUMBERS = new IntHashSet();
    private static final ObjectNode TREE = new ObjectMapper().createObjectNode();
    private static final Logger LOGGER = LogManager.getLogger(MoreLibraryUses.class);
    private static final HikariDataSource SOURCE = new HikariDataSource();
    private static volatile Object sink;

    static {
        SOURCE.setJdbcUrl("jdbc:h2:mem:uses");
        SOURCE.setMaximumPoolSize(1);
        for (int i = 0; i < 500; i++) {
            EVICTING.add(Unique.name());
            LRU.put(Unique.name(), new byte[100]);
            CIRCLE.add(Unique.name());
            LAST_TEN.onNext(i);
            LATEST.tryEmitNext(i);
        }
    }

    @Test
    void guavaMultimapWithRemove() {
        String key = Unique.name();
        MULTIMAP.put(key, 1);
        MULTIMAP.removeAll(key);
    }

    @Test
    void fullEvictingQueue() {
        EVICTING.add(Unique.name());
    }

    @Test
    void guavaWeakKeys() {
        WEAK.put(new Object(), new byte[100]);
    }

    @Test
    void guavaHashAndSplit() {
        sink = Hashing.sha256().hashUnencodedChars(Unique.name()).bits();
        sink = Splitter.on('-').splitToList(Unique.name()).size();
    }

    @Test
    void guavaFuture() throws Exception {
        sink = Futures.immediateFuture(Unique.name()).get().length();
    }

    @Test
    void caffeineFutureThatCompletes() {
        ASYNC.put("key", CompletableFuture.completedFuture(Unique.name()));
    }

    @Test
    void fullLruMap() {
        LRU.put(Unique.name(), new byte[100]);
    }

    @Test
    void softReferenceMapOfOneKey() {
        REFERENCES.put("key", new byte[100]);
    }

    @Test
    void fullCircularQueue() {
        CIRCLE.add(Unique.name());
    }

    @Test
    void commonsListenerWithRemove() {
        int[] state = new int[1];
        Runnable listener = () -> state[0]++;
        SUPPORT.addListener(listener);
        SUPPORT.fire().run();
        SUPPORT.removeListener(listener);
    }

    @Test
    void commonsText() throws Exception {
        sink = StringUtils.reverse(Unique.name()).length();
        sink = IOUtils.toString(new StringReader(Unique.name())).length();
    }

    @Test
    void rxPipeline() {
        sink = Observable.range(0, 50).map(i -> i * 2).toList().blockingGet().size();
    }

    @Test
    void fullReplay() {
        LAST_TEN.onNext(Unique.number());
    }

    @Test
    void rxDisposableWithDelete() {
        Disposable disposable = Disposable.fromRunnable(() -> {});
        DISPOSABLES.add(disposable);
        DISPOSABLES.delete(disposable);
    }

    @Test
    void reactorMono() {
        sink = Mono.just(Unique.name()).map(String::length).block();
    }

    @Test
    void fullReactorReplay() {
        LATEST.tryEmitNext(Unique.number());
    }

    @Test
    void nettyUnpooled() {
        sink = Unpooled.buffer(500).writeLong(7).readLong();
    }

    @Test
    void nettyRecycler() {
        Reused reused = RECYCLER.get();
        reused.handle.recycle(reused);
    }

    @Test
    void micrometerFixedTags() {
        METERS.counter("logins", "kind", "web").increment();
    }

    @Test
    void metricsFixedName() {
        METRICS.counter("logins").inc();
    }

    @Test
    void log4jMessage() {
        LOGGER.info("{} logged in from {}", Unique.name(), 7);
    }

    /** Since 2.25 its registry holds loggers weakly. */
    @Test
    void log4jLoggerPerName() {
        sink = LogManager.getLogger(Unique.name()).getName().length();
    }

    @Test
    void groovyLoaderThatIsDropped() {
        sink = new GroovyClassLoader().parseClass("class C {}").getName();
    }

    @Test
    void janinoClassThatIsDropped() throws Exception {
        SimpleCompiler compiler = new SimpleCompiler();
        compiler.cook("public class Rule {}");
        sink = compiler.getClassLoader().loadClass("Rule").getName();
    }

    @Test
    void jctoolsQueueWithPoll() {
        QUEUE.offer(Unique.number());
        sink = QUEUE.poll();
    }

    @Test
    void springSingletonWithDestroy() {
        String name = Unique.name();
        BEANS.registerSingleton(name, new Object());
        BEANS.destroySingleton(name);
    }

    @Test
    void springWeakMap() {
        SPRING_WEAK.put(Unique.number(), new byte[100]);
        SPRING_WEAK.purgeUnreferencedEntries();
    }

    @Test
    void springExpression() {
        sink = new SpelExpressionParser().parseExpression("6 * 7").getValue();
    }

    /** H2 keeps up to 1,024 values in an array that it holds softly. */
    @Test
    void pooledConnection() throws Exception {
        try (Connection connection = SOURCE.getConnection();
                PreparedStatement statement = connection.prepareStatement("select ?")) {
            statement.setString(1, Unique.name());
            statement.executeQuery().close();
        }
    }

    @Test
    void jodaTime() {
        sink = new DateTime(Unique.number(), DateTimeZone.UTC).plusDays(1).toString().length();
    }

    @Test
    void eclipseListThatIsCleared() {
        FAST.add(Unique.name());
        FAST.clear();
    }

    @Test
    void fastutilMapWithRemove() {
        long key = Unique.number();
        LONGS.put(key, Unique.name());
        LONGS.remove(key);
    }

    @Test
    void agronaMapWithRemove() {
        int key = Unique.number();
        INTS.put(key, Unique.name());
        INTS.remove(key);
    }

    @Test
    void agronaSetWithRemove() {
        int number = Unique.number();
        NUMBERS.add(number);
        NUMBERS.remove(number);
    }

    @Test
    void jacksonTreeWithRemove() {
        String key = Unique.name();
        TREE.put(key, 1);
        TREE.remove(key);
    }
}
