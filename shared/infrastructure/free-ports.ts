import { once } from 'node:events';
import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';

/**
 * Lowest port of a range below the systems' ports for outgoing connections (Linux from 32768, macOS from 49152). A
 * server that restarts must get its port again. A client that dials a free port in the systems' range may even connect
 * to itself.
 */
const lowest = 20_000;
const highest = 32_000;

/** Time within which a server takes its port: Kafka formats its disk first. */
const reservedForMs = 60_000;

/**
 * Returns ports of 127.0.0.1 that no process listens on, and that this function does not return again within a minute,
 * in any process of this machine. Other programs may still take one first.
 */
export async function findFreePorts(count: number): Promise<number[]> {
  const free = new Set<number>();
  for (let tries = 0; free.size < count; tries++) {
    if (tries > 200) throw new Error(`no free TCP port found between ${lowest} and ${highest}`);
    const port = randomInt(lowest, highest);
    if (await claimPort(port)) free.add(port);
  }
  return [...free];
}

/**
 * Claims a port of 127.0.0.1 for a minute. Of several processes that claim the same port at once, one gets it.
 *
 * @returns false if a process listens on the port, or has claimed it
 */
export async function claimPort(port: number): Promise<boolean> {
  return (await isFree(port)) && (await reserve(port));
}

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

/**
 * Holds the UDP port of the same number, which no server here needs: the system gives it to one process at a time, and
 * frees it when that process ends, so no file stays behind.
 *
 * @returns false if another process has it.
 */
async function reserve(port: number): Promise<boolean> {
  const holder = createSocket({ type: 'udp4' });
  holder.bind({ port, address: '127.0.0.1', exclusive: true });
  try {
    await once(holder, 'listening');
  } catch {
    return false;
  }
  holder.unref();
  setTimeout(() => {
    holder.close();
  }, reservedForMs).unref();
  return true;
}
