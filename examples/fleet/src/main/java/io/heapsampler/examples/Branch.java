// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import io.heapsampler.http.HeapSamplerServer;
import io.heapsampler.push.ProfilePush;
import io.heapsampler.push.PushBuilder;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * A branch of a shop that has many. It pushes its profiles to an OpenTelemetry collector or to
 * Pyroscope, or waits to be scraped. Its basket leaks.
 */
public final class Branch {

    private final List<byte[]> baskets = new ArrayList<>();

    private Branch() {}

    /**
     * Runs the branch.
     *
     * @param args {@code otlp}, {@code pyroscope} or {@code scrape}; the address to push to, or the
     *     port to be scraped at; seconds (60)
     * @throws Exception if the port is taken
     */
    public static void main(String[] args) throws Exception {
        Duration time = Duration.ofSeconds(args.length > 2 ? Integer.parseInt(args[2]) : 60);
        HeapSampler.start(SamplerOptions.builder().interval(128 * 1024).build());
        switch (args[0]) {
            case "otlp" -> push(ProfilePush.otlp().endpoint(URI.create(args[1])), time);
            case "pyroscope" -> push(ProfilePush.pyroscope(URI.create(args[1])), time);
            case "scrape" -> scrape(Integer.parseInt(args[1]), time);
            default -> throw new IllegalArgumentException("otlp, pyroscope or scrape: " + args[0]);
        }
    }

    private static void push(PushBuilder<?> builder, Duration time) throws InterruptedException {
        ProfilePush push =
                builder.serviceName("shop")
                        .interval(Duration.ofSeconds(3))
                        .label("branch", "riga")
                        .start();
        new Branch().serve(time);
        push.close(); // a service does this in a shutdown hook
        System.out.println(push.status());
    }

    private static void scrape(int port, Duration time) throws Exception {
        try (HeapSamplerServer server = HeapSamplerServer.builder().port(port).start()) {
            System.out.println("http://localhost:" + server.address().getPort() + "/debug/pprof/");
            new Branch().serve(time);
        }
    }

    private void serve(Duration time) throws InterruptedException {
        long end = System.nanoTime() + time.toNanos();
        for (int guest = 0; System.nanoTime() - end < 0; guest++) {
            keepBasket();
            renderPage(guest);
            if (guest % 10 == 0) {
                Thread.sleep(1);
            }
        }
    }

    /** The leak. */
    private void keepBasket() {
        baskets.add(new byte[100]);
    }

    private static int renderPage(int guest) {
        StringBuilder page = new StringBuilder();
        for (int i = 0; i < 50; i++) {
            page.append("<li>article ").append(i).append(" for guest ").append(guest);
        }
        return page.toString().length();
    }
}
