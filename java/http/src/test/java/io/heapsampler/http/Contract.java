// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * What each address answers. Columns: method, target, headers separated by semicolons, status,
 * content type, what the body contains. Below {@code /secure} the same is mounted with a token.
 */
final class Contract {

    static final String TOKEN = "0123456789abcdef-the-token";

    private static final String ROWS =
            """
            GET  | /debug/pprof                          | | 301 | text/plain; charset=utf-8 |
            GET  | /debug/pprof/                         | | 200 | text/html; charset=utf-8 | <a href="heap?debug=1">heap</a>
            HEAD | /debug/pprof/                         | | 200 | text/html; charset=utf-8 |
            HEAD | /debug/pprof/heap?gc=1                | | 200 | application/octet-stream |
            GET  | /debug/pprof/heap                     | | 200 | application/octet-stream |
            GET  | /debug/pprof/heap?gc=x                | | 200 | application/octet-stream |
            GET  | /debug/pprof/heap?debug=x             | | 200 | application/octet-stream |
            GET  | /debug/pprof/heap?debug=1             | | 200 | text/plain; charset=utf-8 | heap profile:
            GET  | /debug/pprof/heap?debug=2&debug=0     | | 200 | text/plain; charset=utf-8 | heap profile:
            GET  | /debug/pprof/heap?unknown=%41         | | 200 | application/octet-stream |
            GET  | /debug/pprof/heap?seconds=0           | | 400 | text/plain; charset=utf-8 | invalid value for "seconds" - must be a positive integer
            GET  | /debug/pprof/heap?seconds=-1          | | 400 | text/plain; charset=utf-8 | invalid value for "seconds"
            GET  | /debug/pprof/heap?seconds=1.5         | | 400 | text/plain; charset=utf-8 | invalid value for "seconds"
            GET  | /debug/pprof/heap?seconds=x           | | 400 | text/plain; charset=utf-8 | invalid value for "seconds"
            GET  | /debug/pprof/heap?seconds=%D9%A1      | | 400 | text/plain; charset=utf-8 | invalid value for "seconds"
            GET  | /debug/pprof/heap?gc=1                | Sec-Fetch-Site: cross-site | 403 | text/plain; charset=utf-8 | A page of another server
            GET  | /debug/pprof/heap?seconds=99999999999 | | 400 | text/plain; charset=utf-8 | at most 300 are allowed
            GET  | /debug/pprof/heap?seconds=1&debug=1   | | 400 | text/plain; charset=utf-8 | seconds and debug params are incompatible
            GET  | /debug/pprof/allocs                   | | 200 | application/octet-stream |
            GET  | /debug/pprof/allocs?gc=1              | | 200 | application/octet-stream |
            GET  | /debug/pprof/allocs?debug=1           | | 200 | text/plain; charset=utf-8 | heap profile:
            GET  | /debug/pprof/delta_heap               | | 200 | application/octet-stream |
            GET  | /debug/pprof/allocs?labels=0          | | 200 | application/octet-stream |
            GET  | /debug/pprof/delta_heap?seconds=1     | | 400 | text/plain; charset=utf-8 | not supported for this profile type
            GET  | /debug/pprof/cmdline                  | | 404 | text/plain; charset=utf-8 | Unknown profile
            GET  | /debug/pprof/profile                  | | 404 | text/plain; charset=utf-8 | Unknown profile
            GET  | /debug/pprof/goroutine                | | 404 | text/plain; charset=utf-8 | Unknown profile
            GET  | /debug/pprof/symbol                   | | 404 | text/plain; charset=utf-8 | Unknown profile
            GET  | /debug/pprof/heap/                    | | 404 | text/plain; charset=utf-8 | Unknown profile
            POST | /debug/pprof/heap                     | Origin: http://localhost | 405 | text/plain; charset=utf-8 | GET, HEAD only
            PUT  | /debug/pprof/heap                     | | 405 | text/plain; charset=utf-8 | GET, HEAD only
            OPTIONS | /debug/pprof/heap                  | Origin: http://evil.example | 405 | text/plain; charset=utf-8 | GET, HEAD only
            GET  | /debug/heapsampler                    | | 301 | text/plain; charset=utf-8 |
            GET  | /debug/heapsampler/                   | | 200 | text/html; charset=utf-8 | <h1>HeapSampler</h1>
            GET  | /debug/heapsampler/status.json        | | 200 | application/json | "state":"RUNNING"
            GET  | /debug/heapsampler/top.txt            | | 200 | text/plain; charset=utf-8 | === Live: the
            GET  | /debug/heapsampler/top.json           | | 200 | application/json | "totals":{"live":{"bytes":{"value":
            GET  | /debug/heapsampler/metrics            | | 200 | text/plain; version=0.0.4; charset=utf-8 | heapsampler_live_bytes
            GET  | /debug/heapsampler/flame.html         | | 200 | text/html; charset=utf-8 | <!DOCTYPE html>
            GET  | /debug/heapsampler/diff.html?seconds=0 | | 400 | text/plain; charset=utf-8 | must be a positive integer
            GET  | /debug/heapsampler/snapshot.json      | | 200 | application/json | "sites"
            GET  | /debug/heapsampler/snapshot.hsnap     | | 200 | application/octet-stream | HSNP
            GET  | /debug/heapsampler/snapshot.jfr       | | 200 | application/octet-stream |
            GET  | /debug/heapsampler/snapshot.csv       | | 200 | text/csv;charset=utf-8 |
            GET  | /debug/heapsampler/snapshot.collapsed?metric=inuse_space | | 200 | text/plain;charset=utf-8 | FakeSource.sampled
            GET  | /debug/heapsampler/snapshot.collapsed?metric=x | | 400 | text/plain; charset=utf-8 | invalid value for "metric"
            GET  | /debug/heapsampler/growth.json?seconds=1 | | 400 | text/plain; charset=utf-8 | growth needs 2 seconds
            GET  | /debug/heapsampler/growth.json?seconds=30&gc=1 | | 400 | text/plain; charset=utf-8 | needs 44 seconds
            GET  | /debug/heapsampler/doctor             | | 200 | text/plain; charset=utf-8 | GC doctor:
            HEAD | /debug/heapsampler/doctor             | | 200 | text/plain; charset=utf-8 |
            GET  | /debug/heapsampler/doctor?format=json | | 200 | application/json | "findings"
            GET  | /debug/heapsampler/doctor?format=html | | 200 | text/html; charset=utf-8 | <!DOCTYPE html>
            GET  | /debug/heapsampler/doctor?format=xml  | | 400 | text/plain; charset=utf-8 | must be text, json or html
            POST | /debug/heapsampler/doctor             | Origin: http://localhost | 405 | text/plain; charset=utf-8 | GET, HEAD only
            GET  | /debug/heapsampler/heldby             | | 405 | text/plain; charset=utf-8 | POST only
            HEAD | /debug/heapsampler/heldby             | | 405 | text/plain; charset=utf-8 |
            POST | /debug/heapsampler/heldby             | | 403 | text/plain; charset=utf-8 | A change needs the token
            POST | /debug/heapsampler/heldby?format=xml  | Origin: http://localhost | 400 | text/plain; charset=utf-8 | must be json, text or pprof
            GET  | /debug/heapsampler/nothing            | | 404 | text/plain; charset=utf-8 | There is nothing at this address
            GET  | /debug/heapsampler/start              | | 405 | text/plain; charset=utf-8 | POST only
            GET  | /debug/heapsampler/stop               | | 405 | text/plain; charset=utf-8 | POST only
            GET  | /debug/heapsampler/interval?interval=65536 | | 405 | text/plain; charset=utf-8 | POST only
            GET  | /debug/heapsampler/reset              | | 405 | text/plain; charset=utf-8 | POST only
            GET  | /debug/heapsampler/gc?allowed=true    | | 405 | text/plain; charset=utf-8 | POST only
            POST | /debug/heapsampler/start              | Origin: http://localhost | 200 | application/json | "state"
            POST | /debug/heapsampler/start              | Origin: http://localhost; Accept: text/html | 303 | text/plain; charset=utf-8 |
            POST | /debug/heapsampler/start              | Sec-Fetch-Site: same-origin | 200 | application/json | "state"
            POST | /debug/heapsampler/start              | | 403 | text/plain; charset=utf-8 | A change needs the token
            POST | /debug/heapsampler/interval           | Origin: http://localhost | 400 | text/plain; charset=utf-8 | must be from 8192 to 2147483647 bytes
            POST | /debug/heapsampler/interval?interval=0 | Origin: http://localhost | 400 | text/plain; charset=utf-8 | must be from 8192
            POST | /debug/heapsampler/interval?interval=131072 | Origin: http://localhost | 200 | application/json | "interval":131072
            POST | /debug/heapsampler/gc?allowed=maybe   | Origin: http://localhost | 400 | text/plain; charset=utf-8 | must be true or false
            POST | /debug/heapsampler/gc?allowed=true    | Origin: http://localhost | 200 | application/json | "gcAllowed":true
            GET  | /debug/pprof/heap                     | Host: evil.example | 403 | text/plain; charset=utf-8 | host name is not known
            GET  | /debug/pprof/heap                     | Host: 127.0.0.1:6060 | 200 | application/octet-stream |
            GET  | /debug/pprof/heap                     | X-Forwarded-For: 192.0.2.7 | 200 | application/octet-stream |
            GET  | /debug/pprof/heap                     | X-Forwarded-Host: localhost | 403 | text/plain; charset=utf-8 | host name is not known
            GET  | /debug/pprof/heap                     | X-Forwarded-Host: localhost; Host: evil.example | 403 | text/plain; charset=utf-8 | host name is not known
            GET  | /secure/debug/pprof/                  | | 401 | text/plain; charset=utf-8 | Send the token
            GET  | /secure/debug/pprof/nothing           | | 401 | text/plain; charset=utf-8 | Send the token
            GET  | /secure/debug/pprof/heap?token=0123456789abcdef-the-token | | 401 | text/plain; charset=utf-8 | Send the token
            GET  | /secure/debug/pprof/heap              | Authorization: Bearer 0123456789abcdef-the-toke | 401 | text/plain; charset=utf-8 | Send the token
            GET  | /secure/debug/pprof/heap              | Authorization: Bearer 0123456789abcdef-the-token | 200 | application/octet-stream |
            GET  | /secure/debug/pprof/heap              | Authorization: Basic dTowMTIzNDU2Nzg5YWJjZGVmLXRoZS10b2tlbg== | 200 | application/octet-stream |
            GET  | /secure/debug/pprof/heap              | Authorization: Basic !!! | 401 | text/plain; charset=utf-8 | Send the token
            GET  | /secure/debug/pprof/heap              | Authorization: Bearer 0123456789abcdef-the-token; Host: evil.example | 403 | text/plain; charset=utf-8 | host name is not known
            POST | /secure/debug/heapsampler/gc?allowed=true | Authorization: Bearer 0123456789abcdef-the-token | 200 | application/json | "gcAllowed":true
            POST | /secure/debug/heapsampler/gc?allowed=true | Authorization: Basic dTowMTIzNDU2Nzg5YWJjZGVmLXRoZS10b2tlbg== | 403 | text/plain; charset=utf-8 | A change needs the token
            """;

    /** Short, because many tests wait for some of them. */
    static final Duration SECOND = Duration.ofMillis(100);

    private Contract() {}

    /** One line of the table. */
    record Row(
            String method,
            String target,
            List<String> headers,
            int status,
            String contentType,
            String body) {

        private static Row of(String line) {
            String[] fields = line.split("\\|", -1);
            return new Row(
                    fields[0].trim(),
                    fields[1].trim(),
                    fields[2].isBlank()
                            ? List.of()
                            : Stream.of(fields[2].split(";")).map(String::trim).toList(),
                    Integer.parseInt(fields[3].trim()),
                    fields[4].trim(),
                    fields[5].trim());
        }

        /** Go gives its errors a header of their own. */
        String goPprof() {
            return status >= 400 && target.contains("/debug/pprof") ? "1" : "";
        }

        String disposition() {
            String name = target.replaceAll("^.*/|[?].*", "");
            boolean isFile =
                    status == 200
                            && method.equals("GET")
                            && (contentType.equals(Answers.BINARY) || name.startsWith("snapshot"));
            return isFile ? "attachment; filename=\"" + name + "\"" : "";
        }

        @Override
        public String toString() {
            return method + " " + target + " " + headers;
        }
    }

    static List<Row> rows() {
        return ROWS.lines().map(Row::of).toList();
    }

    static EndpointOptions open() {
        return EndpointOptions.builder().allowUnauthenticated().second(SECOND).build();
    }

    static EndpointOptions secure() {
        return EndpointOptions.builder().prefix("/secure").token(TOKEN).build();
    }
}
