// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.heapsampler.HeapSampler;
import io.heapsampler.doctor.GcDoctor;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.ReflectionException;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** An application without a web server: JMX, the doctor and pushes. */
class ApplicationTest {

    @EnableAutoConfiguration
    static class Worker {}

    @AfterEach
    void forget() {
        HeapSampler.stop();
        HeapSampler.reset();
    }

    private static ConfigurableApplicationContext start(String... more) {
        List<String> properties = new ArrayList<>(List.of("--spring.main.banner-mode=off"));
        properties.addAll(List.of(more));
        return new SpringApplicationBuilder(Worker.class)
                .web(WebApplicationType.NONE)
                .run(properties.toArray(String[]::new));
    }

    @Test
    void jmxReadsAndChangesWhereItIsExposedAndUnrestricted() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("org.springframework.boot:type=Endpoint,name=Heapsampler");
        try (var application =
                start(
                        "--spring.jmx.enabled=true",
                        "--management.endpoints.jmx.exposure.include=heapsampler",
                        "--management.endpoint.heapsampler.access=unrestricted")) {
            assertThat(application.isActive()).isTrue();
            Object answer = server.invoke(name, "read", new Object[0], new String[0]);
            assertThat(answer)
                    .asInstanceOf(InstanceOfAssertFactories.MAP)
                    .containsEntry("state", "RUNNING");

            change(server, name, "stop");
            assertThat(HeapSampler.status().isSampling()).isFalse();
            change(server, name, "start");
            assertThat(HeapSampler.status().isSampling()).isTrue();
            assertThatThrownBy(() -> change(server, name, "explode"))
                    .hasMessageContaining("start, stop or reset");
        }
        assertThat(server.isRegistered(name)).isFalse();
    }

    @Test
    void jmxOnlyReadsByDefault() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = new ObjectName("org.springframework.boot:type=Endpoint,name=Heapsampler");
        try (var application =
                start(
                        "--spring.jmx.enabled=true",
                        "--management.endpoints.jmx.exposure.include=heapsampler")) {
            assertThat(application.isActive()).isTrue();
            assertThat(server.getMBeanInfo(name).getOperations())
                    .extracting(operation -> operation.getName())
                    .containsExactly("read");
            assertThatThrownBy(() -> change(server, name, "stop"))
                    .isInstanceOf(ReflectionException.class);
            assertThat(HeapSampler.status().isSampling()).isTrue();
        }
    }

    private static void change(MBeanServer server, ObjectName name, String action)
            throws Exception {
        server.invoke(name, "change", new Object[] {action}, new String[] {String.class.getName()});
    }

    @Test
    void theDoctorRunsAsLongAsTheApplication() {
        try (var application = start("--heapsampler.doctor.enabled=true")) {
            assertThat(application.isActive()).isTrue();
            assertThat(GcDoctor.running()).isNotNull();
        }
        assertThat(GcDoctor.running()).isNull();
    }

    @Test
    void aPushHasTheNameOfTheApplicationAndTheHeaders() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        List<String> seen = new CopyOnWriteArrayList<>();
        HttpServer receiver =
                HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext(
                "/",
                exchange -> {
                    seen.add(exchange.getRequestURI().getPath());
                    seen.add(exchange.getRequestHeaders().getFirst("Authorization"));
                    exchange.getRequestBody().readAllBytes();
                    exchange.sendResponseHeaders(200, -1);
                    exchange.close();
                    arrived.countDown();
                });
        receiver.start();
        String address = "http://127.0.0.1:" + receiver.getAddress().getPort();
        try (var application =
                start(
                        "--heapsampler.push.pyroscope=" + address,
                        "--heapsampler.push.interval=1s",
                        "--heapsampler.push.labels.region=eu",
                        "--heapsampler.push.bearer-token=abcdefgh")) {
            assertThat(application.isActive()).isTrue();
            assertThat(arrived.await(1, TimeUnit.MINUTES)).isTrue();
        } finally {
            receiver.stop(0);
        }
        assertThat(seen).contains("/push.v1.PusherService/Push", "Bearer abcdefgh");
    }
}
