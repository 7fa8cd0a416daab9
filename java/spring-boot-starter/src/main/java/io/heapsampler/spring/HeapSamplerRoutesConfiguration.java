// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import io.heapsampler.http.EndpointOptions;
import io.heapsampler.http.HeapSamplerEndpoint;
import java.util.Map;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.EndpointId;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.servlet.DispatcherServlet;

/**
 * All addresses below the endpoint {@code heapsampler}, such as {@code
 * /actuator/heapsampler/debug/pprof/allocs}, on the port of the actuator. Spring's dispatcher calls
 * them, so filters and Spring Security have let a request pass before. They exist where the bean of
 * the endpoint does, in this context or, with a port of the actuator, in its parent.
 */
@ManagementContextConfiguration(proxyBeanMethods = false)
@ConditionalOnProperty(prefix = "heapsampler", name = "enabled", matchIfMissing = true)
@ConditionalOnAvailableEndpoint(
        endpoint = HeapSamplerActuatorEndpoint.class,
        exposure = EndpointExposure.WEB)
@ConditionalOnBean(HeapSamplerActuatorEndpoint.class)
class HeapSamplerRoutesConfiguration {

    /** Before the handlers of the actuator's own addresses, whose order is -100. */
    private static final int ORDER = -110;

    private static final EndpointId ID = EndpointId.of(HeapSamplerActuatorEndpoint.ID);

    /** The application and Spring Security decide which clients get here. */
    @Bean
    HeapSamplerRoutes heapSamplerRoutes(
            HeapSamplerProperties properties,
            EndpointAccessResolver access,
            PathMappedEndpoints paths) {
        boolean isReadOnly = access.accessFor(ID, Access.READ_ONLY) != Access.UNRESTRICTED;
        EndpointOptions.Builder options =
                EndpointOptions.builder()
                        .allowUnauthenticated()
                        .metricsLabel(EndpointLabels.KEY)
                        .host(properties.endpoint().hosts().toArray(String[]::new));
        if (isReadOnly) {
            options.readOnly();
        }
        if (!properties.endpoint().gc()) {
            options.neverGc();
        }
        return new HeapSamplerRoutes(
                new HeapSamplerEndpoint(options.build()), paths.getPath(ID), isReadOnly);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(DispatcherServlet.class)
    static class Servlet {

        @Bean
        org.springframework.web.servlet.handler.SimpleUrlHandlerMapping heapSamplerMapping(
                HeapSamplerRoutes routes) {
            return new org.springframework.web.servlet.handler.SimpleUrlHandlerMapping(
                    Map.of(routes.pattern(), new ServletRoutes(routes)), ORDER);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass(DispatcherHandler.class)
    static class Reactive {

        /** Closed with the context, which ends its threads. */
        @Bean
        ReactiveRoutes heapSamplerReactiveRoutes(HeapSamplerRoutes routes) {
            return new ReactiveRoutes(routes);
        }

        @Bean
        org.springframework.web.reactive.handler.SimpleUrlHandlerMapping heapSamplerMapping(
                HeapSamplerRoutes routes, ReactiveRoutes handler) {
            return new org.springframework.web.reactive.handler.SimpleUrlHandlerMapping(
                    Map.of(routes.pattern(), handler), ORDER);
        }
    }
}
