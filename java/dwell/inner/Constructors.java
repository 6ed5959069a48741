// SPDX-License-Identifier: Apache-2.0
/* Finds where the constructors of a class have their object: after the call of the class above. One that calls another of its own class
 * is none of them, so that an object is seen once. */
package dwell.inner;

import java.util.HashMap;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;

final class Constructors {
    static final class Way {
        final int call; /* after this call, counted from 1; 0: where it returns */

        Way(int call) {
            this.call = call;
        }
    }

    private final Map<String, Way> ways = new HashMap<>();

    /* null: none is wanted. An abstract class has no objects, and Object's own constructor is called for every object. */
    Constructors(ClassReader reader) {
        if (reader == null || (reader.getAccess() & Opcodes.ACC_ABSTRACT) != 0 || reader.getSuperName() == null) {
            return;
        }
        reader.accept(
                new ClassVisitor(Opcodes.ASM9) {
                    @Override
                    public MethodVisitor visitMethod(int access, String name, String desc, String sig, String[] exceptions) {
                        return name.equals("<init>") ? new Look(desc, reader.getClassName(), reader.getSuperName()) : null;
                    }
                },
                ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    }

    Way of(String desc) {
        return ways.get(desc);
    }

    /* Code without branches before the call is followed exactly: each NEW has its constructor's call, and the one without a NEW is that
     * of this object. With branches, what compilers do not make could mislead that, and calls in the wrong place would not be verified:
     * then the object is there where the constructor returns. */
    private final class Look extends MethodVisitor {
        private final String desc, self, above;
        private int calls, made; /* objects that wait for their constructor */
        private int call; /* -1: of its own class */
        private boolean branches, lost; /* lost: the place of the object is used for something else */

        Look(String desc, String self, String above) {
            super(Opcodes.ASM9);
            this.desc = desc;
            this.self = self;
            this.above = above;
        }

        @Override
        public void visitTypeInsn(int op, String type) {
            made += op == Opcodes.NEW && call == 0 ? 1 : 0;
        }

        @Override
        public void visitVarInsn(int op, int at) {
            lost |= op >= Opcodes.ISTORE && op <= Opcodes.ASTORE && at == 0;
        }

        @Override
        public void visitIincInsn(int at, int by) {
            lost |= at == 0;
        }

        private void branch() {
            branches |= call == 0;
        }

        @Override
        public void visitJumpInsn(int op, Label to) {
            branch();
        }

        @Override
        public void visitTableSwitchInsn(int min, int max, Label other, Label... to) {
            branch();
        }

        @Override
        public void visitLookupSwitchInsn(Label other, int[] keys, Label[] to) {
            branch();
        }

        @Override
        public void visitInsn(int op) {
            if (op == Opcodes.ATHROW || op == Opcodes.RETURN) {
                branch();
            }
        }

        @Override
        public void visitMethodInsn(int op, String owner, String name, String d, boolean isInterface) {
            calls++;
            if (op != Opcodes.INVOKESPECIAL || !name.equals("<init>") || call != 0 || made-- > 0) {
                return;
            }
            call = owner.equals(self) ? -1 : calls;
            lost |= !owner.equals(self) && !owner.equals(above);
        }

        @Override
        public void visitEnd() {
            if (call > 0 && !lost) {
                ways.put(desc, new Way(branches ? 0 : call));
            }
        }
    }
}
