// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides who is served, before anything else of a request is looked at. A stranger does not even
 * learn which addresses there are.
 */
final class Gatekeeper {

    private static final Set<String> LOCAL_NAMES = Set.of("localhost", "localhost.localdomain");
    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");
    private static final Pattern IPV6 = Pattern.compile("\\[[0-9a-f:.]{2,45}]");
    private static final Pattern PORT = Pattern.compile("\\d{1,5}");
    private static final List<String> PROXY_HEADERS =
            List.of("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via");

    private final EndpointOptions options;

    Gatekeeper(EndpointOptions options) {
        this.options = options;
    }

    /** What a client has shown. */
    private enum Proof {
        NONE,
        /** What a browser sends by itself, so that a foreign page can make it do so. */
        AMBIENT,
        /** A token that only who knows it can have put there. */
        TOKEN
    }

    void check(EndpointRequest request) throws Refusal {
        String host = requireKnownHost(request);
        Proof proof = requireClient(request);
        if (request.method().equals("POST") && proof != Proof.TOKEN) {
            requireSameOrigin(request, host);
        }
    }

    /** A page of an attacker whose name leads to this machine still sends that name. */
    private String requireKnownHost(EndpointRequest request) throws Refusal {
        List<String> hosts = request.headers("Host");
        if (hosts.size() != 1) {
            throw new Refusal(400, "A request needs one Host header.");
        }
        String host = hosts.get(0).toLowerCase(Locale.ROOT);
        int colon = host.lastIndexOf(':');
        boolean hasPort = colon > host.lastIndexOf(']');
        String name = hasPort ? host.substring(0, colon) : host;
        boolean isPort = !hasPort || PORT.matcher(host.substring(colon + 1)).matches();
        if (!isPort || !isKnown(name)) {
            throw new Refusal(
                    403,
                    "This host name is not known here. Use localhost or a numeric address, or add"
                            + " the name with EndpointOptions.host().");
        }
        return host;
    }

    private boolean isKnown(String name) {
        return LOCAL_NAMES.contains(name)
                || options.hosts().contains(name)
                || IPV4.matcher(name).matches()
                || IPV6.matcher(name).matches();
    }

    private Proof requireClient(EndpointRequest request) throws Refusal {
        Token token = options.token();
        Proof proof = token == null ? Proof.NONE : proofOf(request, token);
        if (proof != Proof.NONE) {
            return proof;
        }
        Predicate<EndpointRequest> authenticator = options.authenticator();
        if (authenticator != null && authenticator.test(request)) {
            return Proof.AMBIENT;
        }
        if (options.isAuthenticated()) {
            throw new Refusal(
                    401,
                    "Send the token as \"Authorization: Bearer ...\", or as the password of basic"
                            + " authentication.",
                    Map.of("WWW-Authenticate", "Basic realm=\"HeapSampler\", charset=\"UTF-8\""));
        }
        if (!options.allowsUnauthenticated() && !isLocal(request)) {
            throw new Refusal(
                    403,
                    "Only clients on the same machine are served. Set a token with"
                            + " EndpointOptions.token() to allow others.");
        }
        return Proof.AMBIENT;
    }

    private static boolean isLocal(EndpointRequest request) {
        InetAddress address = request.remoteAddress();
        return address != null
                && address.isLoopbackAddress()
                && PROXY_HEADERS.stream().allMatch(name -> request.headers(name).isEmpty());
    }

    private static Proof proofOf(EndpointRequest request, Token token) {
        List<String> shown = request.headers("Authorization");
        if (shown.size() != 1) {
            return Proof.NONE;
        }
        String credentials = after(shown.get(0), "Bearer ");
        if (credentials != null) {
            return token.matches(credentials) ? Proof.TOKEN : Proof.NONE;
        }
        credentials = after(shown.get(0), "Basic ");
        if (credentials != null) {
            return token.matches(password(credentials)) ? Proof.AMBIENT : Proof.NONE;
        }
        return Proof.NONE;
    }

    private static @Nullable String after(String header, String scheme) {
        return header.regionMatches(true, 0, scheme, 0, scheme.length())
                ? header.substring(scheme.length()).trim()
                : null;
    }

    private static String password(String credentials) {
        try {
            String pair =
                    new String(Base64.getDecoder().decode(credentials), StandardCharsets.UTF_8);
            return pair.substring(pair.indexOf(':') + 1);
        } catch (IllegalArgumentException e) {
            return "";
        }
    }

    /** A browser says truly where a request comes from; others have to say that it is no page. */
    private static void requireSameOrigin(EndpointRequest request, String host) throws Refusal {
        List<String> sites = request.headers("Sec-Fetch-Site");
        List<String> origins = request.headers("Origin");
        boolean isSameSite = sites.stream().allMatch("same-origin"::equals);
        boolean isSameOrigin =
                origins.stream()
                        .allMatch(
                                origin ->
                                        origin.equalsIgnoreCase("http://" + host)
                                                || origin.equalsIgnoreCase("https://" + host));
        if (!isSameSite || !isSameOrigin || sites.size() + origins.size() == 0) {
            throw new Refusal(
                    403,
                    "A change needs the token as \"Authorization: Bearer ...\", or an Origin header"
                            + " that names this server, as browsers send it for its own pages.");
        }
    }
}
