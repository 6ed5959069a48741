// SPDX-License-Identifier: Apache-2.0
/* Keeps which methods hit which probes, for all sessions, and has the JVM transform the classes whose methods change. */
package dwell.inner;

import dwell.probe.Probe;

import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.security.ProtectionDomain;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

final class Hooks implements ClassFileTransformer {
    /* What is inserted into a method: 'e' entry, 'r' return, 't' throw. */
    static final class Hook {
        final char kind;
        final int slot;
        final Object owner;

        Hook(char kind, int slot, Object owner) {
            this.kind = kind;
            this.slot = slot;
            this.owner = owner;
        }
    }

    private final Instrumentation inst;
    private final Weaver weaver;
    private final Map<Class<?>, Map<String, List<Hook>>> byClass = new WeakHashMap<>();
    private final Set<Class<?>> changed = new HashSet<>();
    private final Object[] slots = new Object[Probe.nsites()];
    private int next;
    private final Map<Class<?>, Throwable> failed = new HashMap<>();

    Hooks(Instrumentation inst, Weaver weaver) {
        this.inst = inst;
        this.weaver = weaver;
        inst.addTransformer(this, true);
    }

    void classes(List<Class<?>> to) {
        to.clear();
        for (Class<?> c : inst.getAllLoadedClasses()) {
            if (!c.isArray() && !c.isPrimitive() && inst.isModifiableClass(c) && !c.getName().startsWith("dwell.")) {
                to.add(c);
            }
        }
    }

    private static String descriptor(Class<?> c) {
        String s = java.lang.reflect.Array.newInstance(c, 0).getClass().getName().replace('.', '/');
        return s.substring(1);
    }

    private static void describe(List<String> to, Executable e, String name, Class<?> type) {
        if ((e.getModifiers() & (Modifier.ABSTRACT | Modifier.NATIVE)) != 0) {
            return;
        }
        StringBuilder b = new StringBuilder(name).append("\t(");
        for (Class<?> p : e.getParameterTypes()) {
            b.append(descriptor(p));
        }
        to.add(b.append(')').append(type == void.class ? "V" : descriptor(type)).toString());
    }

    static List<String> methods(Class<?> c) {
        List<String> to = new ArrayList<>();
        for (Method m : c.getDeclaredMethods()) {
            describe(to, m, m.getName(), m.getReturnType());
        }
        for (Constructor<?> k : c.getDeclaredConstructors()) {
            describe(to, k, "<init>", void.class);
        }
        return to;
    }

    /* A place that nobody has, not one that was given back just now: a method may still be on its way out of it. */
    synchronized int slot(Object owner) {
        for (int i = 0; i < slots.length; i++) {
            int k = (next + i) % slots.length;
            if (slots[k] == null) {
                slots[k] = owner;
                next = k + 1;
                return k;
            }
        }
        throw new IllegalStateException("all " + slots.length + " places for probes are taken");
    }

    synchronized void add(Object owner, Class<?> c, char kind, int slot, String method) {
        byClass.computeIfAbsent(c, k -> new HashMap<>()).computeIfAbsent(method, k -> new ArrayList<>()).add(new Hook(kind, slot, owner));
        changed.add(c);
    }

    /* Transforms what has changed. What could not be, in words; or null. */
    synchronized String apply() {
        Class<?>[] all = changed.toArray(new Class<?>[0]);
        String wrong = null;
        changed.clear();
        failed.clear();
        try {
            inst.retransformClasses(all);
        } catch (Throwable together) {
            for (Class<?> c : all) {
                try {
                    inst.retransformClasses(c);
                } catch (Throwable t) {
                    failed.put(c, t);
                }
            }
        }
        for (Map.Entry<Class<?>, Throwable> e : failed.entrySet()) {
            byClass.remove(e.getKey());
            wrong = e.getKey().getName() + ": " + e.getValue();
        }
        return wrong;
    }

    synchronized void drop(Object owner) {
        for (Map.Entry<Class<?>, Map<String, List<Hook>>> e : byClass.entrySet()) {
            for (List<Hook> l : e.getValue().values()) {
                if (l.removeIf(h -> h.owner == owner)) {
                    changed.add(e.getKey());
                }
            }
            e.getValue().values().removeIf(List::isEmpty);
        }
        byClass.values().removeIf(Map::isEmpty);
        apply();
        for (int i = 0; i < slots.length; i++) {
            if (slots[i] == owner) {
                slots[i] = null;
            }
        }
    }

    /* null: as it was loaded. A loader that hides the boot loader's classes would make the calls fail: its classes are left alone. */
    @Override
    public byte[] transform(ClassLoader loader, String name, Class<?> c, ProtectionDomain domain, byte[] classFile) {
        Map<String, List<Hook>> hooks = c == null ? null : byClass.get(c);
        if (hooks == null) {
            return null;
        }
        try {
            if (loader != null && Class.forName(Probe.class.getName(), false, loader) != Probe.class) {
                throw new ClassNotFoundException("another " + Probe.class.getName());
            }
            return weaver.weave(classFile, hooks);
        } catch (Throwable t) {
            failed.put(c, t);
            return null;
        }
    }
}
