// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import freemarker.template.Configuration;
import groovy.lang.GroovyShell;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.store.ByteBuffersDirectory;
import org.apache.pdfbox.Loader;
import org.codehaus.janino.ExpressionEvaluator;
import org.openjdk.nashorn.api.scripting.NashornScriptEngineFactory;
import reactor.core.publisher.Flux;

/**
 * A healthy service that starts slowly, as on a processor that others use: one library after the
 * other is loaded, then the shop starts and serves. Arguments: seconds, requests per second,
 * seconds between two libraries.
 */
final class SlowStart {

    private static final List<Callable<?>> LIBRARIES =
            List.of(
                    () -> new GroovyShell().evaluate("[1, 2, 3].collect { it * 2 }.sum()"),
                    () -> new Configuration(Configuration.VERSION_2_3_34),
                    () -> new SimpleMeterRegistry().counter("started").count(),
                    () -> PooledByteBufAllocator.DEFAULT.directBuffer(100).release(),
                    SlowStart::index,
                    () -> Loader.loadPDF(PdfText.document(20, 45, 90)).getNumberOfPages(),
                    () ->
                            new ExpressionEvaluator(
                                    "1 + 2", int.class, new String[0], new Class<?>[0]),
                    () -> new NashornScriptEngineFactory().getScriptEngine().eval("[1, 2].length"),
                    () -> Flux.range(0, 1_000).map(i -> i * 2).collectList().block());

    private SlowStart() {}

    private static long index() throws Exception {
        try (IndexWriter writer =
                new IndexWriter(
                        new ByteBuffersDirectory(),
                        new IndexWriterConfig(new StandardAnalyzer()))) {
            return writer.commit();
        }
    }

    public static void main(String... args) throws Exception {
        long pause = Long.parseLong(args[2]);
        for (Callable<?> library : LIBRARIES) {
            Garbage.sink = library.call();
            TimeUnit.SECONDS.sleep(pause);
        }
        try (Boot boot = Boot.start(SpringShop.Service.class)) {
            long left = Pace.of(args).seconds() - pause * LIBRARIES.size();
            Pace.of(String.valueOf(left))
                    .at(
                            Double.parseDouble(args[1]),
                            number -> boot.get("/products?from=" + number % 1_000));
        }
    }
}
