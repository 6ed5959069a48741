// SPDX-License-Identifier: Apache-2.0
/* Begins a session for each run of dwell that has the agent loaded: connects with its socket. */
package dwell.inner;

import dwell.probe.Probe;
import java.lang.instrument.Instrumentation;
import java.util.function.Consumer;

public final class Main implements Consumer<String> {
    private final Hooks hooks;
    private final String version; /* of the agent that is in the JVM: dwell's own may differ */

    public Main(Instrumentation inst, String version) {
        hooks = new Hooks(inst, new Weaver());
        this.version = version;
    }

    @Override
    public void accept(String socket) {
        int fd = Probe.connect(socket);
        if (fd < 0) {
            throw new IllegalStateException("dwell is gone");
        }
        Thread t = new Thread(null, new Session(fd, hooks, version), "dwell agent", 1 << 20);
        t.setDaemon(true);
        t.setContextClassLoader(null);
        t.start();
    }
}
