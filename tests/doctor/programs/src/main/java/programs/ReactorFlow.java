// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import java.time.Duration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** Pipelines of Reactor with windows and retries. Arguments: seconds, pipelines per second. */
final class ReactorFlow {

    private ReactorFlow() {}

    public static void main(String... args) {
        Pace.of(args).at(Double.parseDouble(args[1]), ReactorFlow::flow);
        Schedulers.shutdownNow();
    }

    private static void flow(int number) {
        Garbage.sink =
                Flux.range(0, 200)
                        .window(20)
                        .flatMap(
                                window ->
                                        window.map(i -> Garbage.text(200) + i)
                                                .filter(text -> text.hashCode() % 3 != 0)
                                                .collectList())
                        .publishOn(Schedulers.parallel())
                        .flatMap(list -> Mono.just(list.size()))
                        .reduce(number, Integer::sum)
                        .timeout(Duration.ofSeconds(10))
                        .block();
    }
}
