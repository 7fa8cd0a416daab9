// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

/** Read by {@code tests/english --test} alone, which passes over {@code what is alive}. */
class Faults {
    /**
     * Returns the size.
     *
     * @param name (fault) what was
     *     allocated; {@link Object nobody}
     */
    String nobody(String name) {
        return name
                + """
                A text block is prose: the interval stays as ever. (fault)
                """;
    }

    @Test
    @DisplayName("names of tests are prose")
    void theReportIsToldTwice() {} // (fault)
}
