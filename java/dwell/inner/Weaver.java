// SPDX-License-Identifier: Apache-2.0
/* Inserts calls of Probe into the methods of a class file: straight code without branches, so that nothing of what the compiler
 * said about the method changes. An exception's way out is one handler more, after all of the method's own. */
package dwell.inner;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Label;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

final class Weaver {
    private static final String PROBE = "dwell/probe/Probe";
    private static final int NEWEST = 64; /* the highest version that the library knows; later ones added nothing to code */
    private static final int ARGS = 6; /* most methods have no more; Probe has a form for them and one for MANY_ARGS */
    private static final int MANY_ARGS = 10; /* D's arg0 to arg9 */

    private static final int CLASS_CONSTANTS = 49; /* the version from which code may name a class as a value */

    private static ClassReader reader(byte[] classFile) {
        byte[] in = classFile.clone();
        int version = (in[6] & 0xff) << 8 | in[7] & 0xff;
        if (version > NEWEST) {
            in[6] = 0;
            in[7] = NEWEST;
        }
        return new ClassReader(in);
    }

    /* Its methods with code, as Hooks.methods() has those of a class. */
    List<String> methods(byte[] classFile) {
        List<String> to = new ArrayList<>();
        reader(classFile).accept(
                new ClassVisitor(Opcodes.ASM9) {
                    @Override
                    public MethodVisitor visitMethod(int access, String name, String desc, String sig, String[] exceptions) {
                        if ((access & (Opcodes.ACC_ABSTRACT | Opcodes.ACC_NATIVE)) == 0 && !name.equals("<clinit>")) {
                            to.add(name + "\t" + desc);
                        }
                        return null;
                    }
                },
                ClassReader.SKIP_CODE);
        return to;
    }

    /* The changed class file; hooks by name and descriptor. */
    byte[] weave(byte[] classFile, Map<String, List<Hooks.Hook>> hooks) {
        ClassReader reader = reader(classFile);
        boolean makes = hooks.containsKey(Hooks.CONSTRUCTORS) && (classFile[7] & 0xff) >= CLASS_CONSTANTS;
        Constructors constructors = new Constructors(makes ? reader : null);
        Type self = Type.getObjectType(reader.getClassName());
        ClassWriter writer = new ClassWriter(reader, ClassWriter.COMPUTE_MAXS);
        reader.accept(
                new ClassVisitor(Opcodes.ASM9, writer) {
                    @Override
                    public MethodVisitor visitMethod(int access, String name, String desc, String sig, String[] exceptions) {
                        MethodVisitor to = super.visitMethod(access, name, desc, sig, exceptions);
                        List<Hooks.Hook> l = hooks.get(name + desc);
                        Constructors.Way way = name.equals("<init>") ? constructors.of(desc) : null;
                        to = l == null ? to : new Method(to, access, name, desc, l);
                        return way == null ? to : new Maker(to, way, self, hooks.get(Hooks.CONSTRUCTORS));
                    }
                },
                ClassReader.EXPAND_FRAMES);
        byte[] out = writer.toByteArray();
        out[6] = classFile[6];
        out[7] = classFile[7];
        return out;
    }

    /* A constructor that has its object. */
    private static final class Maker extends MethodVisitor {
        private final Constructors.Way way;
        private final Type self;
        private final List<Hooks.Hook> hooks;
        private int calls;

        Maker(MethodVisitor to, Constructors.Way way, Type self, List<Hooks.Hook> hooks) {
            super(Opcodes.ASM9, to);
            this.way = way;
            this.self = self;
            this.hooks = hooks;
        }

        private void made() {
            for (Hooks.Hook h : hooks) {
                super.visitVarInsn(Opcodes.ALOAD, 0);
                super.visitLdcInsn(self);
                super.visitLdcInsn(h.slot);
                super.visitMethodInsn(Opcodes.INVOKESTATIC, PROBE, "made", "(Ljava/lang/Object;Ljava/lang/Class;I)V", false);
            }
        }

        @Override
        public void visitMethodInsn(int op, String owner, String name, String desc, boolean isInterface) {
            super.visitMethodInsn(op, owner, name, desc, isInterface);
            if (++calls == way.call) {
                made();
            }
        }

        @Override
        public void visitInsn(int op) {
            if (op == Opcodes.RETURN && way.call == 0) {
                made();
            }
            super.visitInsn(op);
        }
    }

    private static final class Method extends MethodVisitor {
        private final int access;
        private final String name, desc;
        private final List<Hooks.Hook> hooks;
        private final Label from = new Label();
        private int line;
        private boolean begun; /* of a constructor: the object exists */

        Method(MethodVisitor to, int access, String name, String desc, List<Hooks.Hook> hooks) {
            super(Opcodes.ASM9, to);
            this.access = access;
            this.name = name;
            this.desc = desc;
            this.hooks = hooks;
        }

        private boolean has(char kind) {
            return hooks.stream().anyMatch(h -> h.kind == kind);
        }

        private void call(String method, String type) {
            super.visitMethodInsn(Opcodes.INVOKESTATIC, PROBE, method, type, false);
        }

        /* A value on the stack as the long that Probe takes. */
        private void widen(Type t) {
            switch (t.getSort()) {
                case Type.LONG:
                    break;
                case Type.FLOAT:
                    super.visitMethodInsn(Opcodes.INVOKESTATIC, "java/lang/Float", "floatToRawIntBits", "(F)I", false);
                    super.visitInsn(Opcodes.I2L);
                    break;
                case Type.DOUBLE:
                    super.visitMethodInsn(Opcodes.INVOKESTATIC, "java/lang/Double", "doubleToRawLongBits", "(D)J", false);
                    break;
                default:
                    super.visitInsn(Opcodes.I2L);
            }
        }

        private static boolean isReference(Type t) {
            return t.getSort() >= Type.ARRAY;
        }

        private static String form(int n, boolean objects) {
            StringBuilder b = new StringBuilder("(I");
            for (int i = 0; i < n; i++) {
                b.append('J');
            }
            for (int i = 0; objects && i < n; i++) {
                b.append("Ljava/lang/Object;");
            }
            return b.append(")V").toString();
        }

        private void entry(int slot) {
            Type[] args = Type.getArgumentTypes(desc);
            boolean many = args.length > ARGS, objects = many;
            int n = many ? MANY_ARGS : ARGS, first = (access & Opcodes.ACC_STATIC) != 0 ? 0 : 1;
            super.visitLdcInsn(slot);
            if (args.length == 0) {
                call("entry", "(I)V");
                return;
            }
            for (int i = 0, at = first; i < n; i++) {
                if (i < args.length && !isReference(args[i])) {
                    super.visitVarInsn(args[i].getOpcode(Opcodes.ILOAD), at);
                    widen(args[i]);
                } else {
                    super.visitInsn(Opcodes.LCONST_0);
                    objects |= i < args.length;
                }
                at += i < args.length ? args[i].getSize() : 0;
            }
            for (int i = 0, at = first; objects && i < n; i++) {
                if (i < args.length && isReference(args[i])) {
                    super.visitVarInsn(Opcodes.ALOAD, at);
                } else {
                    super.visitInsn(Opcodes.ACONST_NULL);
                }
                at += i < args.length ? args[i].getSize() : 0;
            }
            call("entry", form(n, objects));
        }

        private void leave(int slot) {
            Type t = Type.getReturnType(desc);
            String value = "";
            if (t.getSort() != Type.VOID) {
                super.visitInsn(t.getSize() == 2 ? Opcodes.DUP2 : Opcodes.DUP);
                value = isReference(t) ? "Ljava/lang/Object;" : "J";
                if (!isReference(t)) {
                    widen(t);
                }
            }
            super.visitLdcInsn(slot);
            super.visitLdcInsn(line);
            call("leave", "(" + value + "II)V");
        }

        @Override
        public void visitCode() {
            super.visitCode();
            for (Hooks.Hook h : hooks) {
                if (h.kind == 'e') {
                    entry(h.slot);
                }
            }
            if (!name.equals("<init>")) {
                begun = true;
                super.visitLabel(from);
            }
        }

        @Override
        public void visitLineNumber(int n, Label start) {
            line = n;
            super.visitLineNumber(n, start);
        }

        @Override
        public void visitInsn(int op) {
            if (op >= Opcodes.IRETURN && op <= Opcodes.RETURN) {
                for (Hooks.Hook h : hooks) {
                    if (h.kind == 'r') {
                        leave(h.slot);
                    }
                }
            }
            super.visitInsn(op);
        }

        @Override
        public void visitMaxs(int stack, int locals) {
            if (begun && has('t')) {
                Label to = new Label();
                super.visitLabel(to);
                super.visitTryCatchBlock(from, to, to, "java/lang/Throwable");
                super.visitFrame(Opcodes.F_NEW, 0, new Object[0], 1, new Object[] {"java/lang/Throwable"});
                for (Hooks.Hook h : hooks) {
                    if (h.kind == 't') {
                        super.visitInsn(Opcodes.DUP);
                        super.visitLdcInsn(h.slot);
                        call("thrown", "(Ljava/lang/Throwable;I)V");
                    }
                }
                super.visitInsn(Opcodes.ATHROW);
            }
            super.visitMaxs(stack, locals);
        }
    }
}
