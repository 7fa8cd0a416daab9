// SPDX-License-Identifier: Apache-2.0
// Copyright The HeapSampler authors

package programs.third;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import javassist.ClassPool;
import javassist.CtClass;
import javassist.CtNewMethod;
import programs.more.Load;

/**
 * Healthy: the first message of each type makes Javassist generate a mapper class, which stays; in
 * the second half of the run hardly any type is new.
 */
public final class JavassistMappers {

    private static final int MESSAGES_A_SECOND = 300;

    private static final int TYPES = 1_500;

    private static long length;

    private final Random random = new Random(1);

    private final ClassPool pool = new ClassPool(true);

    private final Map<Integer, Mapper> mappers = new HashMap<>();

    /** Writes a message of its type. */
    public interface Mapper {
        String map(String[] values);
    }

    private Mapper generate(int type) {
        try {
            CtClass made = pool.makeClass("programs.third.Mapper" + type);
            made.addInterface(pool.get(Mapper.class.getName()));
            StringBuilder body = new StringBuilder("public String map(String[] values) {");
            body.append("StringBuilder text = new StringBuilder(\"type ").append(type);
            body.append("\");");
            for (int i = 0; i < 20; i++) {
                body.append("if (values.length > ").append(i).append(") { text.append(\", field ");
                body.append(type * 20 + i).append(": \").append(values[").append(i).append("]); }");
            }
            made.addMethod(CtNewMethod.make(body + "return text.toString(); }", made));
            Mapper mapper =
                    (Mapper) made.toClass(Mapper.class).getDeclaredConstructor().newInstance();
            made.detach();
            return mapper;
        } catch (Exception e) {
            throw new IllegalStateException("type " + type, e);
        }
    }

    private int handle(int number) {
        int type = random.nextInt(TYPES);
        String[] values = new String[20];
        for (int i = 0; i < values.length; i++) {
            values[i] = "value " + i + " of message " + number;
        }
        return mappers.computeIfAbsent(type, this::generate).map(values).length();
    }

    public static void main(String... args) {
        JavassistMappers broker = new JavassistMappers();
        Load.at(MESSAGES_A_SECOND, args, number -> length += broker.handle(number));
        System.out.println("length " + length + ", mappers " + broker.mappers.size());
    }
}
