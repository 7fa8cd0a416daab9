// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import io.heapsampler.ApiStatus;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Serves the endpoint from a servlet container of Jakarta EE 9 or later.
 *
 * <pre>{@code
 * context.addServlet(new ServletHolder(new HeapSamplerServlet(options)), "/debug/*");
 * }</pre>
 *
 * <p>There is no constructor without options, so that a {@code web.xml} cannot name this class:
 * register an instance, with {@code ServletContext.addServlet} for example.
 *
 * <p>Addresses are those after the path of the application. If the mapping does not begin with
 * {@code /debug/}, such as {@code /admin/*}, say so with {@link EndpointOptions.Builder#prefix}.
 *
 * <p>The form of a POST is read after the client has been authenticated. The timeouts are those of
 * the container. Tomcat reads the rest of a refused request in one of its threads; {@code
 * maxSwallowSize} bounds that.
 *
 * <p>Safe for use by many threads.
 *
 * @since 0.1
 */
@ApiStatus(value = ApiStatus.Level.STABLE, since = "0.1")
public final class HeapSamplerServlet extends HttpServlet {

    /**
     * Attribute of a request: a header that the page of the endpoint sends with each change, as a
     * {@link Map.Entry} of name and value. A filter sets it where the framework checks a CSRF token
     * before the servlet, see {@link EndpointRequest.Builder#pageHeader}.
     */
    public static final String PAGE_HEADER = "io.heapsampler.http.pageHeader";

    private static final long serialVersionUID = 1L;

    /** Nothing else is looked up, because that would query a name server. */
    private static final Pattern NUMERIC = Pattern.compile("[0-9a-fA-F:.]{2,45}");

    private final transient HeapSamplerEndpoint endpoint;

    /**
     * Makes a servlet with an endpoint of its own.
     *
     * @param options decide which clients are served
     * @throws IllegalStateException as {@link
     *     HeapSamplerEndpoint#HeapSamplerEndpoint(EndpointOptions)}
     */
    public HeapSamplerServlet(EndpointOptions options) {
        this(new HeapSamplerEndpoint(options));
    }

    /**
     * Makes a servlet.
     *
     * @param endpoint serves the requests
     */
    public HeapSamplerServlet(HeapSamplerEndpoint endpoint) {
        this.endpoint = Objects.requireNonNull(endpoint, "endpoint");
    }

    /**
     * Serves one request of any method.
     *
     * @param request the request
     * @param response receives the status, the headers and the body
     * @throws IOException if the client has left or is too slow, or the figures cannot be obtained
     */
    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        try (EndpointResponse answer = endpoint.handle(read(request))) {
            response.setStatus(answer.status());
            answer.headers().forEach(response::setHeader);
            if (request.getMethod().equals("HEAD")) {
                return;
            }
            answer.contentLength().ifPresent(response::setContentLengthLong);
            answer.writeTo(response.getOutputStream());
        }
    }

    private static EndpointRequest read(HttpServletRequest request) throws IOException {
        String info = request.getPathInfo();
        String path = request.getServletPath() + (info == null ? "" : info);
        EndpointRequest.Builder builder =
                EndpointRequest.builder(request.getMethod(), path)
                        .query(request.getQueryString())
                        .authority(authority(request))
                        .remoteAddress(address(request.getRemoteAddr()))
                        .body(request.getInputStream());
        for (String name : Collections.list(request.getHeaderNames())) {
            for (String value : Collections.list(request.getHeaders(name))) {
                builder.header(name, value);
            }
        }
        if (request.getAttribute(PAGE_HEADER) instanceof Map.Entry<?, ?> header) {
            builder.pageHeader(String.valueOf(header.getKey()), String.valueOf(header.getValue()));
        }
        return builder.build();
    }

    /**
     * HTTP/2 has the name that the client requested in no header, and the container has it as the
     * name of the server. HTTP/1 has it in {@code Host}, which is taken as it was sent: the name of
     * the server may be that of {@code X-Forwarded-Host}, which a page can send. With HTTP/2 a page
     * gains nothing by that: browsers use it over TLS only, where the certificate must have the
     * name of the page.
     */
    private static @Nullable String authority(HttpServletRequest request) {
        if (request.getProtocol().startsWith("HTTP/1.")) {
            return null;
        }
        String name = request.getServerName();
        int port = request.getServerPort();
        boolean isUsual = port == (request.getScheme().equals("https") ? 443 : 80);
        String host = name.indexOf(':') >= 0 && !name.startsWith("[") ? "[" + name + "]" : name;
        return isUsual ? host : host + ":" + port;
    }

    private static @Nullable InetAddress address(@Nullable String text) {
        String bare = text == null ? "" : text.replaceAll("[\\[\\]]|%.*", "");
        try {
            return NUMERIC.matcher(bare).matches() ? InetAddress.getByName(bare) : null;
        } catch (UnknownHostException e) {
            return null;
        }
    }
}
