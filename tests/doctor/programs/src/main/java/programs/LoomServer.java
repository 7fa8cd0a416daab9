// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import com.sun.net.httpserver.HttpServer;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * A server with a virtual thread for each request, which waits and answers. Needs JDK 21.
 * Arguments: seconds, requests per second.
 */
final class LoomServer {

    private LoomServer() {}

    public static void main(String... args) throws Exception {
        // The class is compiled for JDK 17.
        ExecutorService threads =
                (ExecutorService)
                        Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.setExecutor(threads);
        server.createContext(
                "/",
                exchange -> {
                    try (OutputStream out = exchange.getResponseBody()) {
                        byte[] answer = Garbage.text(4_000).getBytes();
                        exchange.sendResponseHeaders(200, answer.length);
                        out.write(answer);
                    }
                });
        server.start();
        HttpClient client = HttpClient.newBuilder().executor(threads).build();
        URI uri = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/");
        HttpRequest request = HttpRequest.newBuilder(uri).build();
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]),
                        number -> {
                            for (int i = 0; i < 20; i++) {
                                threads.execute(LoomServer::waitAWhile);
                            }
                            Garbage.sink = client.send(request, BodyHandlers.ofString()).body();
                        });
        server.stop(0);
        threads.shutdownNow();
    }

    private static void waitAWhile() {
        try {
            byte[] kept = new byte[4_000];
            TimeUnit.MILLISECONDS.sleep(500);
            Garbage.sink = kept;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
