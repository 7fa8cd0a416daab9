// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.SimpleApplicationEventMulticaster;

/** Each view registers a listener and never removes it. Arguments: seconds, views per second. */
final class ListenerLeak {

    private static final SimpleApplicationEventMulticaster EVENTS =
            new SimpleApplicationEventMulticaster();

    /** A view that shows prices. */
    private static final class View implements ApplicationListener<PayloadApplicationEvent<?>> {

        private final long[] prices = new long[2_500];

        @Override
        public void onApplicationEvent(PayloadApplicationEvent<?> event) {
            prices[0]++;
        }
    }

    private ListenerLeak() {}

    public static void main(String... args) {
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]),
                        number -> {
                            Garbage.make(200);
                            open();
                            if (number % 500 == 0) {
                                EVENTS.multicastEvent(
                                        new PayloadApplicationEvent<>("prices", number));
                            }
                        });
    }

    private static void open() {
        EVENTS.addApplicationListener(new View());
    }
}
