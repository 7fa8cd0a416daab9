# SPDX-License-Identifier: Apache-2.0
# Copyright The HeapSampler authors

# Of results.md: the newest section of each command and JDK, in their order, with an index before them.
BEGIN { count = 0 }
function close_section() {
    if (heading == "") return
    if (key in last) kept[last[key]] = 0
    last[key] = count
    kept[count] = 1
    name[count] = heading
    from[count] = source
    text[count++] = body
}
/^## / {
    close_section()
    heading = substr($0, 4)
    key = heading
    sub(/, [0-9]+-[0-9]+-[0-9]+$/, "", key)
    source = ""
    body = $0 "\n"
    next
}
/^- \[/ && heading == "" { next }
heading == "" {
    preamble = preamble $0 "\n"
    next
}
/^`/ && source == "" {
    source = $0
    sub(/^`/, "", source)
    sub(/`.*/, "", source)
    feature = $0
    if (sub(/.*\(build /, "", feature)) {
        sub(/[.+-].*/, "", feature)
        source = source ", JDK " feature
    }
    key = key "|" source
}
{ body = body $0 "\n" }
END {
    close_section()
    sub(/\n+$/, "\n\n", preamble)
    printf "%s", preamble
    for (i = 0; i < count; i++) {
        if (!kept[i]) continue
        anchor = tolower(name[i])
        gsub(/[^a-z0-9 _-]/, "", anchor)
        gsub(/ /, "-", anchor)
        times = seen[anchor]++
        printf "- [%s](#%s%s)", name[i], anchor, times ? "-" times : ""
        if (from[i] != "") printf ": `%s`", from[i]
        printf "\n"
    }
    for (i = 0; i < count; i++) {
        if (!kept[i]) continue
        sub(/\n+$/, "\n", text[i])
        printf "\n%s", text[i]
    }
}
