// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package com.acme.größe

inline fun elsewhere(size: Int) {
    last = ByteArray(size)
}
