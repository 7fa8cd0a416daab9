// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import io.heapsampler.micrometer.HeapLabelsObservationHandler;
import io.micrometer.observation.ObservationHandler;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.Ordered;
import org.springframework.web.reactive.HandlerAdapter;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/**
 * Samples the heap, and offers the endpoint, unless {@code heapsampler.enabled} is false. It comes
 * first because {@link HeapSamplerRoutesConfiguration} depends on its beans.
 */
@AutoConfiguration(before = ManagementContextAutoConfiguration.class)
@ConditionalOnProperty(prefix = "heapsampler", name = "enabled", matchIfMissing = true)
@EnableConfigurationProperties(HeapSamplerProperties.class)
class HeapSamplerAutoConfiguration {

    /** With spring.main.lazy-initialization also, the sampler starts at once. */
    @Bean
    @Lazy(false)
    HeapSamplerLifecycle heapSamplerLifecycle(
            HeapSamplerProperties properties,
            @Value("${spring.application.name:application}") String applicationName) {
        return new HeapSamplerLifecycle(properties, applicationName);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
    static class Actuator {

        @Bean
        @ConditionalOnAvailableEndpoint
        HeapSamplerActuatorEndpoint heapSamplerActuatorEndpoint() {
            return new HeapSamplerActuatorEndpoint();
        }

        @Bean
        @ConditionalOnAvailableEndpoint(
                endpoint = HeapSamplerActuatorEndpoint.class,
                exposure = EndpointExposure.WEB)
        HeapSamplerActuatorEndpoint.Web heapSamplerWebExtension() {
            return new HeapSamplerActuatorEndpoint.Web();
        }

        @Bean
        @ConditionalOnAvailableEndpoint(
                endpoint = HeapSamplerActuatorEndpoint.class,
                exposure = EndpointExposure.JMX)
        HeapSamplerActuatorEndpoint.Jmx heapSamplerJmxExtension() {
            return new HeapSamplerActuatorEndpoint.Jmx();
        }
    }

    /**
     * The label {@code endpoint}: by the pattern of the request, or by Micrometer's observation.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(prefix = "heapsampler.labels", name = "endpoint", matchIfMissing = true)
    static class Labels {

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(ObservationHandler.class)
        static class Observations {

            @Bean
            HeapLabelsObservationHandler heapSamplerObservationHandler() {
                return HeapLabelsObservationHandler.ofValue(
                        EndpointLabels.KEY, EndpointLabels::ofObservation);
            }
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
        @ConditionalOnClass(WebMvcConfigurer.class)
        static class Mvc {

            @Bean
            WebMvcConfigurer heapSamplerMvcConfigurer() {
                return new WebMvcConfigurer() {
                    @Override
                    public void addInterceptors(InterceptorRegistry registry) {
                        registry.addInterceptor(new LabelInterceptor())
                                .order(Ordered.HIGHEST_PRECEDENCE);
                    }
                };
            }
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
        @ConditionalOnClass(HandlerAdapter.class)
        static class WebFlux {

            @Bean
            LabelHandlerAdapter heapSamplerHandlerAdapter(ObjectProvider<HandlerAdapter> all) {
                return new LabelHandlerAdapter(all);
            }
        }
    }
}
