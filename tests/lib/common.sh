# SPDX-License-Identifier: Apache-2.0
# Copyright The HeapSampler authors
# shellcheck shell=bash

# What tests/*, examples/run and .ci/run share. Sourced, never run.

if [[ -n ${NO_COLOR:-} || ! -t 1 ]]; then BOLD='' PLAIN=''; else BOLD=$'\e[1m' PLAIN=$'\e[0m'; fi

say() { printf '%s%s%s\n' "$BOLD" "$*" "$PLAIN"; }
die() {
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# retry <command>...: up to three times, for what asks others over the network.
retry() {
    local left=3
    until "$@"; do
        ((--left > 0)) || return 1
        sleep 10
    done
}

# need <package> <command or file>...: notes the Debian package if one of them is missing.
MISSING_PACKAGES=()
need() {
    local package=$1 thing
    shift
    for thing in "$@"; do
        if [[ $thing == /* ]]; then
            [[ -e $thing ]] && continue
        else
            command -v "$thing" >/dev/null && continue
        fi
        MISSING_PACKAGES+=("$package")
        return 0
    done
}

# Installs the packages noted by need; without the right to do so, says the command and stops.
install_missing() {
    ((${#MISSING_PACKAGES[@]})) || return 0
    local command="apt-get -o Acquire::Retries=3 update && apt-get -o Acquire::Retries=3 install -y --no-install-recommends ${MISSING_PACKAGES[*]}"
    if ((EUID != 0)) || ! command -v apt-get >/dev/null; then
        die "missing: ${MISSING_PACKAGES[*]}. As root on Debian or Ubuntu:
  $command"
    fi
    say "installing ${MISSING_PACKAGES[*]}"
    DEBIAN_FRONTEND=noninteractive bash -c "$command" >/dev/null ||
        die "could not install packages; try: $command"
    MISSING_PACKAGES=()
}

need_build_tools() {
    need gcc gcc
    need libc6-dev /usr/include/stdlib.h
    need make make
    need cmake cmake
    need maven mvn
    [[ -n $(jdk_with_javac 17) ]] || need openjdk-17-jdk-headless /nowhere
}

# jdk_feature <home>: prints the Java feature version, such as 17; nothing if it is no JDK.
jdk_feature() {
    [[ -x $1/bin/java && -r $1/release ]] || return 0
    sed -n 's/^JAVA_VERSION="\([0-9]*\).*/\1/p' "$1/release"
}

# Prints the homes to look at, the most explicit first.
jdk_candidates() {
    local home
    local -a listed=()
    [[ -n ${HEAPSAMPLER_JDKS:-} ]] && IFS=: read -r -a listed <<<"$HEAPSAMPLER_JDKS"
    for home in "${listed[@]}" "${JAVA_HOME:-}" /usr/lib/jvm/* /opt/java/* /opt/jdk* \
        "$HOME"/.sdkman/candidates/java/* "$HOME"/.jdks/*; do
        [[ -n $home && -d $home ]] && printf '%s\n' "$home"
    done
}

# jdk_home <feature>: prints the first home of that version; nothing if there is none.
jdk_home() {
    local home
    while read -r home; do
        if [[ $(jdk_feature "$home") == "$1" ]]; then
            printf '%s\n' "$home"
            return 0
        fi
    done < <(jdk_candidates)
}

# jdk_with_javac <feature>: as jdk_home, but only one that can compile and has jvmti.h.
jdk_with_javac() {
    local home
    while read -r home; do
        if [[ $(jdk_feature "$home") == "$1" && -x $home/bin/javac && -r $home/include/jvmti.h ]]; then
            printf '%s\n' "$home"
            return 0
        fi
    done < <(jdk_candidates)
}

# The build runs on JDK 17, the floor, whatever else is installed.
use_jdk_17() {
    JAVA_HOME=$(jdk_with_javac 17)
    [[ -n $JAVA_HOME ]] || die "no JDK 17 with javac found. Install openjdk-17-jdk-headless, or name its home in JAVA_HOME or HEAPSAMPLER_JDKS."
    export JAVA_HOME
}
