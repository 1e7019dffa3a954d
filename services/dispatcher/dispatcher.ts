import type { JobReference } from '../../shared/domain/job/job-key.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { DeadLetters } from '../../shared/ports/dead-letters.ts';
import type { MessageConsumer } from '../../shared/ports/message-bus.ts';
import type { Meter } from '../../shared/ports/meter.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createLoop } from '../../shared/runtime/loop.ts';
import { noMeter } from '../../shared/runtime/meter/no-meter.ts';
import type { Service } from '../../shared/runtime/process/service.ts';
import { callJob, type JobCall } from './call-job.ts';
import { createClientLines } from './client-lines.ts';
import { createDispatcherMeter } from './dispatcher-meter.ts';
import { heldJobOf, type HeldJob } from './held-job.ts';
import { createCircuitKeeper } from './keep-circuits.ts';
import type { CallLedger, JobResult } from './ports/call-ledger.ts';
import type { CallbackEndpoint } from './ports/callback-endpoint.ts';
import type { ClientDirectory } from './ports/client-terms.ts';
import type { HostCircuits } from './ports/host-circuits.ts';
import { createReferenceQueue, type QueuedReference } from './reference-queue.ts';
import { createReferenceReceiver } from './reference-receiver.ts';

/** Under load, flushes grow to what comes in this time. Longer ones cost lag and brought nothing (8 ms measured, 15 beside it). */
const minBetweenFlushesMs = 8;
const maxClaims = 500;
/** Jobs that are claimed and wait for a slot. */
const maxAhead = 1200;
const idleMs = 1000;
const afterErrorMs = 500;
/** When it stops and cannot write what came of its calls: afterwards they are in doubt, and called again when their leases are over. */
const lastTries = 20;

export interface DispatcherDeps {
  consumer: MessageConsumer;
  ledger: CallLedger;
  circuits: HostCircuits;
  clients: ClientDirectory;
  endpoint: CallbackEndpoint;
  deadLetters: DeadLetters;
  /** As the ledger claims. */
  leaseMs: number;
  /** Calls in flight over all clients. */
  concurrency: number;
  clock: Clock;
  /** In [0, 1). */
  random: () => number;
  logger: Logger;
  meter?: Meter;
}

/** Calls jobs that are due: claims them, calls, and writes what came of it. */
export interface Dispatcher extends Service {
  /** Resolves when the group has been joined. */
  start(): Promise<void>;
  levels(): { queued: number; waiting: number; inFlight: number };
  /** References handled so far: claimed, or found to be nobody's to claim. */
  handled(): number;
}

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { consumer, ledger, clients, clock, logger, leaseMs } = deps;
  const queue = createReferenceQueue();
  /** Every job that this process has, until what became of it is written. */
  const held = new Map<string, HeldJob>();
  let finished: JobCall[] = [];
  /** Calls under way, of hosts that are tried too. */
  let serving = 0;
  let lastFlushMs = -Infinity;
  let handled = 0;
  let isTakingIn = false;
  /** Nothing is to be written or claimed. Otherwise the next turn comes by itself, and a wake-up costs more than what it would bring. */
  let isIdle = true;
  /** Something came while a turn was under way. */
  let isWoken = false;

  const levels = () => ({ queued: queue.size, waiting: lines.waiting, inFlight: lines.inFlight });
  const meter = createDispatcherMeter({ meter: deps.meter ?? noMeter, levels });
  const receiver = createReferenceReceiver({
    queue,
    deadLetters: deps.deadLetters,
    isHeld,
    onSettled: (message) => consumer.settle(message),
    onArrived: wake,
    logger,
  });
  const keeper = createCircuitKeeper({
    ...{ circuits: deps.circuits, clients, leaseMs, clock, logger },
    onProbe: (job) => {
      held.set(job.jobId, job);
      serve(job);
    },
  });
  const lines = createClientLines({
    concurrency: deps.concurrency,
    maxWaiting: maxAhead,
    concurrencyOf: (clientId) => clients.termsOf(clientId)?.limits.concurrency ?? 1,
    start: (job) => serve(job, () => lines.done(job.clientId)),
  });
  const callDeps = {
    ...{ endpoint: deps.endpoint, clients, clock, random: deps.random },
    stateOf: (clientId: string, host: string) => keeper.stateOf(clientId, host),
  };
  const loop = createLoop({ name: 'dispatcher', turn, afterErrorMs, clock, logger });

  /** One that is due at another time is no repeat: what came of the time before is stored, though we may not have heard of that yet. */
  function isHeld({ jobId, dueUs }: JobReference): boolean {
    return held.get(jobId)?.dueUs === dueUs;
  }

  function serve(job: HeldJob, whenDone?: () => void): void {
    serving++;
    void callJob(job, callDeps).then((call) => {
      serving--;
      finished.push(call);
      keeper.onCalled(call);
      meter.called(call, clock.monotonicMs() + job.clockAheadMs);
      whenDone?.();
      wake();
    });
  }

  function wake(): void {
    isWoken = true;
    if (!isIdle) return;
    isIdle = false;
    loop.poke();
  }

  async function turn(): Promise<number> {
    isIdle = isWoken = false;
    const waitMs = await flush();
    isIdle = waitMs === idleMs && !isWoken;
    return isIdle ? waitMs : Math.min(waitMs, minBetweenFlushesMs);
  }

  /** Ends and claims of many jobs, in one statement. Returns until when there is nothing more to do, in milliseconds. */
  async function flush(): Promise<number> {
    const sinceMs = clock.monotonicMs() - lastFlushMs;
    if (sinceMs < minBetweenFlushesMs) return minBetweenFlushesMs - sinceMs;
    const references = isTakingIn ? queue.take(maxClaims, roomOf) : [];
    lines.endRound();
    const calls = finished.splice(0, maxClaims);
    // What is held already is a repeat; its claim must not stand beside its end.
    const claims = references.filter((reference) => !isHeld(reference));
    if (claims.length + calls.length === 0) {
      settle(references);
      return idleMs;
    }
    const askedMs = (lastFlushMs = clock.monotonicMs());
    const flushed = await ledger.flush({ results: calls.map(resultOf), claims }).catch((error: unknown) => {
      // Nothing is lost: results are written with the next flush, or refused there because their lease has run out meanwhile.
      finished = [...calls, ...finished];
      queue.putBack(references);
      throw error;
    });
    for (const { job } of calls) if (held.get(job.jobId) === job) held.delete(job.jobId);
    meter.flushed(flushed, calls, claims.length, clock.monotonicMs() - askedMs);
    const jobs = flushed.claimed.map((claim) => heldJobOf(claim, askedMs, leaseMs));
    for (const job of jobs) held.set(job.jobId, job);
    settle(references);
    if (isTakingIn) lines.add(jobs);
    else giveBack(jobs);
    return finished.length + queue.size > 0 ? minBetweenFlushesMs : idleMs;
  }

  const roomOf = (clientId: string, forOthers: number) => lines.roomOf(clientId, forOthers);

  /** Database first, offset last. A job that is claimed needs its message no more: its lease brings it back. */
  function settle(references: readonly QueuedReference[]): void {
    handled += references.length;
    for (const { origin } of references) if (--origin.open === 0) consumer.settle(origin.message);
  }

  /** What was claimed and not begun is due again at once, for others. */
  function giveBack(jobs: readonly HeldJob[]): void {
    const note = { status: null, latencyMs: null, error: null, answer: null };
    for (const job of jobs) {
      finished.push({ job, verdict: { kind: 'released', delayMs: 0 }, note, sign: 'none', terms: undefined });
    }
  }

  async function finishWork(): Promise<void> {
    await keeper.stop();
    for (let tries = 0; serving + finished.length > 0 && tries < lastTries;) {
      const calls = finished.splice(0, maxClaims);
      let pauseMs = minBetweenFlushesMs;
      if (calls.length > 0) {
        await ledger.flush({ results: calls.map(resultOf), claims: [] }).catch((error: unknown) => {
          finished = [...calls, ...finished];
          tries++;
          pauseMs = afterErrorMs;
          logger.warn({ err: error }, 'could not write what became of jobs, trying again');
        });
      }
      if (serving + finished.length > 0) await clock.sleep(pauseMs);
    }
    await consumer.stop();
  }

  let finishing: Promise<void> | undefined;
  return {
    start: async () => {
      isTakingIn = true;
      keeper.start();
      loop.start();
      await consumer.start(receiver);
    },
    ready: () => isTakingIn && consumer.ready().ok,
    levels,
    handled: () => handled,
    stopIntake: async () => {
      isTakingIn = false;
      consumer.stopIntake();
      receiver.stop();
      giveBack(lines.clear());
      await loop.stop();
      queue.clear();
    },
    finishWork: () => (finishing ??= finishWork()),
    close: () => Promise.resolve(),
    broken: consumer.crashed,
  };
}

function resultOf({ job, verdict, note }: JobCall): JobResult {
  const { partition, dueUs, jobId, epoch } = job;
  return { partition, dueUs, jobId, epoch, verdict, note };
}
