// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package programs;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Logins keep their profile in a map. Arguments: seconds, logins per second, and {@code leak} (no
 * session ends) or {@code clear} (all sessions end every ten seconds).
 */
final class SessionLeak {

    private static final Map<String, JsonNode> SESSIONS = new ConcurrentHashMap<>();
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int FIELDS = 12;

    private SessionLeak() {}

    public static void main(String... args) {
        int rate = Integer.parseInt(args[1]);
        boolean ends = args[2].equals("clear");
        Pace.of(args)
                .at(
                        rate,
                        number -> {
                            Garbage.make(32);
                            login(number);
                            if (ends && number % (10 * rate) == 0) {
                                SESSIONS.clear();
                            }
                        });
        System.out.println("sessions: " + SESSIONS.size());
    }

    private static void login(int number) throws Exception {
        SESSIONS.put("session-" + number, JSON.readTree(request(number)));
    }

    private static String request(int number) {
        ObjectNode body = JSON.createObjectNode().put("user", number);
        for (int i = 0; i < FIELDS; i++) {
            body.put("field" + i, Garbage.text(80));
        }
        return body.toString();
    }
}
