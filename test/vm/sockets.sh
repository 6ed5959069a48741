#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A server that waits for its client, and a client that waits for the answer, 200 ms each.
exec python3 -c '
import socket, threading, time
listener = socket.create_server(("127.0.0.1", 0))
def client():
    time.sleep(0.2)
    socket.create_connection(listener.getsockname()).recv(10)
t = threading.Thread(target=client)
t.start()
s = listener.accept()[0]
time.sleep(0.2)
s.send(b"x")
t.join()
'
