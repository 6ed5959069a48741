// SPDX-License-Identifier: Apache-2.0
/* What dwell has a running JVM load. The program sees this class only: the others are loaded by a loader of their own, so that
 * the class file library here and one of the program's know nothing of each other. */
package dwell.agent;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.lang.instrument.Instrumentation;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Paths;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

public final class Agent {
    private static Consumer<String> main;

    /* The files of the jar, all read at once, since it is removed when the agent has begun; and the classes below "inner/". */
    private static final class Inner extends ClassLoader {
        private final Map<String, byte[]> files = new HashMap<>();

        Inner(String jar) throws Exception {
            super(null);
            try (JarFile f = new JarFile(jar)) {
                for (Enumeration<JarEntry> e = f.entries(); e.hasMoreElements(); ) {
                    JarEntry entry = e.nextElement();
                    String name = entry.getName();
                    ByteArrayOutputStream to = new ByteArrayOutputStream();
                    byte[] part = new byte[8192];
                    try (InputStream in = f.getInputStream(entry)) {
                        for (int n; (n = in.read(part)) > 0; ) {
                            to.write(part, 0, n);
                        }
                    }
                    files.put(name, to.toByteArray());
                }
            }
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            byte[] b = files.get("inner/" + name.replace('.', '/') + ".class");
            if (b == null) {
                throw new ClassNotFoundException(name);
            }
            return defineClass(name, b, 0, b.length);
        }
    }

    private Agent() {}

    /* Defines the class Probe in the bootstrap loader. */
    private static native void define(byte[] classFile);

    /* folder: where agent.jar, the library, the version of both and the socket are. The first agent stays. */
    @SuppressWarnings("unchecked")
    public static synchronized void agentmain(String folder, Instrumentation inst) throws Exception {
        if (main == null) {
            Inner inner = new Inner(folder + "/agent.jar");
            System.load(folder + "/libdwelljava.so");
            define(inner.files.get("boot/dwell/probe/Probe.class"));
            String version = new String(Files.readAllBytes(Paths.get(folder, "version")), StandardCharsets.US_ASCII);
            main = (Consumer<String>) inner.loadClass("dwell.inner.Main")
                    .getConstructor(Instrumentation.class, String.class).newInstance(inst, version);
        }
        main.accept(folder + "/socket");
    }
}
