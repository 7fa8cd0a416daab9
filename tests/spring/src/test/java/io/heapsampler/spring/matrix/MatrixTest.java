// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring.matrix;

import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.heapsampler.spring.Client;
import io.heapsampler.spring.EndpointContract;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The same jar of the starter in executable jars: versions of Spring Boot, web frameworks, access,
 * and Spring Security with and without its check of CSRF tokens.
 */
class MatrixTest {

    private static final List<String> BOOTS = List.of("3.5.7", "4.0.7");
    private static final List<String> WEBS = List.of("servlet", "reactive");
    private static final List<String> ACCESSES =
            List.of("hidden", "none", "read-only", "unrestricted");
    private static final List<String> SECURITIES = List.of("off", "basic", "basic-without-csrf");

    /** What a change must pass; the other cells are for the long tier. */
    private static final String MERGE = "4.0.7-servlet-unrestricted-basic";

    private record Cell(String boot, String web, String access, String security) {

        @Override
        public String toString() {
            return String.join("-", boot, web, access, security);
        }

        boolean hasTokens() {
            return security.equals("basic");
        }

        /** The status of a POST without token; Spring MVC makes an error page of it. */
        int refused() {
            return hasTokens() && web.equals("servlet") ? 401 : 403;
        }

        List<String> arguments() {
            List<String> all = new ArrayList<>();
            all.add("--spring.main.web-application-type=" + web);
            all.add("--shop.security=" + security);
            if (!access.equals("hidden")) {
                all.add("--management.endpoints.web.exposure.include=heapsampler");
                all.add("--management.endpoint.heapsampler.access=" + access);
            }
            return Application.jar(boot, all);
        }
    }

    private static List<Cell> cells() {
        List<Cell> all = new ArrayList<>();
        for (String boot : BOOTS) {
            for (String web : WEBS) {
                for (String access : ACCESSES) {
                    for (String security : SECURITIES) {
                        all.add(new Cell(boot, web, access, security));
                    }
                }
            }
        }
        return all;
    }

    @TestFactory
    Stream<DynamicTest> cellsOfTheTier() {
        boolean isLong = System.getProperty("spring.tier").equals("long");
        String pattern = System.getProperty("spring.cells");
        PathMatcher glob = FileSystems.getDefault().getPathMatcher("glob:" + pattern);
        return cells().stream()
                .filter(cell -> isLong || !pattern.equals("*") || cell.toString().equals(MERGE))
                .filter(cell -> glob.matches(Path.of(cell.toString())))
                .map(cell -> dynamicTest(cell.toString(), () -> check(cell)));
    }

    private static void check(Cell cell) throws Exception {
        try (Application application = new Application(cell.arguments())) {
            String server = "http://localhost:" + application.port();
            Client client = new Client(server, "/actuator/heapsampler", true);
            if (!cell.security().equals("off")) {
                EndpointContract.isClosed(client.stranger());
            }
            switch (cell.access()) {
                case "read-only" -> {
                    EndpointContract.canBeRead(client);
                    EndpointContract.knowsItsHosts(client);
                    if (cell.hasTokens()) {
                        EndpointContract.hasNoToken(client, cell.refused());
                    } else {
                        EndpointContract.cannotBeChanged(client);
                    }
                }
                case "unrestricted" -> {
                    EndpointContract.canBeRead(client);
                    EndpointContract.knowsItsHosts(client);
                    EndpointContract.thePageCanChangeIt(client, cell.refused());
                    EndpointContract.theActuatorChangesNothing(
                            client, cell.hasTokens() ? cell.refused() : 405);
                    EndpointContract.neverCollects(client);
                }
                default -> EndpointContract.isHidden(client);
            }
            EndpointContract.requestsAreLabelled(client);
        }
    }
}
