// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Where a request comes from, by the headers that browsers do not let a page choose: {@code
 * Sec-Fetch-Site}, {@code Origin} and {@code Referer}. Not all of them are always there: {@code
 * Sec-Fetch-Site} is sent to HTTPS and to this machine only, {@code Origin} not with an ordinary
 * GET, and a page can withhold {@code Referer}.
 */
final class Origin {

    private final EndpointRequest request;
    private final List<String> sites;
    private final List<String> origins;
    private final Set<String> hosts;

    /**
     * Looks at a request.
     *
     * @param hosts the names that the application has added
     */
    Origin(EndpointRequest request, Set<String> hosts) {
        this.request = request;
        this.sites = request.headers("Sec-Fetch-Site");
        this.origins = request.headers("Origin");
        this.hosts = hosts;
    }

    /** Returns whether a browser states that a page of this server has sent the request. */
    boolean isOwnPage() {
        return sites.size() + origins.size() > 0
                && sites.stream().allMatch("same-origin"::equals)
                && origins.stream().allMatch(this::isOwn);
    }

    /**
     * Returns whether a page of another server may have sent the request. A user who types the
     * address is {@code none}. Programs such as curl send none of the headers. A browser that sends
     * none hides a page or talks plain HTTP to another machine; all browsers begin their name like
     * this.
     */
    boolean isForeignPage() {
        List<String> referers = request.headers("Referer");
        if (sites.size() + origins.size() + referers.size() == 0) {
            String agent = request.header("User-Agent");
            return agent != null && agent.startsWith("Mozilla/");
        }
        return !sites.stream().allMatch(site -> site.equals("same-origin") || site.equals("none"))
                || !origins.stream().allMatch(this::isOwn)
                || !referers.stream().allMatch(this::isOwn);
    }

    /**
     * Returns whether an address is one of this server. A proxy may have replaced the name that the
     * browser knows: then the browser must say that it is the same, and the application know it.
     */
    private boolean isOwn(String address) {
        String[] parts = address.toLowerCase(Locale.ROOT).split("/", 4);
        if (parts.length < 3 || !parts[0].matches("https?:") || !parts[1].isEmpty()) {
            return false;
        }
        String authority = request.authority();
        String asked = authority == null ? request.header("Host") : authority;
        String name = Gatekeeper.nameOf(parts[2]);
        return parts[2].equalsIgnoreCase(asked)
                || (sites.contains("same-origin") && name != null && hosts.contains(name));
    }
}
