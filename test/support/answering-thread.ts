import { createServer } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { z } from 'zod';
import { portOf } from './raw-server.ts';

/**
 * A thread with a server that answers a call while the calling thread is blocked. The thread posts its port, and a
 * message when the request has arrived. Then it waits for a change of `turns[0]`, answers, and changes `turns[1]` once
 * the answer is in the buffers of the sockets.
 */
const { turns, answerBytes } = z.object({ turns: z.instanceof(Int32Array), answerBytes: z.int() }).parse(workerData);

const server = createServer((socket) => {
  socket.on('error', () => socket.destroy());
  socket.once('data', () => {
    parentPort?.postMessage('received');
    Atomics.wait(turns, 0, 0);
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${answerBytes}\r\n\r\n${'x'.repeat(answerBytes)}`);
    Atomics.store(turns, 1, 1);
    Atomics.notify(turns, 1);
  });
});
parentPort?.postMessage(await portOf(server));
