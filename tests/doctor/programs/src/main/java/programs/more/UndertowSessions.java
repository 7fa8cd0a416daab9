// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import io.undertow.Handlers;
import io.undertow.Undertow;
import io.undertow.server.HttpServerExchange;
import io.undertow.server.session.InMemorySessionManager;
import io.undertow.server.session.Session;
import io.undertow.server.session.SessionAttachmentHandler;
import io.undertow.server.session.SessionCookieConfig;
import io.undertow.util.Sessions;

import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;

/**
 * Faulty: a health check that sends no cookies gets a new HTTP session with each request, and a
 * session stays for half an hour.
 */
public final class UndertowSessions {

    private static final int REQUESTS = 15_000;

    private static long read;

    private static void handle(HttpServerExchange exchange) {
        Session session = Sessions.getOrCreateSession(exchange);
        session.setAttribute("basket", basket(session.getId()));
        exchange.getResponseSender().send("well: " + session.getId());
    }

    private static List<String> basket(String owner) {
        List<String> basket = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            basket.add("offer " + i + " for " + owner);
        }
        return basket;
    }

    public static void main(String... args) throws Exception {
        Undertow server =
                Undertow.builder()
                        .addHttpListener(0, "localhost")
                        .setIoThreads(1)
                        .setWorkerThreads(2)
                        .setHandler(
                                new SessionAttachmentHandler(
                                        Handlers.path(UndertowSessions::handle),
                                        new InMemorySessionManager("shop"),
                                        new SessionCookieConfig()))
                        .build();
        server.start();
        int port = ((InetSocketAddress) server.getListenerInfo().get(0).getAddress()).getPort();
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest check =
                HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/")).build();
        Load.spread(
                REQUESTS,
                args,
                number -> read += client.send(check, BodyHandlers.ofString()).body().length());
        System.out.println("read " + read);
        System.exit(0);
    }
}
