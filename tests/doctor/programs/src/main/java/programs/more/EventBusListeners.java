// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import com.google.common.eventbus.EventBus;
import com.google.common.eventbus.Subscribe;

/**
 * Faulty: every screen registers with a Guava event bus when it opens, and no screen unregisters
 * when it closes.
 */
public final class EventBusListeners {

    private static final int SCREENS = 29_500;

    private final EventBus bus = new EventBus("prices");

    private long drawn;

    private record Price(int product, double value) {}

    private static final class Screen {
        private final double[] prices = new double[440];

        @Subscribe
        public void on(Price price) {
            prices[price.product() % prices.length] = price.value();
        }

        String draw() {
            StringBuilder text = new StringBuilder();
            for (double price : prices) {
                text.append(price).append(';');
            }
            return text.toString();
        }
    }

    private void open(int number) {
        Screen screen = new Screen();
        bus.register(screen);
        screen.on(new Price(number, number / 100.0));
        drawn += screen.draw().length();
    }

    /** Static, or the JVM would drop the bus after the last turn. */
    private static final EventBusListeners SHOP = new EventBusListeners();

    public static void main(String... args) {
        Load.spread(
                SCREENS,
                args,
                number -> {
                    SHOP.open(number);
                    if (number % 300 == 0) {
                        SHOP.bus.post(new Price(number, number / 10.0));
                    }
                });
        System.out.println("drawn " + SHOP.drawn);
    }
}
