// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import io.heapsampler.push.ProfilePush;
import io.opentelemetry.api.GlobalOpenTelemetry;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Scope;
import java.net.URI;
import java.time.Duration;

/**
 * An application under a tracing agent, which shares the context of threads and of the process. The native agent of
 * HeapSampler samples. Pushes OTLP to the address that is the argument, and prints the traces of its spans.
 */
class Traced {

    private static byte[] sink;

    public static void main(String[] args) throws Exception {
        Tracer tracer = GlobalOpenTelemetry.getTracer("shop");
        ProfilePush push =
                ProfilePush.otlp()
                        .endpoint(URI.create(args[0]))
                        .interval(Duration.ofSeconds(1))
                        .timeout(Duration.ofSeconds(30))
                        .closeTimeout(Duration.ofSeconds(30))
                        .start();
        long latest = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (push.status().delivered() < 4 && System.nanoTime() - latest < 0) {
            Span span = tracer.spanBuilder("GET /orders").startSpan();
            try (Scope scope = span.makeCurrent()) {
                for (int i = 0; i < 2_000; i++) {
                    sink = new byte[1_000];
                }
            } finally {
                span.end();
            }
            System.out.println("trace " + span.getSpanContext().getTraceId());
            Thread.sleep(100);
        }
        push.close();
        System.out.println("otlp " + push.status());
        System.exit(0); // threads of the tracer may go on
    }
}
