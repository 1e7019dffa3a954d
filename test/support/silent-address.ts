import { once } from 'node:events';
import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';

/** Listens but never accepts a connection, because its thread is blocked. */
const blockedListener = `
  const { createServer } = require('node:net');
  const { parentPort, workerData } = require('node:worker_threads');
  createServer().listen({ ...workerData, backlog: 1 }, () => {
    parentPort.postMessage('listening');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });`;

/** Number of connections that fill the queue of a listener with a backlog of 1. Linux drops further ones. */
const queued = 2;

/** Makes an address of this machine ignore connection requests, like a host behind a broken route. */
export async function startSilentAddress(host: string, port: number): Promise<{ close(): Promise<void> }> {
  const worker = new Worker(blockedListener, { eval: true, workerData: { host, port } });
  await once(worker, 'message');
  const fillers = Array.from({ length: queued }, () => connect(port, host).on('error', () => undefined));
  await Promise.all(fillers.map((filler) => once(filler, 'connect')));
  return {
    close: async () => {
      for (const filler of fillers) filler.destroy();
      await worker.terminate();
    },
  };
}
