/* SPDX-License-Identifier: Apache-2.0
 * Copyright The HeapSampler authors */

/* Class names: from a JVM signature to the name a Java programmer reads, and to the name under which
 * profiles merge. Pure text, no table.
 *
 *   [B                                      byte[]
 *   [[Ljava/lang/String;                    java.lang.String[][]
 *   Lshop/Cart$$Lambda$14.0x00007f25e0000d00;  shop.Cart$$Lambda        (raw: shop.Cart$$Lambda$14/0x00007f25e0000d00)
 *   Ljava/lang/invoke/LambdaForm$MH.0x0000;  java.lang.invoke.LambdaForm$MH
 *   Ljdk/proxy2/$Proxy12;                   jdk.proxy.$Proxy
 *   Ljdk/internal/reflect/GeneratedMethodAccessor7;  jdk.internal.reflect.GeneratedMethodAccessor
 *
 * Raw names are those of Class.getName, with arrays spelled as in source. */
#ifndef HS_SIGNATURE_H
#define HS_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

/* Longest name written; what is longer is cut. */
#define HS_SIGNATURE_MAX 1024

/* Writes the raw Java name of `signature` into `out` (HS_SIGNATURE_MAX bytes); answers its length.
 * A text that is no signature is copied as it is. Thread: Any. */
size_t hs_signature_to_name(const char *signature, char *out);

/* Writes the name under which `raw` merges with its like; answers its length, and in *hidden whether
 * the class is a hidden one (lambda, lambda form, other class defined without a name).
 * `out` (HS_SIGNATURE_MAX bytes) may not overlap `raw`. Thread: Any. */
size_t hs_signature_normalise(const char *raw, size_t bytes, char *out, bool *hidden);

#endif
