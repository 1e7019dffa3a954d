import type { Socket } from 'node:net';

/** Address of a server. IPv6 addresses have no brackets. */
export interface Place {
  hostname: string;
  port: number;
}

/** TCP connections for protocols other than HTTP. Addresses are judged at each connection, since DNS may change. */
export interface GuardedSockets {
  /** Begins to connect. An address that may not be called ends the socket with a ForbiddenAddressError. */
  open(place: Place): Socket;
  /** Returns a socket for a library that connects it itself: by `connect(port, host)`, or to a local path. */
  unconnected(): Socket;
}
