import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the ranges from which systems take the ports of outgoing connections (Linux from 32768, macOS from 49152). A
 * server that is down for a moment must get its port back, and a client that dials a free port in that range may even
 * be connected to itself.
 */
const lowest = 20_000;
const highest = 32_000;

/** Ports of 127.0.0.1 that no process listens on now. Another process may still be quicker. */
export async function findFreePorts(count: number): Promise<number[]> {
  const free = new Set<number>();
  for (let tries = 0; free.size < count; tries++) {
    if (tries > 200) throw new Error(`no free TCP port found between ${lowest} and ${highest}`);
    const port = randomInt(lowest, highest);
    if (!free.has(port) && (await isFree(port))) free.add(port);
  }
  return [...free];
}

/** Whether no process listens on this port of 127.0.0.1 now. */
export async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
  } catch {
    return false;
  }
  server.close();
  await once(server, 'close');
  return true;
}
