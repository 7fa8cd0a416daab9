// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial.cases;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.cache.Cache;
import com.google.common.cache.CacheBuilder;
import com.google.common.collect.ArrayListMultimap;
import com.google.common.collect.HashBasedTable;
import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multimap;
import com.google.common.collect.Multiset;
import com.google.common.collect.Table;
import com.google.common.util.concurrent.MoreExecutors;
import com.google.common.util.concurrent.SettableFuture;
import groovy.lang.GroovyClassLoader;
import io.heapsampler.junit.NoLeaks;
import io.heapsampler.trial.Known;
import io.heapsampler.trial.Truth;
import io.heapsampler.trial.Unique;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.util.AttributeKey;
import io.netty.util.HashedWheelTimer;
import io.netty.util.concurrent.DefaultPromise;
import io.netty.util.concurrent.ImmediateEventExecutor;
import io.reactivex.rxjava3.disposables.CompositeDisposable;
import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.subjects.ReplaySubject;
import it.unimi.dsi.fastutil.longs.Long2ObjectOpenHashMap;
import java.io.File;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.agrona.collections.Int2ObjectHashMap;
import org.apache.commons.collections4.multimap.ArrayListValuedHashMap;
import org.apache.commons.io.FileCleaningTracker;
import org.apache.commons.lang3.event.EventListenerSupport;
import org.apache.commons.pool2.BaseKeyedPooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericKeyedObjectPool;
import org.apache.logging.log4j.MarkerManager;
import org.codehaus.janino.SimpleCompiler;
import org.eclipse.collections.impl.list.mutable.FastList;
import org.eclipse.collections.impl.map.mutable.UnifiedMap;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.junit.jupiter.api.Test;
import org.slf4j.MarkerFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.ApplicationListener;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import reactor.core.Disposables;
import reactor.core.publisher.Sinks;

/** More mistakes with libraries of Maven Central; one use per run. */
@NoLeaks
@Known(Truth.LEAK)
class MoreLibraryLeaks {

    private static final class Pools extends BaseKeyedPooledObjectFactory<String, byte[]> {
        @Override
        public byte[] create(String key) {
            return new byte[32];
        }

        @Override
        public PooledObject<byte[]> wrap(byte[] connection) {
            return new DefaultPooledObject<>(connection);
        }
    }

    private static final Object FOREVER = new Object();
    private static final Multimap<String, Integer> MULTIMAP = ArrayListMultimap.create();
    private static final Table<String, String, Integer> TABLE = HashBasedTable.create();
    private static final Multiset<String> MULTISET = HashMultiset.create();
    private static final Cache<String, String> GUAVA_CACHE = CacheBuilder.newBuilder().build();
    private static final SettableFuture<String> NEVER = SettableFuture.create();
    private static final AsyncCache<String, String> ASYNC = Caffeine.newBuilder().buildAsync();
    private static final ArrayListValuedHashMap<String, String> VALUES =
            new ArrayListValuedHashMap<>();
    private static final EventListenerSupport<Runnable> SUPPORT =
            EventListenerSupport.create(Runnable.class);
    private static final FileCleaningTracker TRACKER = new FileCleaningTracker();
    private static final GenericKeyedObjectPool<String, byte[]> POOLS =
            new GenericKeyedObjectPool<>(new Pools());
    private static final ReplaySubject<Integer> REPLAYED = ReplaySubject.create();
    private static final CompositeDisposable DISPOSABLES = new CompositeDisposable();
    private static final Sinks.Many<Integer> SINK = Sinks.many().replay().all();
    private static final reactor.core.Disposable.Composite OF_REACTOR = Disposables.composite();
    private static final HashedWheelTimer WHEEL = new HashedWheelTimer();
    private static final DefaultPromise<String> PROMISE =
            new DefaultPromise<>(ImmediateEventExecutor.INSTANCE);
    private static final MeterRegistry METERS = new SimpleMeterRegistry();
    private static final MetricRegistry METRICS = new MetricRegistry();
    private static final GroovyClassLoader GROOVY = new GroovyClassLoader();
    private static final List<Class<?>> COMPILED = new ArrayList<>();
    private static final MpscUnboundedArrayQueue<Integer> QUEUE = new MpscUnboundedArrayQueue<>(64);
    private static final DefaultListableBeanFactory BEANS = new DefaultListableBeanFactory();
    private static final SimpleApplicationEventMulticaster EVENTS =
            new SimpleApplicationEventMulticaster();
    private static final ListAppender<ILoggingEvent> APPENDER = new ListAppender<>();
    private static final FastList<String> FAST = FastList.newList();
    private static final UnifiedMap<String, String> UNIFIED = UnifiedMap.newMap();
    private static final Long2ObjectOpenHashMap<String> LONGS = new Long2ObjectOpenHashMap<>();
    private static final Int2ObjectHashMap<String> INTS = new Int2ObjectHashMap<>();
    private static final ObjectNode TREE = new ObjectMapper().createObjectNode();
    private static final Statement STATEMENT;

    static {
        APPENDER.start();
        POOLS.setMaxTotal(-1);
        try {
            Connection connection = DriverManager.getConnection("jdbc:h2:mem:leaks");
            STATEMENT = connection.createStatement();
            STATEMENT.execute("create table visits (visitor varchar)");
        } catch (SQLException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @Test
    void guavaMultimap() {
        MULTIMAP.put(Unique.name(), 1);
    }

    @Test
    void guavaTable() {
        TABLE.put("row", Unique.name(), 1);
    }

    @Test
    void guavaMultiset() {
        MULTISET.add(Unique.name());
    }

    @Test
    void guavaCacheWithoutBound() {
        GUAVA_CACHE.put(Unique.name(), "");
    }

    @Test
    void guavaListenerOfAFuture() {
        NEVER.addListener(() -> {}, MoreExecutors.directExecutor());
    }

    @Test
    void caffeineFutureThatNeverCompletes() {
        ASYNC.put(Unique.name(), new CompletableFuture<>());
    }

    @Test
    void commonsMultimap() {
        VALUES.put("all", Unique.name());
    }

    @Test
    void commonsListener() {
        int[] state = new int[1];
        SUPPORT.addListener(() -> state[0]++);
    }

    @Test
    void commonsFileTracker() {
        TRACKER.track(new File(Unique.name()), FOREVER);
    }

    @Test
    void poolPerKey() throws Exception {
        String key = Unique.name();
        POOLS.returnObject(key, POOLS.borrowObject(key));
    }

    @Test
    void rxReplay() {
        REPLAYED.onNext(Unique.number());
    }

    @Test
    void rxDisposables() {
        DISPOSABLES.add(Disposable.fromRunnable(() -> {}));
    }

    @Test
    void reactorReplay() {
        SINK.tryEmitNext(Unique.number());
    }

    @Test
    void reactorDisposables() {
        int[] state = new int[1];
        OF_REACTOR.add(() -> state[0]++);
    }

    @Test
    void nettyAttributeKeys() {
        AttributeKey.valueOf(Unique.name());
    }

    @Test
    void nettyTimeout() {
        WHEEL.newTimeout(timeout -> {}, 3, TimeUnit.HOURS);
    }

    @Test
    void nettyListenerOfAPromise() {
        int[] state = new int[1];
        PROMISE.addListener(future -> state[0]++);
    }

    @Test
    void micrometerTagPerUser() {
        METERS.counter("logins", "user", Unique.name()).increment();
    }

    @Test
    void metricsNamePerUser() {
        METRICS.counter(Unique.name()).inc();
    }

    @Test
    void log4jMarkerPerName() {
        MarkerManager.getMarker(Unique.name());
    }

    @Test
    void slf4jMarkerPerName() {
        MarkerFactory.getMarker(Unique.name());
    }

    @Test
    void groovyLoaderThatKeepsItsClasses() {
        GROOVY.parseClass("class C" + Unique.number() + " {}");
    }

    @Test
    void janinoClassesThatAreKept() throws Exception {
        SimpleCompiler compiler = new SimpleCompiler();
        compiler.cook("public class Rule {}");
        COMPILED.add(compiler.getClassLoader().loadClass("Rule"));
    }

    @Test
    void jctoolsQueue() {
        QUEUE.offer(Unique.number());
    }

    @Test
    void springSingletonPerName() {
        BEANS.registerSingleton(Unique.name(), new Object());
    }

    @Test
    void springListener() {
        int[] state = new int[1];
        EVENTS.addApplicationListener((ApplicationListener<?>) event -> state[0]++);
    }

    @Test
    void h2Rows() throws SQLException {
        STATEMENT.execute("insert into visits values ('" + Unique.name() + "')");
    }

    @Test
    void logbackListOfEvents() {
        APPENDER.doAppend(new LoggingEvent());
    }

    @Test
    void eclipseList() {
        FAST.add(Unique.name());
    }

    @Test
    void eclipseMap() {
        UNIFIED.put(Unique.name(), "");
    }

    @Test
    void fastutilMap() {
        LONGS.put(Unique.number(), Unique.name());
    }

    @Test
    void agronaMap() {
        INTS.put(Unique.number(), Unique.name());
    }

    @Test
    void jacksonTree() {
        TREE.put(Unique.name(), 1);
    }
}
