// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples;

import io.heapsampler.HeapSampler;
import io.heapsampler.SamplerOptions;
import io.heapsampler.http.HeapSamplerServer;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A shop that serves orders, keeps the last 1,000 carts, and forgets to end the sessions of its
 * guests. Clients on the same machine can query where its memory goes.
 */
public final class Shop {

    private static final int CARTS = 1_000;

    private final Map<Integer, byte[]> carts =
            new LinkedHashMap<>() {
                private static final long serialVersionUID = 1L;

                @Override
                protected boolean removeEldestEntry(Map.Entry<Integer, byte[]> eldest) {
                    return size() > CARTS;
                }
            };
    private final Map<Integer, StringBuilder> sessions = new HashMap<>();

    private Shop() {}

    /**
     * Runs the shop.
     *
     * @param args port (6060) and seconds (3,600)
     * @throws Exception if the port is taken
     */
    public static void main(String[] args) throws Exception {
        int port = args.length > 0 ? Integer.parseInt(args[0]) : 6060;
        Duration time = Duration.ofSeconds(args.length > 1 ? Integer.parseInt(args[1]) : 3_600);
        HeapSampler.start(SamplerOptions.builder().interval(128 * 1024).build());
        try (HeapSamplerServer server = HeapSamplerServer.builder().port(port).start()) {
            System.out.println(
                    "http://localhost:" + server.address().getPort() + "/debug/heapsampler/");
            new Shop().serve(Instant.now().plus(time));
        }
    }

    private void serve(Instant end) throws InterruptedException {
        for (int guest = 0; Instant.now().isBefore(end); guest++) {
            openSession(guest);
            fillCart(guest);
            renderPage(guest);
            if (guest % 10 == 0) {
                Thread.sleep(1);
            }
        }
    }

    /** One session in a hundred is never closed. */
    private void openSession(int guest) {
        sessions.put(guest, new StringBuilder(500));
        if (guest % 100 != 0) {
            sessions.remove(guest);
        }
    }

    private void fillCart(int guest) {
        carts.put(guest, new byte[2_000]);
    }

    private static int renderPage(int guest) {
        StringBuilder page = new StringBuilder();
        for (int i = 0; i < 50; i++) {
            page.append("<li>article ").append(i).append(" for guest ").append(guest);
        }
        return page.toString().length();
    }
}
