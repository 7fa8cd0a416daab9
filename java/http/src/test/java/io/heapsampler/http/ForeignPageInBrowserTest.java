// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.heapsampler.support.Chromium;
import io.heapsampler.support.Until;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The headers of a real browser: a page of another server is refused, and its user is not. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ForeignPageInBrowserTest {

    private static final String GC = "/debug/heapsampler/top.txt?gc=1";
    private static final String WAIT = "/debug/pprof/allocs?seconds=1";
    private static final String DELTA = "/debug/pprof/delta_heap?";

    /** By what marks a request, its status. */
    private final Map<String, Integer> statuses = new ConcurrentHashMap<>();

    private final ExecutorService threads = Executors.newFixedThreadPool(8);
    private HttpServer endpoint;
    private HttpServer stranger;
    private Chromium browser;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        FakeSource.freshlySampled();
        HeapSamplerHandler handler =
                new HeapSamplerHandler(
                        EndpointOptions.builder()
                                .allowUnauthenticated()
                                .gcSpacing(Duration.ZERO)
                                .build());
        endpoint = server();
        endpoint.createContext(
                "/debug/",
                exchange -> {
                    handler.handle(exchange);
                    String query = exchange.getRequestURI().getRawQuery();
                    if (query != null) {
                        statuses.put(query.replaceAll(".*mark=", ""), exchange.getResponseCode());
                    }
                });
        endpoint.start();
        stranger = server();
        stranger.createContext(
                "/",
                exchange -> {
                    exchange.getResponseHeaders().set("Content-Type", "text/html");
                    exchange.sendResponseHeaders(200, 0);
                    exchange.getResponseBody().write(page().getBytes(StandardCharsets.UTF_8));
                    exchange.close();
                });
        stranger.start();
        browser = new Chromium(folder);
    }

    @AfterAll
    void stop() {
        browser.close();
        endpoint.stop(0);
        stranger.stop(0);
        threads.shutdownNow();
    }

    private HttpServer server() throws Exception {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        return server;
    }

    private String url(String target, String mark) {
        return "http://localhost:" + endpoint.getAddress().getPort() + target + "&mark=" + mark;
    }

    /** An image, a request of a script, and a frame, none of which says its referrer. */
    private String page() {
        return "<!DOCTYPE html><meta name=referrer content=no-referrer><img src=\""
                + url(GC, "image")
                + "\"><iframe src=\""
                + url(DELTA, "frame")
                + "\"></iframe><script>fetch('"
                + url(WAIT, "script")
                + "', {mode: 'no-cors'}).catch(() => {})</script><a id=away href=\""
                + url(GC, "link")
                + "\">away</a>";
    }

    private void awaitStatuses(int expected, String... marks) throws Exception {
        boolean areThere = Until.within(120, () -> statuses.keySet().containsAll(List.of(marks)));
        assertThat(areThere).as("%s, %s", statuses, browser.complaints()).isTrue();
        for (String mark : marks) {
            assertThat(statuses).as(mark).containsEntry(mark, expected);
        }
    }

    /**
     * Chromium itself keeps pages of other sites from this machine, but not those of other ports.
     */
    @Test
    void pageOfAnotherServerIsRefused() throws Exception {
        browser.open("http://localhost:" + stranger.getAddress().getPort() + "/");
        awaitStatuses(403, "image", "script", "frame");
        browser.click("#away");
        awaitStatuses(403, "link");
    }

    @Test
    void typedAddressIsServedAndSoIsTheOwnPage() throws Exception {
        browser.open(url(GC, "typed"));
        awaitStatuses(200, "typed");
        browser.open(url("/debug/heapsampler/?", "page"));
        awaitStatuses(200, "page");
        browser.run("fetch('" + url(WAIT, "own") + "')");
        awaitStatuses(200, "own");
    }
}
