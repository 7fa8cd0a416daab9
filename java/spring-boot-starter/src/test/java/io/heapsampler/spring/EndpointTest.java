// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import com.acme.shop.ShopApplication;
import io.heapsampler.HeapSampler;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The endpoint of a real application with Spring MVC and with WebFlux, over HTTP. */
class EndpointTest {

    private ConfigurableApplicationContext application;

    @AfterEach
    void stop() {
        application.close();
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

    @ParameterizedTest
    @EnumSource(names = {"SERVLET", "REACTIVE"})
    void nothingIsExposedByDefault(WebApplicationType type) throws Exception {
        Client client = start(type, "/actuator/heapsampler", "--shop.security=off");

        EndpointContract.isHidden(client);
        EndpointContract.requestsAreLabelled(
                client, "GET /goods/{id}", "scheduled com.acme.shop.ShopApplication");
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
        EndpointContract.cannotBeChanged(client);
        EndpointContract.neverCollects(client);
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
                "--management.server.port=0");
        Client client = new Client("http://localhost:" + port("management"), "/manage/heap", true);

        EndpointContract.isClosed(client.stranger());
        EndpointContract.canBeRead(client);
        EndpointContract.thePageCanChangeIt(client);
        EndpointContract.neverCollects(client);
    }
}
