import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { createHeldPipe, type HeldPipe } from './held-pipe.ts';

/** One connection through the proxy. */
export interface Passage {
  readonly client: Socket;
  readonly server: Socket;
}

/** Observer of passing bytes, which may delay or cut them. */
export interface Inspector {
  toServer?: (passage: Passage, bytes: Buffer) => void;
  /** `cut` discards the bytes and resets both ends. Bytes after delayed ones do not overtake them. */
  toClient?: (passage: Passage, bytes: Buffer) => 'pass' | 'cut' | { lateMs: number };
}

export interface Target {
  host: string;
  port: number;
}

/** Directions in which a cut line passes nothing. */
export interface HeldWays {
  toServer: boolean;
  toClient: boolean;
}

/** A network between two processes that a test can break. */
export interface TcpProxy {
  readonly port: number;
  /** Sets the target of new connections. */
  aim(target: Target): void;
  /** Milliseconds by which each way is slowed down. */
  delay(ms: number): void;
  /**
   * Cuts the line in one direction or both. Bytes and ends of connections from this time arrive once the line works
   * again.
   */
  hold(ways: HeldWays): void;
  /** Resets the connection at every n-th piece of data to a client; at none if 0. */
  resetEvery(pieces: number): void;
  /** Resets every connection that is open now. */
  cut(): void;
  /** With false, nothing listens, so that connections are refused, and open connections are reset. */
  listen(on: boolean): Promise<void>;
  inspect(inspector: Inspector): void;
  close(): Promise<void>;
}

export async function startTcpProxy(first: Target): Promise<TcpProxy> {
  const passages = new Map<Passage, readonly HeldPipe[]>();
  let target = first;
  let delayMs = 0;
  let held: HeldWays = { toServer: false, toClient: false };
  let resetEvery = 0;
  let pieces = 0;
  let inspector: Inspector = {};

  const server = createServer((client) => {
    const passage: Passage = { client, server: connect(target) };
    const terms = { delayMs: () => delayMs };
    const toServer = createHeldPipe(passage.server, { ...terms, isHeld: () => held.toServer });
    const toClient = createHeldPipe(client, { ...terms, isHeld: () => held.toClient });
    passages.set(passage, [toServer, toClient]);
    client.setNoDelay();
    passage.server.setNoDelay();
    client.on('data', (bytes) => {
      inspector.toServer?.(passage, bytes);
      toServer.write(bytes);
    });
    passage.server.on('data', (bytes) => {
      const isReset = resetEvery > 0 && ++pieces % resetEvery === 0;
      const fate = isReset ? 'cut' : (inspector.toClient?.(passage, bytes) ?? 'pass');
      if (fate === 'cut') reset(passage);
      else toClient.write(bytes, fate === 'pass' ? 0 : fate.lateMs);
    });
    for (const [from, pipe] of [
      [client, toServer],
      [passage.server, toClient],
    ] as const) {
      let wasReset = false;
      from.on('error', () => (wasReset = true));
      from.on('close', () => {
        pipe.end(wasReset);
        if (client.destroyed && passage.server.destroyed) passages.delete(passage);
      });
    }
  });

  function reset(passage: Passage): void {
    passages.delete(passage);
    passage.client.resetAndDestroy();
    passage.server.resetAndDestroy();
  }

  function cut(): void {
    for (const passage of passages.keys()) reset(passage);
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
    hold: (ways) => {
      held = ways;
      for (const pipe of [...passages.values()].flat()) pipe.drain();
    },
    resetEvery: (count) => {
      resetEvery = count;
    },
    cut,
    listen: async (on) => {
      if (!on) await close();
      if (!on || server.listening) return;
      server.listen(port, '127.0.0.1');
      await once(server, 'listening');
    },
    inspect: (next) => {
      inspector = next;
    },
    close,
  };
}
