// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package com.acme.shop;

import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.web.SecurityFilterChain;

/** The property {@code shop.security} is off, basic, or basic-without-csrf. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
class ServletSecurity {

    @Bean
    @ConditionalOnProperty(name = "shop.security", havingValue = "off")
    SecurityFilterChain off(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(all -> all.anyRequest().permitAll())
                .csrf(AbstractHttpConfigurer::disable)
                .build();
    }

    @Bean
    @ConditionalOnProperty(name = "shop.security", havingValue = "basic")
    SecurityFilterChain basic(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(all -> all.anyRequest().authenticated())
                .httpBasic(Customizer.withDefaults())
                .build();
    }

    @Bean
    @ConditionalOnProperty(name = "shop.security", havingValue = "basic-without-csrf")
    SecurityFilterChain withoutCsrf(HttpSecurity http) throws Exception {
        return http.authorizeHttpRequests(all -> all.anyRequest().authenticated())
                .httpBasic(Customizer.withDefaults())
                .csrf(AbstractHttpConfigurer::disable)
                .build();
    }
}
