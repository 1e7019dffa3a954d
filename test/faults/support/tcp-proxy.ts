import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** One connection through the proxy. */
export interface Passage {
  readonly client: Socket;
  readonly server: Socket;
}

/** What a test looks at, or decides, while bytes pass. */
export interface Inspector {
  toServer?: (passage: Passage, bytes: Buffer) => void;
  /** `cut`: the bytes are swallowed and both ends are reset. */
  toClient?: (passage: Passage, bytes: Buffer) => 'pass' | 'cut';
}

export interface Target {
  host: string;
  port: number;
}

/** A network between two processes that a test can break. */
export interface TcpProxy {
  readonly port: number;
  /** Where new connections go from now on. */
  aim(target: Target): void;
  /** Milliseconds by which each way is slowed down. */
  delay(ms: number): void;
  /** Resets every connection that is open now. */
  cut(): void;
  /** While off, nobody listens: connections are refused. Open ones are reset. */
  listen(on: boolean): Promise<void>;
  /** Swallows what goes one way, without a word to either end. */
  swallow(way: 'toServer' | 'toClient' | 'nothing'): void;
  inspect(inspector: Inspector): void;
  close(): Promise<void>;
}

export async function startTcpProxy(first: Target): Promise<TcpProxy> {
  const passages = new Set<Passage>();
  let target = first;
  let delayMs = 0;
  let swallowed: 'toServer' | 'toClient' | 'nothing' = 'nothing';
  let inspector: Inspector = {};

  const server = createServer((client) => {
    const passage: Passage = { client, server: connect(target) };
    passages.add(passage);
    client.setNoDelay();
    passage.server.setNoDelay();
    client.on('data', (bytes) => {
      inspector.toServer?.(passage, bytes);
      if (swallowed !== 'toServer') pass(passage.server, bytes);
    });
    passage.server.on('data', (bytes) => {
      if (inspector.toClient?.(passage, bytes) === 'cut') reset(passage);
      else if (swallowed !== 'toClient') pass(client, bytes);
    });
    for (const [from, to] of [
      [client, passage.server],
      [passage.server, client],
    ] as const) {
      from.on('error', () => reset(passage));
      from.on('close', () => {
        passages.delete(passage);
        to.end();
      });
    }
  });

  function pass(to: Socket, bytes: Buffer): void {
    if (delayMs === 0) to.write(bytes);
    else
      setTimeout(() => {
        if (to.writable) to.write(bytes);
      }, delayMs);
  }

  function reset(passage: Passage): void {
    passages.delete(passage);
    passage.client.resetAndDestroy();
    passage.server.resetAndDestroy();
  }

  function cut(): void {
    for (const passage of passages) reset(passage);
  }

  async function close(): Promise<void> {
    if (!server.listening) return;
    const closed = once(server, 'close');
    server.close();
    cut();
    await closed;
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no address');
  const { port } = address;
  return {
    port,
    aim: (next) => {
      target = next;
    },
    delay: (ms) => {
      delayMs = ms;
    },
    cut,
    listen: async (on) => {
      if (!on) await close();
      if (!on || server.listening) return;
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    swallow: (way) => {
      swallowed = way;
    },
    inspect: (next) => {
      inspector = next;
    },
    close,
  };
}
