// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.spring;

import io.heapsampler.http.HeapSamplerServlet;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.HttpRequestMethodNotSupportedException;

/** Serves the endpoint from Spring MVC. */
final class ServletRoutes implements HttpRequestHandler {

    private static final boolean HAS_SECURITY =
            ClassUtils.isPresent(
                    "org.springframework.security.web.csrf.CsrfToken",
                    ServletRoutes.class.getClassLoader());

    private final HeapSamplerRoutes routes;
    private final HeapSamplerServlet servlet;

    ServletRoutes(HeapSamplerRoutes routes) {
        this.routes = routes;
        this.servlet = new HeapSamplerServlet(routes.endpoint());
    }

    @Override
    public void handleRequest(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        if (!routes.accepts(request.getMethod())) {
            throw new HttpRequestMethodNotSupportedException(
                    request.getMethod(), List.of("GET", "HEAD"));
        }
        if (HAS_SECURITY && routes.needsToken(request.getMethod(), path(request))) {
            Security.passToken(request);
        }
        servlet.service(new Local(request, routes.local(path(request))), response);
    }

    private static String path(HttpServletRequest request) {
        String info = request.getPathInfo();
        return request.getServletPath() + (info == null ? "" : info);
    }

    /** A request with the path that the endpoint knows, and the form even if it has been read. */
    private static final class Local extends HttpServletRequestWrapper {

        private final String path;

        Local(HttpServletRequest request, String path) {
            super(request);
            this.path = path;
        }

        @Override
        public ServletInputStream getInputStream() throws IOException {
            return new FormStream(super.getInputStream(), this);
        }

        @Override
        public String getServletPath() {
            return path;
        }

        @Override
        public @Nullable String getPathInfo() {
            return null;
        }
    }

    /** Only loaded where Spring Security is on the class path. */
    private static final class Security {

        /** The page sends the token, with which Spring Security lets its changes pass. */
        static void passToken(HttpServletRequest request) {
            if (request.getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token) {
                request.setAttribute(
                        HeapSamplerServlet.PAGE_HEADER,
                        Map.entry(token.getHeaderName(), token.getToken()));
            }
        }
    }
}
