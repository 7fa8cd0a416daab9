// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors
package holders.cases;

import holders.Case;
import java.lang.reflect.Field;
import java.util.List;

/** The bytes of a string, which the walk does not follow in general. */
public final class BytesOfString extends Case {
    private static String text;

    @Override
    public Object hold() throws Exception {
        Field value = String.class.getDeclaredField("value"); // --add-opens java.base/java.lang
        value.setAccessible(true);
        text = new String("x");
        byte[] bytes = new byte[100_003];
        value.set(text, bytes);
        return bytes;
    }

    @Override
    public List<String> paths() {
        return List.of("static BytesOfString.text: String > String.value: byte[]");
    }

    @Override
    public boolean isTarget(String className, long size) {
        return className.equals("byte[]") && size > 100_000;
    }
}
