// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import io.reactivex.rxjava3.disposables.Disposable;
import io.reactivex.rxjava3.subjects.PublishSubject;

/**
 * Each request subscribes to a bus of events. Arguments: seconds, requests per second, and {@code
 * keep} or {@code dispose}, which ends the subscription with the request.
 */
final class RxLeak {

    private static final PublishSubject<String> BUS = PublishSubject.create();

    private RxLeak() {}

    public static void main(String... args) {
        boolean disposes = args[2].equals("dispose");
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]),
                        number -> {
                            Garbage.make(200);
                            Disposable subscription = subscribe(number);
                            if (disposes) {
                                subscription.dispose();
                            }
                            if (number % 1_000 == 0) {
                                BUS.onNext("event " + number);
                            }
                        });
    }

    private static Disposable subscribe(int number) {
        byte[] page = new byte[24_000];
        return BUS.filter(event -> event.length() > number % 3)
                .map(String::length)
                .subscribe(length -> page[length] = 1);
    }
}
