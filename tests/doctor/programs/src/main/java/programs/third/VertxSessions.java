// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.third;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.SessionHandler;
import io.vertx.ext.web.sstore.LocalSessionStore;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import programs.more.Load;

/**
 * Healthy: each request to a Vert.x server begins a session with a basket, and the store drops a
 * session after fifteen seconds. Their number is steady from then on.
 */
public final class VertxSessions {

    private static final int REQUESTS_A_SECOND = 150;

    private static final long TIMEOUT_MILLIS = 15_000;

    private static long read;

    private final HttpClient client = HttpClient.newHttpClient();

    private static void show(RoutingContext context) {
        String[] basket = new String[150];
        for (int i = 0; i < basket.length; i++) {
            basket[i] = "piece " + i + " for " + context.request().path();
        }
        context.session().put("basket", basket);
        context.end(String.join("\n", basket));
    }

    private static HttpServer start(Vertx vertx, LocalSessionStore store) {
        Router router = Router.router(vertx);
        router.route().handler(SessionHandler.create(store).setSessionTimeout(TIMEOUT_MILLIS));
        router.route().handler(VertxSessions::show);
        return vertx.createHttpServer()
                .requestHandler(router)
                .listen(0, "localhost")
                .toCompletionStage()
                .toCompletableFuture()
                .join();
    }

    private int request(int port, int number) throws IOException, InterruptedException {
        URI page = URI.create("http://localhost:" + port + "/customers/" + number);
        return client.send(HttpRequest.newBuilder(page).build(), BodyHandlers.ofString())
                .body()
                .length();
    }

    public static void main(String... args) {
        Vertx vertx = Vertx.vertx();
        LocalSessionStore store = LocalSessionStore.create(vertx);
        int port = start(vertx, store).actualPort();
        VertxSessions load = new VertxSessions();
        Load.at(REQUESTS_A_SECOND, args, number -> read += load.request(port, number));
        int sessions = store.size().toCompletionStage().toCompletableFuture().join();
        System.out.println("read " + read + ", sessions " + sessions);
        System.exit(0);
    }
}
