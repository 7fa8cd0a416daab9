// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;

/**
 * Reads and writes large JSON bodies, whose buffers stay below half a region of G1. Arguments:
 * seconds, bodies per second, orders in a body.
 */
final class JsonBodies {

    private static final ObjectMapper JSON = new ObjectMapper();

    private JsonBodies() {}

    public static void main(String... args) {
        ArrayNode orders = JSON.createArrayNode();
        for (int i = 0; i < Integer.parseInt(args[2]); i++) {
            orders.addObject().put("number", i).put("text", Garbage.text(100));
        }
        String body = orders.toString();
        Pace.of(args)
                .at(
                        Double.parseDouble(args[1]),
                        number -> {
                            JsonNode read = JSON.readTree(body);
                            Garbage.sink = JSON.writeValueAsBytes(read);
                        });
    }
}
