/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_options.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static struct hs_options options;
static char message[HS_OPTIONS_MESSAGE];

static void accepted(const char *text) {
    cr_assert(hs_options_read(text, &options, message), "%s", message);
    cr_assert_str_eq(message, "");
}

static void refused(const char *text, const char *why) {
    cr_assert_not(hs_options_read(text, &options, message));
    cr_assert_str_eq(message, why);
}

Test(options, options_that_are_not_named_have_their_defaults) {
    accepted(NULL);
    accepted("");
    cr_assert_eq(options.interval, 524288);
    cr_assert_eq(options.allocations, 0);
    cr_assert_eq(options.at_most_one_us, 0);
    cr_assert_eq(options.max_overhead, 0, "as others ask");
    cr_assert_eq(options.max_depth, 128);
    cr_assert_eq(options.max_tracked, UINT64_MAX);
    cr_assert_eq(options.max_stacks, 32768);
    cr_assert_eq(options.max_names, 65536);
    cr_assert_eq(options.max_sites, 32768);
    cr_assert_eq(options.max_threads, 8192);
    cr_assert_eq(options.max_dead, 4096);
    cr_assert_str_eq(options.report_on_oom, "");
}

Test(options, each_is_read) {
    accepted("interval=64k,atMostOnePer=20ms,maxDepth=64,maxTracked=0,maxStacks=16,maxNames=17,"
             "maxSites=18,maxThreads=19,maxDead=20,reportOnOom=/tmp/a=b.txt");
    cr_assert_eq(options.interval, 65536);
    cr_assert_eq(options.at_most_one_us, 20000);
    cr_assert_eq(options.max_depth, 64);
    cr_assert_eq(options.max_tracked, 0);
    cr_assert_eq(options.max_stacks, 16);
    cr_assert_eq(options.max_names, 17);
    cr_assert_eq(options.max_sites, 18);
    cr_assert_eq(options.max_threads, 19);
    cr_assert_eq(options.max_dead, 20);
    cr_assert_str_eq(options.report_on_oom, "/tmp/a=b.txt");
    accepted("allocations=10000,");
    cr_assert_eq(options.allocations, 10000);
    cr_assert_eq(options.interval, 0);
    accepted("maxOverhead=0.02");
    cr_assert_eq(options.max_overhead, 20000);
    accepted("maxOverhead=1");
    cr_assert_eq(options.max_overhead, 1000000);
    accepted("maxOverhead=0.0001000");
    cr_assert_eq(options.max_overhead, 100);
    accepted("maxOverhead=0.12345678901234567890123456789");
    cr_assert_eq(options.max_overhead, 123456);
    accepted("interval=0");
    cr_assert_eq(options.interval, 0);
    accepted("interval=2M,atMostOnePer=1500us");
    cr_assert_eq(options.interval, 2097152);
    cr_assert_eq(options.at_most_one_us, 1500);
}

Test(options, a_number_too_large_for_64_bits_is_refused) {
    /* 2^34 + 1 times 2^30 is 2^64 + 2^30 */
    refused("interval=17179869185g",
            "interval must be from 0 to 2147483647 bytes (k, m and g may follow), but is "
            "\"17179869185g\"");
}

Test(options, an_unknown_one_lists_the_valid) {
    refused("intervall=64k",
            "there is no option \"intervall\"; valid are interval, allocations, "
            "atMostOnePer, maxOverhead, maxDepth, maxTracked, maxStacks, maxNames, "
            "maxSites, maxThreads, maxDead, reportOnOom, as in interval=64k,maxDepth=64");
    refused(",", "there is no option \"\"; valid are interval, allocations, "
                 "atMostOnePer, maxOverhead, maxDepth, maxTracked, maxStacks, maxNames, "
                 "maxSites, maxThreads, maxDead, reportOnOom, as in interval=64k,maxDepth=64");
}

Test(options, a_bad_value_is_reported_with_its_range) {
    refused("interval=-1", "interval must be from 0 to 2147483647 bytes (k, m and g may follow), "
                           "but is \"-1\"");
    refused("interval", "interval must be from 0 to 2147483647 bytes (k, m and g may follow), but "
                        "is \"\"");
    refused("interval=2g", "interval must be from 0 to 2147483647 bytes (k, m and g may follow), "
                           "but is \"2g\"");
    refused("maxDepth=0", "maxDepth must be from 1 to 1024, but is \"0\"");
    refused("maxDepth=8k", "maxDepth must be from 1 to 1024, but is \"8k\"");
    refused("maxDead=9999999999999999999999", "maxDead must be from 16 to 524288, but is "
                                              "\"9999999999999999999999\"");
    refused("atMostOnePer=20", "atMostOnePer must be from 1000 to 3600000000 us (us, ms or s must "
                               "follow), but is \"20\"");
    refused("atMostOnePer=20h", "atMostOnePer must be from 1000 to 3600000000 us (us, ms or s must "
                                "follow), but is \"20h\"");
    static const char *const SHARES[] = {"",     "0",    "1.",  "1.01",    "2",  "01",   ".5",
                                         "0..1", "0,01", "1e0", "0.00009", "5%", "-0.1", "0.1x"};
    for (size_t i = 0; i < sizeof SHARES / sizeof SHARES[0]; i++) {
        char text[64];
        (void)snprintf(text, sizeof text, "maxOverhead=%s", SHARES[i]);
        cr_assert_not(hs_options_read(text, &options, message), "%s", text);
        cr_assert_not_null(strstr(message, "from 0.0001 to 1 of the processor time, as in 0.01"));
    }
    refused("maxTracked=4194304", "maxTracked must be from 0 to 2097152, but is \"4194304\"");
    refused("reportOnOom=here.txt", "reportOnOom must be an absolute path, but is \"here.txt\"");
}

Test(options, what_does_not_go_together_is_refused) {
    const char *why = "allocations cannot go with interval or atMostOnePer: leave one away";
    refused("allocations=5,interval=0", why);
    refused("atMostOnePer=1s,allocations=5", why);
}

Test(options, long_texts_are_cut_in_messages_and_refused_as_paths) {
    char text[HS_OPTIONS_PATH + 64];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    cr_assert_not(hs_options_read(text, &options, message));
    cr_assert_lt(strlen(message), (size_t)HS_OPTIONS_MESSAGE - 1);
    memcpy(text, "reportOnOom=/", 13);
    cr_assert_not(hs_options_read(text, &options, message));
    cr_assert_not_null(strstr(message, "must be an absolute path, but is \"/xxx"));
}
