import { createGate } from './gate.ts';
import type { BatchJob, JobQueue, OpenQueue } from './job-queue.ts';
import { loadPeer, type PeerName } from './load-peer.ts';
import { openNoQueue } from './no-queue.ts';
import { openOutcomeRows } from './outcome-rows.ts';
import { pageSegment } from './page-segment.ts';
import { order, type ServeOrder, type StoreOrder, type WatchOrder } from './peer-orders.ts';
import { createBatchServer } from './serve-batch.ts';

/**
 * One process of a peer: its worker, or the one that pages the audience and adds the jobs. Does what it is told by its
 * parent, one thing after the other.
 */
const queues: Record<string, OpenQueue> = {
  'no-queue': openNoQueue,
  bullmq: queueOf('bullmq'),
  'pg-boss': queueOf('pg-boss'),
  'graphile-worker': queueOf('graphile-worker'),
};

/**
 * Jobs that a queue may have in work for each call in flight: a call that ends never waits until the queue hands out
 * the next job.
 */
const lookAhead = 2;

const jobsPerCall = 1000;

let opened: { queue: JobQueue; databaseUrl: string } | undefined;

async function obey(message: unknown): Promise<unknown> {
  const told = order.parse(message);
  if (told.order === 'open') {
    const open = queues[told.queue];
    if (!open) throw new Error(`no queue is called ${told.queue}`);
    opened = { queue: await open(told.servers), databaseUrl: told.servers.databaseUrl };
    return 'open';
  }
  if (!opened) throw new Error('nothing is open');
  const { queue, databaseUrl } = opened;
  if (told.order === 'empty') {
    await queue.empty();
    return 'empty';
  }
  if (told.order === 'serve') return await serve(queue, databaseUrl, told);
  if (told.order === 'store') return await storeDue(queue, told);
  if (told.order === 'watch') return await watchDue(queue, told);
  let jobs = 0;
  for await (const group of pageSegment(told.segmentationUrl, told.users)) {
    await queue.enqueue(group);
    jobs += group.length;
  }
  return jobs;
}

/** Works until so many batches are served and their outcomes are written. */
async function serve(queue: JobQueue, databaseUrl: string, { batches, terms }: ServeOrder) {
  const outcomes = await openOutcomeRows(databaseUrl);
  await outcomes.clear();
  const server = createBatchServer(terms);
  const gate = createGate(terms.inFlight);
  const { promise: allServed, resolve } = Promise.withResolvers<undefined>();
  let served = 0;
  const stop = await queue.work(async (job) => {
    const succeeded = await gate(() => server.serve(job));
    // Done once its outcome is about to be written, not once it is: a crash loses some, which Muster promises not to.
    outcomes.add(job.batch, succeeded);
    if (++served === batches) resolve(undefined);
  }, terms.inFlight * lookAhead);
  await allServed;
  const written = await outcomes.finish();
  await stop();
  await Promise.all([server.close(), outcomes.close()]);
  return written;
}

/** When all are in the queue, in milliseconds since 1970. */
async function storeDue(queue: JobQueue, { jobs, fromMs, overMs }: StoreOrder): Promise<number> {
  for (let first = 0; first < jobs; first += jobsPerCall) {
    const count = Math.min(jobsPerCall, jobs - first);
    const dueOf = (job: number) => Math.floor(fromMs + (job * overMs) / jobs);
    const group = Array.from({ length: count }, (_, n) => ({ batch: first + n, dueMs: dueOf(first + n) }));
    await queue.enqueue(group.map((job) => ({ ...job, users: '', count: 0 })));
  }
  return Date.now();
}

/** How late each job's handler began, which does nothing else, in milliseconds. */
async function watchDue(queue: JobQueue, { jobs, atOnce, lookEveryMs }: WatchOrder): Promise<number[]> {
  const lagsMs: number[] = [];
  const { promise: allCame, resolve } = Promise.withResolvers<undefined>();
  const note = ({ dueMs }: BatchJob) => {
    if (dueMs !== undefined) lagsMs.push(Date.now() - dueMs);
    if (lagsMs.length === jobs) resolve(undefined);
    return Promise.resolve();
  };
  const stop = await queue.work(note, atOnce, lookEveryMs);
  await allCame;
  await stop();
  return lagsMs;
}

function queueOf(peer: PeerName): OpenQueue {
  return async (servers) => (await loadPeer(peer)).openQueue(servers);
}

process.on('message', (message) => {
  // What goes wrong ends the process, and its parent hears of that.
  void obey(message).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => process.exit());
process.send?.('ready');
