// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package com.acme;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.DropCause;
import io.heapsampler.HeapFrame;
import io.heapsampler.HeapSampler;
import io.heapsampler.HeapSite;
import io.heapsampler.HeapSnapshot;
import io.heapsampler.SamplerOptions;
import io.heapsampler.export.ExportFormat;
import io.heapsampler.http.EndpointOptions;
import io.heapsampler.http.HeapSamplerServer;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Proxy;
import java.net.URI;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Allocations of HeapSampler's modules do not count; allocations of the application's code that
 * they call do. This package is none of HeapSampler's, on purpose.
 */
class OwnAllocationsTest {

    private static final Pattern JDK = Pattern.compile("(java|javax|jdk|sun|com\\.sun)\\..*");

    private static volatile Object sink;

    private static final int INTERVAL = 4_096;

    /** Elements, of 4 bytes at least: one is not sampled with a chance of less than e^-39. */
    private static final int LARGE = 40_000;

    private static final class InCallback {}

    @AfterEach
    void stop() {
        HeapSampler.stop();
        HeapSampler.reset();
    }

    private static void start() {
        HeapSampler.start(SamplerOptions.builder().interval(INTERVAL).build());
    }

    /**
     * Returns the class whose code allocated: the first one on the stack that is not of the JDK.
     */
    private static String allocator(HeapSite site) {
        return site.stack().stream()
                .map(HeapFrame::className)
                .filter(name -> !JDK.matcher(name).matches())
                .findFirst()
                .orElse("");
    }

    private static void assertOwnIsHidden(HeapSnapshot snapshot) {
        List<String> own =
                snapshot.sites().stream()
                        .map(OwnAllocationsTest::allocator)
                        .filter(name -> name.startsWith("io.heapsampler."))
                        .distinct()
                        .toList();
        assertThat(own).isEmpty();
        assertThat(snapshot.dropped().get(DropCause.OWN)).isPositive();
    }

    private static boolean has(HeapSnapshot snapshot, Class<?> type) {
        return snapshot.classes().stream().anyMatch(c -> c.className().equals(type.getTypeName()));
    }

    @Test
    void theServerDoesNotCountAndAnAuthenticatorDoes() throws Exception {
        EndpointOptions options =
                EndpointOptions.builder()
                        .authenticator(
                                request -> {
                                    sink = new InCallback[LARGE];
                                    return true;
                                })
                        .build();
        try (HeapSamplerServer server =
                HeapSamplerServer.builder()
                        .address(InetAddress.getLoopbackAddress())
                        .port(0)
                        .options(options)
                        .start()) {
            start();
            for (String path : List.of("debug/pprof/heap", "debug/heapsampler/top.json")) {
                URI address =
                        URI.create("http://localhost:" + server.address().getPort() + "/" + path);
                try (InputStream in =
                        address.toURL().openConnection(Proxy.NO_PROXY).getInputStream()) {
                    assertThat(in.readAllBytes()).isNotEmpty();
                }
            }
            HeapSnapshot snapshot = HeapSampler.snapshot();
            assertOwnIsHidden(snapshot);
            assertThat(has(snapshot, InCallback[].class)).isTrue();
        }
    }

    @Test
    void anExportDoesNotCountAndTheStreamThatItWritesToDoes() throws Exception {
        start();
        sink = new byte[100];
        HeapSnapshot exported = HeapSampler.snapshot();
        OutputStream out =
                new OutputStream() {
                    @Override
                    public void write(int b) {}

                    @Override
                    public void write(byte[] bytes, int offset, int length) {
                        sink = new InCallback[LARGE];
                    }
                };
        for (ExportFormat format : List.of(ExportFormat.PPROF, ExportFormat.JSON)) {
            exported.writeTo(out, format);
        }
        HeapSnapshot snapshot = HeapSampler.snapshot();
        assertOwnIsHidden(snapshot);
        assertThat(has(snapshot, InCallback[].class)).isTrue();
    }
}
