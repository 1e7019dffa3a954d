import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { portOf } from '../../support/raw-server.ts';

export interface IdleCloserTerms {
  /** Loopback address on which it listens. */
  host: string;
  /** A free one unless given. */
  port?: number;
  /** Port of the server behind it, on 127.0.0.1. */
  to: number;
  /** Time for which it keeps an idle connection, in ms. */
  keptMs: number;
}

/**
 * A front of a server that closes an idle connection while a request is being written, as gunicorn does after its
 * keep-alive time. A request on a connection that was idle for `keptMs` never reaches the server. Connections are reset
 * and ended in turn.
 */
export interface IdleCloser {
  readonly port: number;
  /** Number of requests that were lost with their connection. */
  lost(): number;
  close(): Promise<void>;
}

export async function startIdleCloser({ host, port, to, keptMs }: IdleCloserTerms): Promise<IdleCloser> {
  const sockets = new Set<Socket>();
  let lost = 0;

  function loseRequest(client: Socket): void {
    if (++lost % 2 === 0) client.resetAndDestroy();
    else client.end();
  }

  const front = createServer((client) => {
    const server = connect(to, '127.0.0.1');
    let idleSinceMs = Infinity;
    client.on('data', (bytes) => {
      if (performance.now() - idleSinceMs >= keptMs) {
        server.destroy();
        loseRequest(client);
      } else if (!server.destroyed) server.write(bytes);
      idleSinceMs = Infinity;
    });
    server.on('data', (bytes) => {
      client.write(bytes);
      idleSinceMs = performance.now();
    });
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one);
      one.setNoDelay(true);
      one.on('error', () => one.destroy());
      one.on('close', () => {
        sockets.delete(one);
        if (other.writable) other.end();
      });
    }
  });
  const ownPort = await portOf(front, host, port);
  return {
    port: ownPort,
    lost: () => lost,
    close: async () => {
      const closed = once(front, 'close');
      front.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
