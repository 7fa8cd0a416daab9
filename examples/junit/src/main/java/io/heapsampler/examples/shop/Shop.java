// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.examples.shop;

import java.util.ArrayList;
import java.util.List;

/** A shop that customers visit. */
public final class Shop {

    private final List<Basket> open = new ArrayList<>();

    /** What a customer has chosen. */
    public static final class Basket {

        private final byte[] items = new byte[2_000];

        /** Puts something into the basket. */
        public void add(int place, byte item) {
            items[place] = item;
        }
    }

    /** A customer comes in. */
    public Basket enter() {
        Basket basket = new Basket();
        open.add(basket);
        return basket;
    }

    /** The customer pays and leaves. */
    public void pay(Basket basket) {
        open.remove(basket);
    }

    /** The customer leaves without paying. The bug: the order is never removed. */
    public void leave(Basket basket) {
        basket.add(0, (byte) 0);
    }
}
