// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package com.acme.größe

import io.heapsampler.junit.AllocationBaseline
import io.heapsampler.junit.MaxAllocation
import org.junit.jupiter.api.Nested
import org.junit.jupiter.api.Test

@JvmField var last: Any? = null

@JvmField val EMPTY = ByteArray(0)

inline fun <T> twice(action: () -> T): T {
    action()
    return action()
}

inline fun filled(size: Int): ByteArray {
    val array = ByteArray(size)
    last = array
    return array
}

inline fun copied(size: Int) {
    last = java.util.Arrays.copyOf(EMPTY, size)
}

class `Größe und Maß` {

    @Test
    @MaxAllocation("1 KB")
    fun `fills what it is given`() {
        last = 0
        filled(5_000) // inlined here
    }

    @Test
    @MaxAllocation("1 KB")
    fun `fills in a lambda, twice`() {
        twice {
            last = ByteArray(4_000) // in the lambda
        }
    }

    @Test
    @MaxAllocation("1 KB")
    fun `fills elsewhere`() {
        elsewhere(6_000) // inlined from elsewhere
    }

    @Test
    @MaxAllocation("1 KB")
    fun `copies, in the JDK`() {
        copied(9_000) // inlined above the JDK
    }

    @Test
    @AllocationBaseline
    fun `costs $5 = 5 € @17`() {
        filled(7_000)
    }

    @Nested
    inner class `$ within` {

        @Test
        @MaxAllocation("1 KB")
        fun `costs $5`() {
            filled(8_000) // inlined in a nested class
        }
    }
}
