import { connect, createServer, type Socket } from 'node:net';
import { portOf } from './raw-server.ts';

export interface CuttingProxy {
  port: number;
  /**
   * Cuts the connection at the n-th packet that its client sends from now on.
   * @param isSent true if the server still gets that packet, and only its answer is lost
   */
  cutAt(packet: number, isSent: boolean): void;
  /** Returns true if the connection was cut. */
  hasCut(): boolean;
  close(): void;
}

/** Starts a TCP proxy before a database. */
export async function startCuttingProxy(target: { host: string; port: number }): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let left = Infinity;
  let isSent = false;
  const server = createServer((client) => {
    const upstream = connect(target);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    upstream.on('data', (bytes) => client.write(bytes)).on('close', () => client.destroy());
    client.on('close', () => upstream.end());
    client.on('data', (bytes) => {
      left -= 1;
      if (left > 0) upstream.write(bytes);
      if (left !== 0) return;
      if (isSent) upstream.end(bytes);
      else upstream.destroy();
      client.destroy();
    });
  });
  const port = await portOf(server);
  return {
    port,
    cutAt: (packet, sent) => {
      [left, isSent] = [packet, sent];
    },
    hasCut: () => left <= 0,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
