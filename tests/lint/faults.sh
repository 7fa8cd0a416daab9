# SPDX-License-Identifier: Apache-2.0
# Copyright The HeapSampler authors
# shellcheck shell=bash

# Read by tests/english --test alone. (fault) It asks
# for a file.
nobody=${1#asked for}
echo "Fixed: $nobody" # no hit
echo "the port cannot be had" # (fault)
