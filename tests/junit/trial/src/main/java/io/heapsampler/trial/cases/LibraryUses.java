// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.trial.cases;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.collect.Interner;
import com.google.common.collect.Interners;
import com.google.common.eventbus.EventBus;
import com.google.common.eventbus.Subscribe;
import groovy.lang.GroovyShell;
import io.heapsampler.junit.NoLeaks;
import io.heapsampler.trial.Known;
import io.heapsampler.trial.Truth;
import io.heapsampler.trial.Unique;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.reactivex.rxjava3.subjects.PublishSubject;
import it.unimi.dsi.fastutil.ints.IntArrayList;
import jakarta.xml.bind.JAXBContext;
import jakarta.xml.bind.annotation.XmlRootElement;
import java.io.StringWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.util.List;
import java.util.Map;
import org.agrona.collections.Int2IntHashMap;
import org.apache.commons.pool2.BasePooledObjectFactory;
import org.apache.commons.pool2.PooledObject;
import org.apache.commons.pool2.impl.DefaultPooledObject;
import org.apache.commons.pool2.impl.GenericObjectPool;
import org.apache.logging.log4j.ThreadContext;
import org.codehaus.janino.ExpressionEvaluator;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Sinks;

/** The usual uses of the usual libraries, as their manuals say. */
@NoLeaks
@Known(Truth.CLEAN)
class LibraryUses {

    /** Receives events that are never sent. */
    public static final class Audience {

        /** Does nothing. */
        @Subscribe
        public void hear(String text) {}
    }

    /** An order, as XML. */
    @XmlRootElement
    public static final class Order {

        /** Its name. */
        public String name = Unique.name();
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

    private static final Logger LOGGER = LoggerFactory.getLogger(LibraryUses.class);
    private static final Interner<String> INTERNER = Interners.newWeakInterner();
    private static final EventBus BUS = new EventBus();
    private static final Cache<String, byte[]> CACHE =
            Caffeine.newBuilder().maximumSize(100).executor(Runnable::run).build();
    private static final PublishSubject<String> SUBJECT = PublishSubject.create();
    private static final Sinks.Many<String> SINK = Sinks.many().multicast().directBestEffort();
    private static final IntArrayList INTS = new IntArrayList();
    private static final Int2IntHashMap COUNTS = new Int2IntHashMap(-1);
    private static final ObjectMapper MAPPER = new ObjectMapper();
    private static final GenericObjectPool<byte[]> POOL =
            new GenericObjectPool<>(new Connections());
    private static volatile Object sink;

    static {
        for (int i = 0; i < 1_000; i++) {
            CACHE.put(Unique.name(), new byte[500]);
        }
    }

    @Test
    void guavaWeakInterner() {
        INTERNER.intern(Unique.name());
    }

    @Test
    void guavaEventBus() {
        Audience audience = new Audience();
        BUS.register(audience);
        BUS.post("hello");
        BUS.unregister(audience);
    }

    @Test
    void fullCaffeineCache() {
        CACHE.put(Unique.name(), new byte[500]);
    }

    @Test
    void poolWithReturn() throws Exception {
        byte[] connection = POOL.borrowObject();
        POOL.returnObject(connection);
    }

    @Test
    void rxWithDispose() {
        int[] state = new int[4];
        SUBJECT.filter(text -> !text.isEmpty()).subscribe(text -> state[0]++).dispose();
    }

    @Test
    void reactorWithDispose() {
        int[] state = new int[4];
        SINK.asFlux().filter(text -> !text.isEmpty()).subscribe(text -> state[0]++).dispose();
    }

    @Test
    void reactorPipeline() {
        sink = Flux.range(0, 50).map(i -> i * 2).filter(i -> i % 3 == 0).collectList().block();
        sink = null;
    }

    @Test
    void nettyBufferWithRelease() {
        ByteBuf buffer = PooledByteBufAllocator.DEFAULT.heapBuffer(60_000);
        buffer.writeLong(7);
        buffer.release();
    }

    @Test
    void h2Connection() throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:");
                Statement statement = connection.createStatement()) {
            statement.execute("create table visits (visitor varchar)");
            statement.execute("insert into visits values ('" + Unique.name() + "')");
        }
    }

    @Test
    void jacksonRoundTrip() throws Exception {
        String text = MAPPER.writeValueAsString(Map.of("name", Unique.name(), "lines", List.of(1)));
        sink = MAPPER.readTree(text).size();
    }

    @Test
    void jacksonMapperPerCall() throws Exception {
        sink = new ObjectMapper().readValue("[1, 2, 3]", List.class).size();
    }

    @Test
    void jaxb() throws Exception {
        StringWriter out = new StringWriter();
        JAXBContext.newInstance(Order.class).createMarshaller().marshal(new Order(), out);
        sink = out.toString().length();
    }

    /** Groovy keeps what it knows of classes softly. */
    @Test
    @Known(Truth.SOFT)
    void groovyShell() {
        sink = new GroovyShell().evaluate("6 * 7").hashCode();
    }

    @Test
    void janino() throws Exception {
        ExpressionEvaluator evaluator = new ExpressionEvaluator();
        evaluator.setParameters(new String[] {"a"}, new Class<?>[] {int.class});
        evaluator.setExpressionType(int.class);
        evaluator.cook("a + 1");
        sink = evaluator.evaluate(new Object[] {6});
    }

    @Test
    void logMessage() {
        LOGGER.info("{} logged in from {}", Unique.name(), 7);
    }

    @Test
    void mdcWithRemove() {
        try (MDC.MDCCloseable user = MDC.putCloseable("user", Unique.name())) {
            LOGGER.info("hello");
        }
    }

    @Test
    void log4jPushWithPop() {
        ThreadContext.push(Unique.name());
        ThreadContext.pop();
    }

    @Test
    void fastutilListThatIsCleared() {
        for (int i = 0; i < 200; i++) {
            INTS.add(i);
        }
        INTS.clear();
    }

    @Test
    void agronaMapWithRemove() {
        int key = Unique.number();
        COUNTS.put(key, 1);
        COUNTS.remove(key);
    }
}
