// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** Samples the heap, and offers the endpoint, unless {@code heapsampler.enabled} is false. */
@AutoConfiguration
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
    }
}
