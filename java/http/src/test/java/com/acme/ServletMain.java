// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package com.acme;

import io.heapsampler.http.EndpointOptions;
import io.heapsampler.http.HeapSamplerServer;
import io.heapsampler.http.HeapSamplerServlet;

/** Uses the servlet in a runtime without the JDK's server. */
public final class ServletMain {

    private ServletMain() {}

    public static void main(String[] arguments) {
        EndpointOptions options = EndpointOptions.builder().token("0123456789abcdef").build();
        HeapSamplerServlet servlet = new HeapSamplerServlet(options);
        System.out.println(servlet.getClass().getModule());
        System.out.println(ModuleLayer.boot().findModule("jdk.httpserver"));
        try {
            HeapSamplerServer.builder();
        } catch (UnsupportedOperationException e) {
            System.out.println(e.getMessage());
        }
    }
}
