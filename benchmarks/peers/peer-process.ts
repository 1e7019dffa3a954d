import { createGate } from './gate.ts';
import type { BatchJob, JobQueue, OpenQueue } from './job-queue.ts';
import { loadPeer, type PeerName } from './load-peer.ts';
import { openNoQueue } from './no-queue.ts';
import { openOutcomeRows } from './outcome-rows.ts';
import { pageSegment } from './page-segment.ts';
import { order, type ServeOrder, type StoreOrder, type WatchOrder } from './peer-orders.ts';
import { createBatchServer } from './serve-batch.ts';

/**
 * Queues by name. This process is either a peer's worker, or its producer, which pages the audience and adds the jobs.
 * It executes its parent's orders one at a time.
 */
const queues: Record<string, OpenQueue> = {
  'no-queue': openNoQueue,
  bullmq: queueOf('bullmq'),
  'pg-boss': queueOf('pg-boss'),
  'graphile-worker': queueOf('graphile-worker'),
};

/**
 * Jobs that a queue may have in progress for each concurrent call, so that a call slot never waits until the queue
 * provides the next job.
 */
const lookAhead = 2;

const jobsPerCall = 1000;

let opened: { queue: JobQueue; databaseUrl: string } | undefined;

async function handleOrder(message: unknown): Promise<unknown> {
  const notified = order.parse(message);
  if (notified.order === 'open') {
    const open = queues[notified.queue];
    if (!open) throw new Error(`no queue is called ${notified.queue}`);
    opened = { queue: await open(notified.servers), databaseUrl: notified.servers.databaseUrl };
    return 'open';
  }
  if (!opened) throw new Error('nothing is open');
  const { queue, databaseUrl } = opened;
  if (notified.order === 'empty') {
    await queue.empty();
    return 'empty';
  }
  if (notified.order === 'serve') return await serve(queue, databaseUrl, notified);
  if (notified.order === 'store') return await storeDue(queue, notified);
  if (notified.order === 'watch') return await watchDue(queue, notified);
  let jobs = 0;
  for await (const group of pageSegment(notified.segmentationUrl, notified.users)) {
    await queue.enqueue(group);
    jobs += group.length;
  }
  return jobs;
}

/** Works until `batches` batches are served and their outcomes are written. */
async function serve(queue: JobQueue, databaseUrl: string, { batches, terms }: ServeOrder) {
  const outcomes = await openOutcomeRows(databaseUrl);
  await outcomes.clear();
  const server = createBatchServer(terms);
  const gate = createGate(terms.inFlight);
  const { promise: allServed, resolve } = Promise.withResolvers<undefined>();
  let served = 0;
  const stop = await queue.work(async (job) => {
    const succeeded = await gate(() => server.serve(job));
    // The job is done when its outcome is queued for writing, not when it is written. A crash loses some outcomes,
    // which Muster does not allow.
    outcomes.add(job.batch, succeeded);
    if (++served === batches) resolve(undefined);
  }, terms.inFlight * lookAhead);
  await allServed;
  const written = await outcomes.finish();
  await stop();
  await Promise.all([server.close(), outcomes.close()]);
  return written;
}

/** Stores all jobs. Returns the time when all are in the queue, in milliseconds since 1970. */
async function storeDue(queue: JobQueue, { jobs, fromMs, overMs }: StoreOrder): Promise<number> {
  for (let first = 0; first < jobs; first += jobsPerCall) {
    const count = Math.min(jobsPerCall, jobs - first);
    const dueOf = (job: number) => Math.floor(fromMs + (job * overMs) / jobs);
    const group = Array.from({ length: count }, (_, n) => ({ batch: first + n, dueMs: dueOf(first + n) }));
    await queue.enqueue(group.map((job) => ({ ...job, users: '', count: 0 })));
  }
  return Date.now();
}

/** Returns how late each job's handler began, in milliseconds. The handler does nothing else. */
async function watchDue(queue: JobQueue, { jobs, atOnce, pollEveryMs }: WatchOrder): Promise<number[]> {
  const lagsMs: number[] = [];
  const { promise: allCame, resolve } = Promise.withResolvers<undefined>();
  const note = ({ dueMs }: BatchJob) => {
    if (dueMs !== undefined) lagsMs.push(Date.now() - dueMs);
    if (lagsMs.length === jobs) resolve(undefined);
    return Promise.resolve();
  };
  const stop = await queue.work(note, atOnce, pollEveryMs);
  await allCame;
  await stop();
  return lagsMs;
}

function queueOf(peer: PeerName): OpenQueue {
  return async (servers) => (await loadPeer(peer)).openQueue(servers);
}

process.on('message', (message) => {
  // A rejection ends the process, and the parent detects that.
  void handleOrder(message).then((answer) => process.send?.(answer));
});
process.on('disconnect', () => process.exit());
process.on('SIGTERM', () => process.exit());
process.send?.('ready');
