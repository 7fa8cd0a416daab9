// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package io.heapsampler.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Keys of responses that several clients may share. */
class ParametersTest {

    private static String key(String query) throws Refusal {
        EndpointRequest request = Asking.request("GET", "/?" + query).build();
        Parameters parameters = Parameters.of(request);
        return "heap" + parameters.labelsKey() + parameters.onlyKey();
    }

    @Test
    void requestsForDifferentSamplesHaveDifferentKeys() throws Refusal {
        Set<String> keys = new LinkedHashSet<>();
        List<String> queries =
                List.of(
                        "",
                        "label=tenant",
                        "only=a=b",
                        "label=tenant&only=a=b",
                        "label=tenant+only+a=b",
                        "labels=0",
                        "traces=0",
                        "traces=0&label=tenant",
                        "traces=0&only=label+tenant=",
                        "only=a=",
                        "only=a=b+only+c=d");
        for (String query : queries) {
            keys.add(key(query));
        }
        assertThat(keys).hasSameSizeAs(queries);
    }

    @Test
    void requestsForTheSameSamplesHaveOneKey() throws Refusal {
        assertThat(key("only=a=b&label=tenant")).isEqualTo(key("label=tenant&only=a%3Db"));
        assertThat(key("labels=0&label=tenant")).isEqualTo(key("labels=0"));
        assertThat(key("label=&only=&traces=1")).isEqualTo(key(""));
    }
}
