// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Decides which clients are served, before anything else of a request is inspected. A stranger does
 * not even learn which addresses there are.
 */
final class Gatekeeper {

    private static final Set<String> LOCAL_NAMES = Set.of("localhost", "localhost.localdomain");
    private static final String OCTET = "(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])";
    private static final Pattern IPV4 = Pattern.compile(OCTET + "(\\." + OCTET + "){3}");
    private static final Pattern IPV6 = Pattern.compile("\\[[0-9a-f:.]{2,45}]");
    private static final Pattern NAME = Pattern.compile("[a-z0-9_-]+(\\.[a-z0-9_-]+)*");
    private static final Pattern PORT = Pattern.compile("\\d{1,5}");
    private static final List<String> PROXY_HEADERS =
            List.of("Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP", "Via");

    /** Some servers put the name in one of these, which a page can send, in place of Host. */
    private static final List<String> HOST_CLAIMS =
            List.of("Forwarded", "X-Forwarded-Host", "X-Forwarded-Server");

    private final EndpointOptions options;
    private final SeldomLog failures = new SeldomLog(System::nanoTime);
    private final SeldomLog broken = new SeldomLog(System::nanoTime);

    Gatekeeper(EndpointOptions options) {
        this.options = options;
    }

    /** How a client has shown that it may be served. */
    enum Proof {
        /** A browser sends it on its own, so that a foreign page can make it do so. */
        AMBIENT,
        /** No browser sends it on its own: a token in a header, for example. */
        EXPLICIT
    }

    /** Returns the proof of a client that is served; others are refused. */
    Proof check(EndpointRequest request) throws Refusal {
        requireKnownHost(request);
        Proof proof = requireClient(request);
        if (request.method().equals("POST") && proof != Proof.EXPLICIT) {
            requireOwnPage(request);
        }
        return proof;
    }

    /** DNS rebinding: the page of an attacker whose name leads here still sends that name. */
    private void requireKnownHost(EndpointRequest request) throws Refusal {
        List<String> hosts = request.headers("Host");
        String authority = request.authority();
        if (hosts.size() > 1 || (hosts.isEmpty() && authority == null)) {
            throw new Refusal(400, "A request needs one Host header.");
        }
        boolean isKnown = hosts.isEmpty() || isKnown(hosts.get(0), request);
        if (!isKnown || (authority != null && !isKnown(authority, request))) {
            throw new Refusal(
                    403,
                    "This host name is not known here. Use localhost or a numeric address, or add"
                            + " the name with EndpointOptions.host(), or with the property"
                            + " heapsampler.endpoint.hosts of the Spring Boot starter. Without a"
                            + " token, a request with X-Forwarded-Host or Forwarded needs an added"
                            + " name.");
        }
    }

    private boolean isKnown(String authority, EndpointRequest request) {
        String name = nameOf(authority);
        return name != null
                && (options.hosts.contains(name) || (isLocal(name) && isOwnWord(request)));
    }

    /** Returns a name as the options have it, in lower case. */
    static String hostName(String name) {
        String host = name.toLowerCase(Locale.ROOT);
        if (!NAME.matcher(host).matches() && !IPV6.matcher(host).matches()) {
            String rule = "A host is a name without scheme, port and trailing dot, such as";
            throw new IllegalArgumentException(rule + " shop.internal: " + name);
        }
        return host;
    }

    /** Returns the name without the port; null if there is a colon without a port. */
    static @Nullable String nameOf(String authority) {
        String host = authority.toLowerCase(Locale.ROOT);
        int colon = host.lastIndexOf(':');
        if (colon <= host.lastIndexOf(']')) {
            return host;
        }
        return PORT.matcher(host.substring(colon + 1)).matches() ? host.substring(0, colon) : null;
    }

    private static boolean isLocal(String name) {
        return LOCAL_NAMES.contains(name)
                || IPV4.matcher(name).matches()
                || IPV6.matcher(name).matches();
    }

    /**
     * Returns whether the name can only be the one that a browser has sent, or does not matter: a
     * rebound page has no token. It may pass an authenticator, by its address for example.
     */
    private boolean isOwnWord(EndpointRequest request) {
        return (options.isAuthenticated() && options.authenticator == null)
                || hasNone(request, HOST_CLAIMS);
    }

    private Proof requireClient(EndpointRequest request) throws Refusal {
        Token token = options.token;
        Proof proof = token == null ? null : proofOf(request, token);
        if (proof != null) {
            return proof;
        }
        if (accepts(options.apiAuthenticator, request)) {
            return Proof.EXPLICIT;
        }
        if (accepts(options.authenticator, request)) {
            return Proof.AMBIENT;
        }
        if (options.isAuthenticated()) {
            throw unauthenticated(request);
        }
        if (!options.allowsUnauthenticated && !isLocal(request)) {
            throw new Refusal(
                    403,
                    "Only clients on the same machine are served. Set a token with"
                            + " EndpointOptions.token() to allow others.");
        }
        return Proof.AMBIENT;
    }

    private boolean accepts(
            @Nullable Predicate<EndpointRequest> authenticator, EndpointRequest request) {
        try {
            return authenticator != null && authenticator.test(request);
        } catch (RuntimeException e) {
            String event =
                    "An authenticator of the application failed; its client is not accepted.";
            broken.warn(event + " Return false for credentials that are malformed.", e);
            return false;
        }
    }

    private Refusal unauthenticated(EndpointRequest request) {
        if (mayHaveCredentials(request)) {
            InetAddress address = request.remoteAddress();
            String from = address == null ? "an unknown address" : address.getHostAddress();
            String event = " was refused with 401: it showed no valid credentials.";
            failures.warn("A request from " + from + event, null);
        }
        return new Refusal(
                401,
                "Send the token as \"Authorization: Bearer ...\", or as the password of basic"
                        + " authentication.",
                Map.of("WWW-Authenticate", "Basic realm=\"HeapSampler\", charset=\"UTF-8\""));
    }

    /** The first request of a browser has none, and that is no attack. */
    private boolean mayHaveCredentials(EndpointRequest request) {
        return options.authenticator != null
                || options.apiAuthenticator != null
                || !request.headers("Authorization").isEmpty();
    }

    private static boolean isLocal(EndpointRequest request) {
        InetAddress address = request.remoteAddress();
        return address != null && address.isLoopbackAddress() && hasNone(request, PROXY_HEADERS);
    }

    private static boolean hasNone(EndpointRequest request, List<String> names) {
        return names.stream().allMatch(name -> request.headers(name).isEmpty());
    }

    private static @Nullable Proof proofOf(EndpointRequest request, Token token) {
        List<String> shown = request.headers("Authorization");
        if (shown.size() != 1) {
            return null;
        }
        String bearer = after(shown.get(0), "Bearer ");
        if (bearer != null) {
            return token.matches(bearer) ? Proof.EXPLICIT : null;
        }
        String basic = after(shown.get(0), "Basic ");
        return basic != null && token.matches(password(basic)) ? Proof.AMBIENT : null;
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

    private void requireOwnPage(EndpointRequest request) throws Refusal {
        if (!isOwnPage(request)) {
            throw new Refusal(
                    403,
                    "A change needs the token as \"Authorization: Bearer ...\", or an Origin header"
                            + " that names this server, as browsers send it for its own pages.");
        }
    }

    /** For a GET that has an effect, which any page could make a browser send. */
    void requireNoForeignPage(EndpointRequest request, Proof proof) throws Refusal {
        if (proof != Proof.EXPLICIT && isForeignPage(request)) {
            throw new Refusal(
                    403,
                    "A page of another server may not force a collection, wait for a change or read"
                            + " delta_heap. Type the address into the browser, use the page of this"
                            + " endpoint, or send the token as \"Authorization: Bearer ...\"."
                            + " Without HTTPS, browsers do not say where a request to another"
                            + " machine comes from: use HTTPS or a program such as curl there.");
        }
    }

    // A page cannot choose the headers Sec-Fetch-Site, Origin and Referer, but not all of them are
    // always there: Sec-Fetch-Site is sent to HTTPS and to this machine only, Origin not with an
    // ordinary GET, and a page can withhold Referer.

    /** Returns whether a browser states that a page of this server has sent the request. */
    private boolean isOwnPage(EndpointRequest request) {
        List<String> sites = request.headers("Sec-Fetch-Site");
        List<String> origins = request.headers("Origin");
        return sites.size() + origins.size() > 0
                && sites.stream().allMatch("same-origin"::equals)
                && areOwn(origins, request);
    }

    /**
     * Returns whether a page of another server may have sent the request. A user who types the
     * address is {@code none}. Programs such as curl send none of the headers. A browser that sends
     * none hides a page or talks plain HTTP to another machine; the agent of all browsers begins
     * like this.
     */
    private boolean isForeignPage(EndpointRequest request) {
        List<String> sites = request.headers("Sec-Fetch-Site");
        List<String> origins = request.headers("Origin");
        List<String> referers = request.headers("Referer");
        if (sites.size() + origins.size() + referers.size() == 0) {
            String agent = request.header("User-Agent");
            return agent != null && agent.startsWith("Mozilla/");
        }
        return !List.of("same-origin", "none").containsAll(sites)
                || !areOwn(origins, request)
                || !areOwn(referers, request);
    }

    /**
     * Returns whether all addresses are of this server. A proxy may have replaced the name that the
     * browser knows: then the browser must say that it is the same, and the application know it.
     */
    private boolean areOwn(List<String> addresses, EndpointRequest request) {
        String authority = request.authority();
        String asked = authority == null ? request.header("Host") : authority;
        boolean isSame = request.headers("Sec-Fetch-Site").contains("same-origin");
        for (String address : addresses) {
            String[] parts = address.toLowerCase(Locale.ROOT).split("/", 4);
            if (parts.length < 3 || !parts[0].matches("https?:") || !parts[1].isEmpty()) {
                return false;
            }
            String name = nameOf(parts[2]);
            boolean isKnown = isSame && name != null && options.hosts.contains(name);
            if (!parts[2].equalsIgnoreCase(asked) && !isKnown) {
                return false;
            }
        }
        return true;
    }

    /**
     * A secret that requests have to show. Only its digest is kept, and digests are compared in
     * constant time, so that trials reveal neither the length nor a right beginning.
     */
    static final class Token {

        static final int LEAST = 16;

        private final byte[] digest;

        Token(String secret) {
            if (secret.length() < LEAST || !secret.chars().allMatch(c -> c > ' ' && c < 127)) {
                throw new IllegalArgumentException(
                        """
                        A token needs 16 or more printable ASCII characters without spaces, but \
                        this one has %s characters. Make one with "openssl rand -hex 32".\
                        """
                                .formatted(secret.length()));
            }
            this.digest = digestOf(secret);
        }

        boolean matches(String shown) {
            return MessageDigest.isEqual(digest, digestOf(shown));
        }

        private static byte[] digestOf(String secret) {
            byte[] bytes = secret.getBytes(StandardCharsets.UTF_8);
            try {
                return MessageDigest.getInstance("SHA-256").digest(bytes);
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every JVM has SHA-256", e);
            }
        }

        @Override
        public String toString() {
            return "Token[hidden]";
        }
    }
}
