// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

import com.sun.net.httpserver.HttpServer;
import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import io.heapsampler.http.EndpointOptions;
import io.heapsampler.http.HeapSamplerHandler;
import io.heapsampler.http.HeapSamplerServer;
import io.heapsampler.http.HeapSamplerServlet;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import org.apache.catalina.Context;
import org.apache.catalina.startup.Tomcat;

/** An application for Hostile.java to attack. Prints its port. */
class Target {

    private static final String USAGE =
            "usage: java Target.java server|handler|servlet <token or ->";
    private static final int THREADS = 8;
    private static final int DEPTH = 100;

    private static final List<byte[]> KEPT = new ArrayList<>();

    public static void main(String[] args) throws Exception {
        if (args.length != 2) {
            System.err.println(USAGE);
            System.exit(2);
        }
        HeapSampler.start(SamplerOptions.builder().interval(64 * 1024).maxOverhead(1).build());
        for (int i = 0; i < 1000; i++) {
            descend(DEPTH, i);
        }
        EndpointOptions.Builder options = EndpointOptions.builder();
        if (args[1].equals("-")) {
            options.allowUnauthenticated();
        } else {
            options.token(args[1]);
        }
        System.out.println(start(args[0], options.build()));
        System.in.read();
        System.exit(0);
    }

    /** Stacks that differ, so that an answer is larger than the buffers of a socket. */
    private static void descend(int depth, int path) {
        if (depth == 0) {
            KEPT.add(new byte[64 * 1024]);
        } else if ((path & 1) == 0) {
            descend(depth - 1, path >> 1);
        } else {
            descend(depth - 1, path >> 1);
        }
    }

    private static int start(String kind, EndpointOptions options) throws Exception {
        return switch (kind) {
            case "server" ->
                    HeapSamplerServer.builder()
                            .port(0)
                            .options(options)
                            .start()
                            .address()
                            .getPort();
            case "handler" -> handler(options);
            default -> servlet(options);
        };
    }

    private static int handler(EndpointOptions options) throws Exception {
        InetAddress local = InetAddress.getLoopbackAddress();
        HttpServer server = HttpServer.create(new InetSocketAddress(local, 0), 0);
        server.createContext("/debug", new HeapSamplerHandler(options));
        server.setExecutor(Executors.newFixedThreadPool(THREADS));
        server.start();
        return server.getAddress().getPort();
    }

    private static int servlet(EndpointOptions options) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir("build/http/tomcat");
        tomcat.setPort(0);
        Context context = tomcat.addContext("", null);
        Tomcat.addServlet(context, "heap", new HeapSamplerServlet(options));
        context.addServletMappingDecoded("/debug/*", "heap");
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        tomcat.start();
        return tomcat.getConnector().getLocalPort();
    }
}
