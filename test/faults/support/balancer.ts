import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { lasting, until } from './until.ts';

/** One of several processes of the same service. */
export interface Backend {
  name: string;
  port: number;
  healthPort: number;
}

/**
 * Stands for a Service of Kubernetes before several APIs: each new connection goes to the next ready one. Open
 * connections stay.
 */
export interface Balancer {
  readonly url: string;
  /** Resolves when the process is ready and gets connections. */
  add(backend: Backend): Promise<void>;
  /** Sends no more connections to the process. */
  leave(name: string): void;
  close(): Promise<void>;
}

const askEveryMs = 250;
/** Failure threshold of the chart's probes. */
const failedAtMost = 2;

export async function startBalancer(): Promise<Balancer> {
  const backends = new Map<string, Backend & { failed: number }>();
  const sockets = new Set<Socket>();
  let turn = 0;
  const closing = new AbortController();

  const server = createServer((client) => {
    const ready = [...backends.values()].filter(({ failed }) => failed < failedAtMost);
    const chosen = ready[turn++ % Math.max(1, ready.length)];
    if (!chosen) return void client.destroy();
    const upstream = connect(chosen.port, '127.0.0.1');
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.setNoDelay();
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the balancer has no address');

  const asking = (async () => {
    while (!closing.signal.aborted) {
      await Promise.all(
        [...backends.values()].map(async (backend) => {
          backend.failed = (await isReady(backend.healthPort)) ? 0 : backend.failed + 1;
        }),
      );
      await lasting(askEveryMs);
    }
  })();

  return {
    url: `http://127.0.0.1:${address.port}`,
    add: async (backend) => {
      await until(`${backend.name} is ready`, () => isReady(backend.healthPort));
      backends.set(backend.name, { ...backend, failed: 0 });
    },
    leave: (name) => void backends.delete(name),
    close: async () => {
      closing.abort();
      await asking;
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Returns true if the process reports that it is ready. */
export async function isReady(healthPort: number): Promise<boolean> {
  const answer = await fetch(`http://127.0.0.1:${healthPort}/readyz`).catch(() => undefined);
  await answer?.body?.cancel();
  return answer?.ok === true;
}
