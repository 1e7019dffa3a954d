import type { CallDurations, NodeCredit, OutletCalls } from '../../shared/ports/job-nodes.ts';
import { createLetterKeeper } from '../../shared/runtime/installation/letter-keeper.ts';
import { createLoop } from '../../shared/runtime/loop.ts';
import { noMeter } from '../../shared/runtime/meter/no-meter.ts';
import type { Service } from '../../shared/runtime/process/service.ts';
import { createCallCounts } from './call-counts.ts';
import { createClaimWatch } from './claim-watch.ts';
import { callJob, leaseFor } from './call/call-job.ts';
import { createClientQueues } from './client-queues.ts';
import { createClientSlots } from './slots/client-slots.ts';
import { creditOf, mayQueue } from './credit.ts';
import { createDispatcherMeter } from './dispatcher-meter.ts';
import { forgedAmong, type HeardReference } from './jobs/heard-reference.ts';
import { heldJobOf, type HeldJob } from './jobs/held-job.ts';
import { createHeldJobs, type Written } from './held-jobs.ts';
import { recordCall } from './call/job-traces.ts';
import { createCircuitKeeper } from './keep-circuits.ts';
import { createKeyTurns } from './key-turns.ts';
import { outletCallsOf } from './outlet-calls.ts';
import { usualTimeoutMs, type JobClaim } from './ports/call-ledger.ts';
import type { DispatcherDeps } from './dispatcher-deps.ts';
import type { RouteCallEnd } from './routes/route-lines.ts';
import { createReferenceReceiver } from './reference-receiver.ts';

/**
 * Under load, flushes grow to what comes in this time. Longer ones cost lag and brought nothing (8 ms measured, 15
 * beside it).
 */
const minBetweenFlushesMs = 8;
const maxClaims = 500;
const idleMs = 1000;
/** Between two turns while a claimed job waits for a slot, at most. */
const waitingMs = 100;
const afterErrorMs = 500;
/**
 * When it stops and cannot write what came of its calls: afterwards they are in doubt, and called again when their
 * leases are over.
 */
const lastTries = 20;

/** Calls jobs that are due: claims them, calls, and writes what came of it. */
export interface Dispatcher extends Service {
  /** Resolves when the group has been joined, or will be once the other dispatchers have made room. */
  start(): Promise<void>;
  levels(): { queued: number; waiting: number; inFlight: number };
  /** References that came and that were handled since the start: claimed, or found not to be claimable. */
  readonly received: number;
  readonly handled: number;
  /** Called whenever these change. Has to return at once. */
  onWork(listener: () => void): void;
  /** What may be sent here of each client; null when nothing is taken any more. */
  credit(): NodeCredit | null;
  /** What it does of each client and endpoint, of those that are at work here or were in the last minute. */
  calls(): Record<string, OutletCalls>;
  /** How long its calls of the last ten minutes took, by client and endpoint. */
  durations(): CallDurations;
  /** Reports a beat that is stored. */
  beaten(): void;
}

export function createDispatcher(deps: DispatcherDeps): Dispatcher {
  const { consumer, clients, notices, tracing, clock, logger } = deps;
  const held = createHeldJobs(deps.ledger);
  /** Calls under way, of hosts that are tried too. */
  let serving = 0;
  let [received, handled] = [0, 0];
  let [isTakingIn, isStopping] = [false, false];
  let onWork: () => void = () => undefined;

  /** A client's calls may take longer than claims usually last: one that never fits would be given back for ever. */
  const leaseOf = (clientId: string) => {
    const terms = clients.termsOf(clientId);
    return terms ? Math.max(deps.leaseMs, leaseFor(terms.limits)) : deps.leaseMs;
  };
  const claimOf = ({ partition, dueUs, jobId, clientId }: HeardReference): JobClaim => {
    const timeoutMs = clients.termsOf(clientId)?.limits.timeoutMs ?? usualTimeoutMs;
    return { partition, dueUs, jobId, timeoutMs };
  };
  const slots = createClientSlots({
    ...{ nodes: deps.nodes, leases: deps.leases, owner: deps.owner, notices, clock, logger },
    concurrencyOf: (clientId) => clients.termsOf(clientId)?.limits.concurrency ?? 1,
    queues: () => queues.all(),
    onGained: () => loop.poke(),
  });
  const concurrencyOf = (clientId: string) => slots.of(clientId);
  const queues = createClientQueues({
    ...{ concurrency: deps.concurrency, concurrencyOf, isClosed: (clientId) => slots.isClosed(clientId), clock },
    ownerOf: (clientId) => clients.termsOf(clientId)?.ownerId ?? clientId,
    ratePerSecondOf: (clientId) => {
      const terms = clients.termsOf(clientId);
      // The dispatcher's share of the rate, as for the slots.
      return terms
        ? ((terms.ratePerSecond ?? Infinity) * Math.max(1, slots.of(clientId))) / terms.limits.concurrency
        : Infinity;
    },
    start: serve,
    random: deps.random,
  });
  const counts = createCallCounts({ clock });
  const levels = () => ({ queued: queues.queued, waiting: queues.waiting, inFlight: queues.inFlight });
  const longestWaitMs = () => queues.longestWaitMs();
  const meter = createDispatcherMeter({ meter: deps.meter ?? noMeter, levels, longestWaitMs });
  const claimWatch = createClaimWatch({ clock });
  const letters = createLetterKeeper({ deadLetters: deps.deadLetters, meter: deps.meter ?? noMeter, clock, logger });
  const receiver = createReferenceReceiver({
    letters,
    isKnown: (clientId) => clients.termsOf(clientId) !== undefined,
    onReferences: receive,
    onSettled: (message) => consumer.settle(message),
    queued: () => queues.queued,
  });
  const keeper = createCircuitKeeper({
    ...{ circuits: deps.circuits, clients, leaseOf, notices, clock, logger },
    onProbe: (job) => {
      held.add([job]);
      serve(job);
    },
  });
  const keyTurns = createKeyTurns({ keys: deps.keys, clock, logger });
  const callDeps = {
    ...{ endpoint: deps.endpoint, opener: deps.opener, inviter: deps.inviter, clients },
    ...{ tracing, clock, random: deps.random },
    aliveUntilMs: () => deps.heartbeat.aliveUntilMs(),
    refusalOf: (job: HeldJob, host: string) => keeper.refusalOf(job, host),
    isFirstHand: (job: HeldJob) => keeper.isFirstHand(job),
  };
  const loop = createLoop({
    ...{ name: 'dispatcher', turn: flush, minBetweenMs: minBetweenFlushesMs, afterErrorMs, clock, logger },
  });

  function receive(references: readonly HeardReference[]): void {
    received += references.length;
    for (const reference of references) {
      if (held.has(reference)) continue;
      if (mayQueue(queues, reference.clientId)) queues.add(reference);
      else meter.refused();
    }
    slots.poke();
    loop.poke();
    onWork();
  }

  function serve(job: HeldJob, whenDone?: (call: RouteCallEnd | null) => void): void {
    serving++;
    void callJob(job, callDeps).then((call) => {
      serving--;
      held.end(call);
      if (call.note.latencyMs !== null) counts.note(job.clientId, call.note.latencyMs);
      const isOfKey = keeper.onCalled(call);
      meter.called(call, clock.monotonicMs() + job.clockAheadMs);
      if (tracing) recordCall(call, tracing, clock, deps.random);
      if (whenDone) {
        claimWatch.ended(call.verdict);
        whenDone(isOfKey ? null : (call.routeEnd ?? null));
      }
      loop.poke();
    });
  }

  /** One look at all claimed jobs: each begins, waits on for a bounded time, or is given back. */
  function turnClaimed(): void {
    held.release(queues.turn());
    claimWatch.turned(levels());
  }

  /**
   * One turn: what was claimed begins or is given back, then ends and claims of many jobs, in one statement. Returns
   * until when there is nothing more to do, in milliseconds.
   */
  async function flush(): Promise<number> {
    turnClaimed();
    // What others may take at once is not claimed.
    const isAlive = clock.monotonicMs() < deps.heartbeat.aliveUntilMs();
    const references = isTakingIn && isAlive ? queues.take(maxClaims) : [];
    // What is held already is a repeat; its claim must not stand beside its end.
    const claims = references.filter((reference) => !held.has(reference));
    const askedMs = clock.monotonicMs();
    const leaseMs = Math.max(deps.leaseMs, ...new Set(claims.map(({ clientId }) => leaseOf(clientId))));
    const writing = claimWatch.flushing(held.flush(claims.map(claimOf), leaseMs));
    const written = await writing.catch((error: unknown) => {
      queues.putBack(references);
      throw error;
    });
    handled += references.length;
    if (references.length > 0) onWork();
    const jobs = written?.claimed.map((claim) => heldJobOf(claim, askedMs, leaseMs)) ?? [];
    held.add(jobs);
    if (isTakingIn) queues.hold(jobs);
    else held.giveBack(jobs);
    if (written) noteWritten(written, claims, askedMs);
    return pauseMs(isAlive, written !== null);
  }

  function noteWritten(written: Written, claims: readonly HeardReference[], askedMs: number): void {
    for (const { message, reason } of forgedAmong(claims, written)) {
      letters.keep(message, 'contradicted', reason, () => undefined);
    }
    keyTurns.written(written.calls);
    keeper.written(written.calls);
    meter.flushed(written, written.calls, claims.length, clock.monotonicMs() - askedMs);
  }

  function pauseMs(isAlive: boolean, hasWritten: boolean): number {
    if (!isAlive && held.unwritten === 0) return afterErrorMs;
    if (hasWritten && held.unwritten + queues.queued > 0) return 0;
    return queues.waiting > 0 ? waitingMs : idleMs;
  }

  async function finishWork(): Promise<void> {
    await keeper.stop();
    for (let tries = 0; serving + held.unwritten > 0 && tries < lastTries;) {
      let pauseMs = minBetweenFlushesMs;
      const written = await held.flush([], deps.leaseMs).catch((error: unknown) => {
        tries++;
        pauseMs = afterErrorMs;
        logger.warn({ err: error }, 'could not write what became of jobs, trying again');
      });
      if (written) keyTurns.written(written.calls);
      if (serving + held.unwritten > 0) await clock.sleep(pauseMs);
    }
    await keyTurns.stop();
    await slots.stop();
    await consumer.stop();
  }

  async function join(): Promise<void> {
    if (isStopping) return;
    isTakingIn = true;
    keeper.start();
    keyTurns.start();
    loop.start();
    await consumer.start(receiver);
  }

  const failed = Promise.withResolvers<Error>();
  let joining: Promise<void> | undefined;
  let finishing: Promise<void> | undefined;
  return {
    start: async () => {
      await slots.start();
      joining = slots.settled().then(join);
      // Beside others that takes seconds, in which it can be stopped; and is not ready.
      if (slots.isSettled()) await joining;
      else joining.catch((error: unknown) => failed.resolve(error instanceof Error ? error : new Error(String(error))));
    },
    ready: () => isTakingIn && consumer.ready().ok,
    levels,
    get received() {
      return received;
    },
    get handled() {
      return handled;
    },
    onWork: (listener) => {
      onWork = listener;
    },
    credit: () => (isTakingIn ? creditOf({ queues, concurrencyOf }) : null),
    calls: () => outletCallsOf({ queues, counts, slotsOf: concurrencyOf }),
    durations: () => counts.durations(),
    beaten: () => claimWatch.beaten(),
    stopIntake: async () => {
      [isTakingIn, isStopping] = [false, true];
      consumer.stopIntake();
      receiver.stop();
      slots.giveUp();
      await joining?.catch(() => undefined);
      held.giveBack(queues.clear());
      await loop.stop();
      queues.clear();
    },
    finishWork: () => (finishing ??= finishWork()),
    close: () => Promise.resolve(),
    broken: Promise.race([consumer.crashed, failed.promise, claimWatch.stuck]),
  };
}
