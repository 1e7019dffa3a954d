import { setTimeout as pause } from 'node:timers/promises';
import { pageSegment } from '../page-segment.ts';
import { loadSystem } from './load-system.ts';
import { stepOrder, type ServeStepsOrder } from './step-orders.ts';
import type { StepPeer } from './step-peer.ts';
import { openStepRows, type StepRows, type StepSums } from './step-rows.ts';
import { createStepServer } from './step-server.ts';

/**
 * A process of a peer that keeps Muster's promise: its worker, or its producer, which pages the audience and adds the
 * jobs. The process executes its parent's orders one at a time.
 */
const connections = 4;
const pollEveryMs = 20;

let opened: { peer: StepPeer; rows: StepRows } | undefined;

async function obey(message: unknown): Promise<unknown> {
  const received = stepOrder.parse(message);
  if (received.order === 'open') {
    const openStepPeer = await loadSystem(received.system);
    const rows = openStepRows(received.servers.databaseUrl, connections);
    opened = { peer: await openStepPeer(received.servers), rows };
    return 'open';
  }
  if (!opened) throw new Error('nothing is open');
  const { peer, rows } = opened;
  switch (received.order) {
    case 'prepare':
      await rows.create();
      await peer.prepare();
      return 'prepared';
    case 'empty':
      await peer.empty();
      await rows.clear();
      return 'empty';
    case 'enqueue':
      for await (const jobs of pageSegment(received.segmentationUrl, received.users)) await peer.enqueue(jobs);
      return 'enqueued';
    case 'serve':
      return await serve(peer, rows, received);
  }
}

/** Works until `batches` batches have ended, those before a crash included, and their rows are written. */
async function serve(peer: StepPeer, rows: StepRows, { batches, terms }: ServeStepsOrder): Promise<StepSums> {
  const server = createStepServer(terms);
  const { promise: allReported, resolve } = Promise.withResolvers<undefined>();
  let left = batches - (await rows.sum()).batches;
  if (left <= 0) resolve(undefined);
  const onEnded = (ended: number) => {
    left -= ended;
    if (left <= 0) resolve(undefined);
  };
  const stop = await peer.work({ serve: server.serve, rows, inFlight: terms.inFlight, onEnded });
  await allReported;
  let sums = await rows.sum();
  // A step that is repeated after a crash reports the end of its batch twice.
  for (; sums.batches < batches; sums = await rows.sum()) await pause(pollEveryMs);
  await stop();
  await server.close();
  return sums;
}

process.on('message', (message) => {
  // A rejection ends the process, and the parent detects that.
  void obey(message).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => process.exit());
process.send?.('ready');
