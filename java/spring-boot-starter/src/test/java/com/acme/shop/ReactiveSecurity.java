// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package com.acme.shop;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.web.server.SecurityWebFilterChain;

/** As {@link ServletSecurity}. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
class ReactiveSecurity {

    @Bean
    @ConditionalOnProperty(name = "shop.security", havingValue = "off")
    SecurityWebFilterChain off(ServerHttpSecurity http) {
        return http.authorizeExchange(all -> all.anyExchange().permitAll())
                .csrf(ServerHttpSecurity.CsrfSpec::disable)
                .build();
    }

    @Bean
    @ConditionalOnProperty(name = "shop.security", havingValue = "basic")
    SecurityWebFilterChain basic(ServerHttpSecurity http) {
        return http.authorizeExchange(all -> all.anyExchange().authenticated())
                .httpBasic(Customizer.withDefaults())
                .build();
    }

    @Bean
    @ConditionalOnProperty(name = "shop.security", havingValue = "basic-without-csrf")
    SecurityWebFilterChain withoutCsrf(ServerHttpSecurity http) {
        return http.authorizeExchange(all -> all.anyExchange().authenticated())
                .httpBasic(Customizer.withDefaults())
                .csrf(ServerHttpSecurity.CsrfSpec::disable)
                .build();
    }
}
