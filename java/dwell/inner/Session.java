// SPDX-License-Identifier: Apache-2.0
/* Answers what one run of dwell asks, line by line, in a thread of its own: which classes and methods there are, and which of
 * them are to hit a probe. When the connection ends, in whatever way, the code is as before. */
package dwell.inner;

import dwell.probe.Probe;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

final class Session implements Runnable {
    private final int fd;
    private final Hooks hooks;
    private final List<Class<?>> classes = new ArrayList<>();
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    Session(int fd, Hooks hooks) {
        this.fd = fd;
        this.hooks = hooks;
    }

    @Override
    public void run() {
        Probe.quiet();
        try {
            byte[] b = new byte[65536];
            StringBuilder line = new StringBuilder();
            tell("sites " + Probe.sites() + " " + Probe.nsites());
            for (int n; (n = flush() ? Probe.read(fd, b) : 0) > 0; ) {
                for (int i = 0; i < n; i++) {
                    if (b[i] != '\n') {
                        line.append((char) (b[i] & 0xff));
                        continue;
                    }
                    answer(new String(line.toString().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8));
                    line.setLength(0);
                }
            }
        } finally {
            hooks.drop(this);
            tell("gone");
            flush();
            Probe.close(fd);
        }
    }

    private void tell(String s) {
        byte[] b = (s + "\n").getBytes(StandardCharsets.UTF_8);
        out.write(b, 0, b.length);
    }

    private boolean flush() {
        byte[] b = out.toByteArray();
        out.reset();
        return b.length == 0 || Probe.write(fd, b);
    }

    private void answer(String line) {
        String[] names = line.split("\t"); /* which may have blanks */
        String[] w = names[0].split(" ");
        try {
            switch (w[0]) {
                case "classes":
                    hooks.classes(classes);
                    for (int i = 0; i < classes.size(); i++) {
                        tell("class " + i + " " + classes.get(i).getName());
                    }
                    break;
                case "methods":
                    for (String m : Hooks.methods(classes.get(Integer.parseInt(w[1])))) {
                        tell("method " + m);
                    }
                    break;
                case "slot":
                    tell("slot " + hooks.slot(this));
                    break;
                case "on": /* class kind slot, name, descriptor */
                    hooks.add(this, classes.get(Integer.parseInt(w[1])), w[2].charAt(0), Integer.parseInt(w[3]), names[1] + names[2]);
                    return; /* no answer */
                case "go":
                    String wrong = hooks.apply();
                    if (wrong != null) {
                        tell("! " + wrong.replace('\n', ' '));
                        return;
                    }
                    break;
                case "off":
                    hooks.drop(this);
                    break;
                default:
                    throw new IllegalArgumentException(line);
            }
            tell(".");
        } catch (Throwable t) {
            tell("! " + t.toString().replace('\n', ' '));
        }
    }
}
