// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.heapsampler.support.Until;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;

/** Common parts of the tests of an endpoint without a server: its source and its clients. */
abstract class EndpointCase {

    static final String HEAP = "/debug/pprof/heap";
    static final String PAGE = "/debug/heapsampler/";

    final FakeSource source = new FakeSource();
    final HeapSamplerEndpoint open = endpoint(EndpointOptions.builder());
    final HeapSamplerEndpoint secured = endpoint(EndpointOptions.builder().token(Contract.TOKEN));

    /** Clients that ask at the same time. */
    final ExecutorService others = Executors.newCachedThreadPool();

    @AfterEach
    void end() {
        others.shutdownNow();
    }

    /** An endpoint whose seconds are short. */
    final HeapSamplerEndpoint endpoint(EndpointOptions.Builder options) {
        return new HeapSamplerEndpoint(options.second(Contract.SECOND).build(), source);
    }

    final void awaitCalls(int count) throws Exception {
        assertThat(Until.within(120, () -> source.calls.size() >= count)).isTrue();
    }

    static EndpointRequest request(String target) {
        return Asking.request("GET", target).header("Host", "localhost").build();
    }
}
