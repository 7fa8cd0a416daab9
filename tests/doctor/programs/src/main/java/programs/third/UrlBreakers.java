// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.third;

import io.github.resilience4j.circuitbreaker.CircuitBreaker;
import io.github.resilience4j.circuitbreaker.CircuitBreakerRegistry;
import java.util.Random;
import programs.more.Load;

/**
 * Faulty: each call of the stock service has a circuit breaker of Resilience4j with the name of its
 * URL, which contains the number of the order, and the registry keeps each breaker.
 */
public final class UrlBreakers {

    private static final int CALLS = 19_000;

    private static final UrlBreakers SERVICE = new UrlBreakers();

    private static long read;

    private final CircuitBreakerRegistry breakers = CircuitBreakerRegistry.ofDefaults();

    private final Random random = new Random(1);

    private String fetch(String url) {
        if (random.nextInt(50) == 0) {
            throw new IllegalStateException("503 from " + url);
        }
        StringBuilder answer = new StringBuilder();
        for (int i = 0; i < 300; i++) {
            answer.append("item ").append(i).append(" of ").append(url).append('\n');
        }
        return answer.toString();
    }

    private int call(int number) {
        String url = "https://stock.example/orders/" + number + "/items";
        CircuitBreaker breaker = breakers.circuitBreaker(url);
        try {
            return breaker.executeSupplier(() -> fetch(url)).length();
        } catch (IllegalStateException e) {
            return 0;
        }
    }

    public static void main(String... args) {
        Load.spread(CALLS, args, number -> read += SERVICE.call(number));
        System.out.println(
                "read " + read + ", breakers " + SERVICE.breakers.getAllCircuitBreakers().size());
    }
}
