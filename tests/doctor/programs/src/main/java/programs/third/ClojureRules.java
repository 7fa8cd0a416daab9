// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.third;

import clojure.java.api.Clojure;
import clojure.lang.IFn;
import programs.more.Load;

/**
 * Faulty: each contract defines its price rule as a Clojure function with a name of its own, and
 * the namespace keeps every function, with its classes and their loader.
 */
public final class ClojureRules {

    private static final int CONTRACTS = 3_000;

    private static double priced;

    private final IFn load = Clojure.var("clojure.core", "load-string");

    private ClojureRules() {
        load.invoke("(ns rules)");
    }

    private IFn define(int number) {
        String rule =
                "(in-ns 'rules)"
                        + "(defn rule-%1$d [amounts]"
                        + " (let [prices (map (fn [amount] (* amount %2$d)) amounts)"
                        + "       total (reduce + prices)]"
                        + "  (if (> total %3$d) (* total 0.9) (double total))))";
        load.invoke(String.format(rule, number, 10 + number % 90, 1_000 + number));
        return Clojure.var("rules", "rule-" + number);
    }

    private double price(int number) {
        IFn rule = define(number);
        Object amounts = Clojure.read("[" + number % 7 + " 2 3 5]");
        return (Double) rule.invoke(amounts);
    }

    public static void main(String... args) {
        ClojureRules shop = new ClojureRules();
        Load.spread(CONTRACTS, args, number -> priced += shop.price(number));
        System.out.println("priced " + priced);
    }
}
