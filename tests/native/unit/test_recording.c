/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */
#include "hs_recording.h"

#include <criterion/criterion.h>
#include <string.h>

#include "hs_mem.h"

static struct hs_recording *make(const struct hs_filter *filter) {
    struct hs_recording *recording;
    cr_assert_eq(hs_recording_new(filter, 10, 10, &recording), HS_OK);
    return recording;
}

static bool wants_class(const struct hs_recording *recording, const char *name) {
    return hs_recording_wants(recording, 1000, 1, name, (uint32_t)strlen(name));
}

static bool wants_thread(const struct hs_recording *recording, int64_t thread) {
    return hs_recording_wants(recording, 1000, thread, "a.B", 3);
}

Test(recording, without_a_filter_wants_everything) {
    size_t before = hs_mem_used();
    struct hs_recording *recording = make(&(struct hs_filter){0});
    cr_assert(wants_class(recording, "java.lang.String"));
    cr_assert(wants_class(recording, "byte[]"));
    cr_assert(wants_class(recording, ""));
    cr_assert(wants_thread(recording, 1));
    cr_assert(wants_thread(recording, INT64_MAX));
    hs_recording_free(recording);
    hs_recording_free(NULL);
    cr_assert_eq(hs_mem_used(), before);
}

Test(recording, starts_with_empty_sums) {
    struct hs_recording *recording = make(&(struct hs_filter){0});
    struct hs_total total;
    cr_assert_eq(hs_tally_sum(&recording->samples), 0);
    cr_assert_eq(recording->deaths, 0);
    for (int i = 0; i < HS_DROP_COUNT; i++) {
        cr_assert_eq(recording->drops[i], 0);
    }
    cr_assert_not(hs_totals_read(recording->sums[0].sites.totals, 0, &total));
    cr_assert_not(hs_totals_read(recording->sums[0].threads.totals, 0, &total));
    hs_recording_free(recording);
}

Test(recording, classes_pass_by_their_whole_name) {
    const char *classes[] = {"java.lang.String", "byte[]"};
    struct hs_filter filter = {.classes = classes, .class_count = 2};
    struct hs_recording *recording = make(&filter);
    cr_assert(wants_class(recording, "java.lang.String"));
    cr_assert(wants_class(recording, "byte[]"));
    static const char *const OTHERS[] = {"java.lang.Strin",
                                         "java.lang.StringBuilder",
                                         "byte",
                                         "java.lang.String[]",
                                         "byte[][]",
                                         "String",
                                         ""};
    for (int i = 0; i < 7; i++) {
        cr_assert_not(wants_class(recording, OTHERS[i]), "%s", OTHERS[i]);
    }
    hs_recording_free(recording);
}

Test(recording, packages_take_what_lies_in_or_below_them) {
    const char *packages[] = {"shop.cart", "java.util"};
    struct hs_filter filter = {.packages = packages, .package_count = 2};
    struct hs_recording *recording = make(&filter);
    static const char *const WANTED[] = {"shop.cart.Cart", "shop.cart.deep.er.Cart",
                                         "java.util.HashMap$Node[]", "java.util.HashMap"};
    static const char *const OTHERS[] = {
        "shop.cart",         "shop.cartoon.Bird", "shop.Cart", "shop.car.X",
        "my.shop.cart.Cart", "java.utilities.X",  "",          "byte[]",
        "shop.cart$Inner"};
    for (int i = 0; i < 4; i++) {
        cr_assert(wants_class(recording, WANTED[i]), "%s", WANTED[i]);
    }
    for (int i = 0; i < 9; i++) {
        cr_assert_not(wants_class(recording, OTHERS[i]), "%s", OTHERS[i]);
    }
    cr_assert_not(hs_recording_wants(recording, 1000, 1, "shop.cart.Cart", 9), "shop.cart");
    hs_recording_free(recording);
}

Test(recording, a_class_or_a_package_is_enough) {
    const char *classes[] = {"byte[]"};
    const char *packages[] = {"shop"};
    struct hs_filter filter = {
        .classes = classes, .class_count = 1, .packages = packages, .package_count = 1};
    struct hs_recording *recording = make(&filter);
    cr_assert(wants_class(recording, "byte[]"));
    cr_assert(wants_class(recording, "shop.Cart"));
    cr_assert_not(wants_class(recording, "int[]"));
    hs_recording_free(recording);
}

Test(recording, threads_pass_by_id_and_the_class_must_pass_too) {
    const int64_t threads[] = {7, INT64_MAX, (int64_t)1 << 32};
    const char *classes[] = {"a.B"};
    struct hs_filter filter = {
        .threads = threads, .thread_count = 3, .classes = classes, .class_count = 1};
    struct hs_recording *recording = make(&filter);
    cr_assert(wants_thread(recording, 7));
    cr_assert(wants_thread(recording, INT64_MAX));
    cr_assert(wants_thread(recording, (int64_t)1 << 32));
    cr_assert_not(wants_thread(recording, 0));
    cr_assert_not(wants_thread(recording, 8));
    cr_assert_not(hs_recording_wants(recording, 1000, 7, "a.C", 3));
    hs_recording_free(recording);
}

Test(recording, ends_at_its_deadline) {
    struct hs_recording *recording = make(&(struct hs_filter){0});
    atomic_store(&recording->deadline_us, 1000);
    cr_assert(hs_recording_wants(recording, 999, 1, "a.B", 3));
    cr_assert_not(hs_recording_wants(recording, 1000, 1, "a.B", 3));
    cr_assert_not(hs_recording_wants(recording, 1001, 1, "a.B", 3));
    atomic_store(&recording->deadline_us, 0);
    cr_assert(hs_recording_wants(recording, INT64_MAX, 1, "a.B", 3));
    hs_recording_free(recording);
}

Test(recording, keeps_copies_of_its_filter) {
    size_t before = hs_mem_used();
    int64_t threads[] = {7, 8};
    char class_a[] = "a.Class";
    char class_b[] = "a.longer.ClassName";
    char package[] = "some.pack";
    const char *classes[] = {class_a, class_b};
    const char *packages[] = {package};
    struct hs_filter filter = {threads, 2, classes, 2, packages, 1};
    struct hs_recording *recording = make(&filter);
    memset(threads, 0, sizeof threads);
    memset(class_a, 'x', sizeof class_a - 1);
    memset(class_b, 'x', sizeof class_b - 1);
    memset(package, 'x', sizeof package - 1);
    classes[0] = classes[1] = packages[0] = NULL;
    static const char *const WANTED[] = {"a.Class", "a.longer.ClassName", "some.pack.Thing"};
    for (int i = 0; i < 3; i++) {
        cr_assert(hs_recording_wants(recording, 0, 8, WANTED[i], (uint32_t)strlen(WANTED[i])));
    }
    cr_assert_not(wants_thread(recording, 0));
    hs_recording_free(recording);
    cr_assert_eq(hs_mem_used(), before);
}

Test(recording, counts_drops_by_cause) {
    struct hs_recording *recording = make(&(struct hs_filter){0});
    for (int cause = 0; cause < HS_DROP_COUNT; cause++) {
        for (int i = 0; i <= cause; i++) {
            hs_recording_drop(recording, (enum hs_drop)cause);
        }
    }
    for (int cause = 0; cause < HS_DROP_COUNT; cause++) {
        cr_assert_eq(recording->drops[cause], (uint64_t)cause + 1);
    }
    hs_recording_free(recording);
}
