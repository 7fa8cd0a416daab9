// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.more;

import com.google.common.eventbus.EventBus;
import com.google.common.eventbus.Subscribe;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Sick: every screen registers with a Guava event bus when it opens, and no screen unregisters when
 * it closes.
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

    public static void main(String[] args) {
        double seconds = Double.parseDouble(args[0]);
        EventBusListeners shop = new EventBusListeners();
        long start = System.nanoTime();
        long step = (long) (seconds * TimeUnit.SECONDS.toNanos(1) / SCREENS);
        for (int i = 0; i < SCREENS; i++) {
            shop.open(i);
            if (i % 300 == 0) {
                shop.bus.post(new Price(i, i / 10.0));
            }
            LockSupport.parkNanos(start + i * step - System.nanoTime());
        }
        System.out.println("drawn " + shop.drawn);
    }
}
