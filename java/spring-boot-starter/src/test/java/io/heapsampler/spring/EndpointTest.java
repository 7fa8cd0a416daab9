// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import static org.assertj.core.api.Assertions.assertThat;

import com.acme.shop.ShopApplication;
import io.heapsampler.HeapSampler;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The endpoint of a real application with Spring MVC and with WebFlux, over HTTP. */
class EndpointTest {

    private ConfigurableApplicationContext application;

    @AfterEach
    void stop() {
        if (application != null) {
            application.close();
        }
        HeapSampler.reset();
    }

    private Client start(WebApplicationType type, String base, String... more) {
        List<String> properties = new ArrayList<>();
        properties.add("--server.port=0");
        properties.add("--spring.main.banner-mode=off");
        properties.add("--spring.security.user.name=operator");
        properties.add("--spring.security.user.password=secret");
        properties.add("--heapsampler.max-overhead=1");
        properties.addAll(List.of(more));
        application =
                new SpringApplicationBuilder(ShopApplication.class)
                        .web(type)
                        .run(properties.toArray(String[]::new));
        return new Client("http://localhost:" + port("server"), base, true);
    }

    private int port(String of) {
        String name = "local." + of + ".port";
        return application.getEnvironment().getRequiredProperty(name, Integer.class);
    }

    /** Spring Security refuses a request; then Spring MVC refuses its error page to a stranger. */
    private static int refused(WebApplicationType type) {
        return type == WebApplicationType.SERVLET ? 401 : 403;
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void nothingIsExposedByDefault(WebApplicationType type) throws Exception {
        Client client = start(type, "/actuator/heapsampler", "--shop.security=off");

        EndpointContract.isHidden(client);
        EndpointContract.requestsAreLabelled(client);
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void anExposedEndpointIsReadOnly(WebApplicationType type) throws Exception {
        Client client =
                start(
                        type,
                        "/actuator/heapsampler",
                        "--shop.security=off",
                        "--management.endpoints.web.exposure.include=heapsampler");

        EndpointContract.canBeRead(client);
        EndpointContract.knowsItsHosts(client);
        EndpointContract.cannotBeChanged(client);
        EndpointContract.requestsAreLabelled(client);
    }

    /** Behind Spring Security with its check of CSRF tokens, on a port and a path of its own. */
    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void unrestrictedAccessIsForThePage(WebApplicationType type) throws Exception {
        start(
                type,
                "",
                "--shop.security=basic",
                "--management.endpoints.web.exposure.include=heapsampler",
                "--management.endpoint.heapsampler.access=unrestricted",
                "--management.endpoints.web.base-path=/manage",
                "--management.endpoints.web.path-mapping.heapsampler=heap",
                "--spring.mvc.hiddenmethod.filter.enabled=true",
                "--management.server.port=0");
        Client client = new Client("http://localhost:" + port("management"), "/manage/heap", true);

        EndpointContract.isClosed(client.stranger());
        EndpointContract.canBeRead(client);
        EndpointContract.knowsItsHosts(client);
        EndpointContract.thePageCanChangeIt(client, refused(type));
        EndpointContract.theActuatorChangesNothing(client, refused(type));
        EndpointContract.neverCollects(client);
    }

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void aReadOnlyPageHasNoToken(WebApplicationType type) throws Exception {
        Client client =
                start(
                        type,
                        "/actuator/heapsampler",
                        "--shop.security=basic",
                        "--management.endpoints.web.exposure.include=heapsampler");

        EndpointContract.hasNoToken(client, refused(type));
    }

    /** A filter that reads parameters has read the form of a POST. */
    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void formsThatAFilterHasReadArrive(WebApplicationType type) throws Exception {
        Client client =
                start(
                        type,
                        "/actuator/heapsampler",
                        "--shop.security=off",
                        "--spring.mvc.hiddenmethod.filter.enabled=true",
                        "--spring.webflux.hiddenmethod.filter.enabled=true",
                        "--heapsampler.endpoint.gc=true",
                        "--management.endpoints.web.exposure.include=heapsampler",
                        "--management.endpoint.heapsampler.access=unrestricted");

        EndpointContract.thePageCanChangeIt(client, 403);
        EndpointContract.theActuatorChangesNothing(client, 405);
        EndpointContract.collects(client);
    }

    /** Without a pattern of the application, the paths that clients send are no labels. */
    @Test
    void pathsOfClientsAreNoLabels() throws Exception {
        Client client =
                start(
                        WebApplicationType.SERVLET,
                        "/actuator/heapsampler",
                        "--shop.security=off",
                        "--spring.mvc.static-path-pattern=/*",
                        "--heapsampler.interval=1KB");

        for (int i = 0; i < 100; i++) {
            assertThat(client.getElsewhere("/nothing-" + i).statusCode()).isEqualTo(404);
        }
        EndpointContract.requestsAreLabelled(client);
    }

    @ParameterizedTest
    @CsvSource({"SERVLET,0", "REACTIVE,0", "SERVLET,", "REACTIVE,"})
    void startsWithoutTheAutoConfiguration(WebApplicationType type, String port) throws Exception {
        Client client =
                start(
                        type,
                        "",
                        "--shop.security=off",
                        "--spring.autoconfigure.exclude="
                                + HeapSamplerAutoConfiguration.class.getName(),
                        "--management.endpoints.web.exposure.include=*",
                        port == null ? "--unused" : "--management.server.port=" + port);

        assertThat(client.getElsewhere("/goods/1").statusCode()).isEqualTo(200);
        assertThat(client.get("/actuator/heapsampler/debug/pprof/").statusCode()).isEqualTo(404);
    }
}
