// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import com.google.gson.Gson;
import com.google.gson.JsonObject;

/** Writes and reads JSON. Arguments: seconds, requests per second. */
final class RoundTrips {

    private static final Gson GSON = new Gson();

    private RoundTrips() {}

    public static void main(String... args) {
        Pace.of(args).at(Double.parseDouble(args[1]), RoundTrips::trip);
    }

    private static void trip(int number) {
        JsonObject order = new JsonObject();
        for (int i = 0; i < 20; i++) {
            order.addProperty("field" + i, Garbage.text(60));
        }
        order.addProperty("number", number);
        JsonObject read = GSON.fromJson(GSON.toJson(order), JsonObject.class);
        Garbage.sink = read.get("number");
    }
}
