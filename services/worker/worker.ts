import { createLoop } from '../../shared/runtime/loop.ts';
import { noMeter } from '../../shared/runtime/meter/no-meter.ts';
import type { Service } from '../../shared/runtime/process/service.ts';
import { createBeginMarks } from './claims/begin-marks.ts';
import { createCallSlots } from './slots/call-slots.ts';
import { createFeedDirectory } from './claims/feed-directory.ts';
import { matchClaims, matchResults } from './claims/flush-matching.ts';
import { createServing } from './intake/follow-registry.ts';
import { createHeldSteps } from './step/held-steps.ts';
import { createGuardKeeper } from './slots/keep-guards.ts';
import { createRateKeeper } from './slots/keep-rates.ts';
import { createMessageReceiver } from './intake/message-receiver.ts';
import { createNextStepPublisher } from './forward/next-step-publisher.ts';
import { prepareWork } from './claims/prepare-work.ts';
import { createRequestBodies } from './call/request-body.ts';
import { selectClaims } from './intake/select-claims.ts';
import type { Served } from './intake/served-shards.ts';
import { splitForBudgets } from './claims/split-for-budgets.ts';
import { createStepQueue } from './intake/step-queue.ts';
import { createStepServer } from './step/step-server.ts';
import { createSuspectGate } from './step/suspect-gate.ts';
import { createStoppedFeeds, lookForStopsMs } from './claims/stopped-feeds.ts';
import type { FinishedStep, OpenMessage } from './work.ts';
import { createWorkerMeter, type ShardLevels } from './report/worker-meter.ts';
import type { WorkerDeps } from './worker-deps.ts';

/** Under load, groups grow to what arrives in this time, unless they are large before; when idle, nothing waits. */
const minBetweenFlushesMs = 25;
const largeGroup = 200;
const maxGroup = 500;
/** Poked when there is something to do. Slots that grow with time, and probes, are looked at this often at least. */
const idleMs = 1000;
const afterErrorMs = 500;
/** When the worker stops: what the last flush brought may have to be given back, and so on. */
const lastFlushes = 4;

/** Does single steps of batches: claims them, calls their endpoints, records, and sends the survivors on. */
export interface Worker extends Service {
  /** Resolves when the group has been joined. */
  start(): Promise<void>;
  /** Serves these shards from now on, and calls by these types. */
  follow(served: Served): void;
  /** What each shard has under way. */
  levels(): readonly ShardLevels[];
}

export function createWorker(deps: WorkerDeps): Worker {
  const { consumer, ledger, topics, clock, random, logger, leaseMs } = deps;
  const serving = createServing({
    shards: deps.shards,
    actionTypes: deps.config.actionTypes,
    consumer,
    onChanged: () => {
      slots.reshape();
      // A rate that is new lets nobody call until this worker holds a share of it.
      rateKeeper.poke();
      loop.poke();
    },
    logger,
  });
  const { shards, actionTypes } = serving;
  const meter = createWorkerMeter({
    meter: deps.meter ?? noMeter,
    levels: () => ({ shards: levels(), queued: queue.size }),
    clock,
    logger,
  });
  const queue = createStepQueue();
  const directory = createFeedDirectory({ contexts: deps.contexts, clock, logger });
  const begins = createBeginMarks(() => loop.poke());
  /** By topic. */
  const recordedBy = new Map<string, number>();
  let finished: FinishedStep[] = [];
  let lastFlushMs = Number.NEGATIVE_INFINITY;
  const stops = createStoppedFeeds({ directory, clock });
  let isTakingIn = false;

  const receiver = createMessageReceiver({
    queue,
    shards,
    deadLetters: deps.deadLetters,
    onSettled: (message) => consumer.settle(message),
    onArrived: () => loop.poke(),
    clock,
    logger,
  });
  const nextSteps = createNextStepPublisher({
    publisher: deps.publisher,
    topics,
    onHandled: (works) => works.forEach(({ origin }) => onHandled(origin)),
    clock,
    random,
    logger,
  });
  const server = createStepServer({
    directory,
    heldSteps: createHeldSteps({ holds: deps.holds, monotonicMs: () => clock.monotonicMs(), logger }),
    endpoint: deps.endpoint,
    bodyOf: createRequestBodies(),
    markBegun: (begin) => begins.mark(begin),
    suspects: createSuspectGate(),
    retryBudgetOf: (topic) => slots.retryBudgetOf(topic),
    takeRate: (topic, users) => slots.takeRate(topic, users),
    onFinished,
    onCallable: (works) => slots.add(works),
    onHandled,
    meter,
    leaseMs,
    clock,
    random,
    logger,
  });
  const slots = createCallSlots({
    shards,
    actionTypes,
    concurrency: deps.concurrency,
    leaseMs,
    serve: (work) => server.serve(work),
    onReport: () => keeper.poke(),
    release: (works, pause) => server.release(works, pause),
    monotonicMs: () => clock.monotonicMs(),
    random,
  });
  const loop = createLoop({ name: 'worker', turn, afterErrorMs, clock, logger });
  const keeper = createGuardKeeper({
    guards: deps.guards,
    guarded: () => slots.guarded(),
    queuedTopics: () => queue.topics(),
    timeoutMsOf: (actionType) => actionTypes[actionType]?.timeoutMs ?? 0,
    onRoom: () => loop.poke(),
    clock,
    random,
    logger,
  });
  const rateKeeper = createRateKeeper({
    rateShares: deps.rateShares,
    rated: () => slots.rated(queue.topics()),
    onRoom: () => loop.poke(),
    clock,
    logger,
  });

  /** W2 and W5 to W7, for many steps at once: one statement records what was called and claims what comes next. */
  async function turn(): Promise<number> {
    await gather();
    if (queue.size > 0) {
      keeper.onWork();
      rateKeeper.onWork();
    }
    slots.releaseFeeds(await stops.look(() => slots.waitingFeeds()));
    const claims = await selectClaims(maxGroup, { queue, slots, directory, shards, receiver });
    const results = takeFinished();
    const begun = begins.waiting();
    if (claims.length + results.length + begun.length === 0) return untilNext();

    const startedMs = (lastFlushMs = clock.monotonicMs());
    const byResult = new Map(results.map(({ result, work }) => [result, work]));
    const flushed = await ledger
      .flush({ results: [...byResult.keys()], claims, begins: begun, unitsPerUser: directory.unitsPerUser })
      .catch((error: unknown) => {
        // Nothing is lost: results are written with the next flush, or refused there because their lease has run out meanwhile.
        finished = [...results, ...finished];
        queue.putBack(claims);
        throw error;
      });
    meter.flushed(flushed, results.length, claims.length, clock.monotonicMs() - startedMs);

    begins.settle(begun, flushed.begun);
    const { recorded, lost, children, childless } = matchResults(byResult, flushed, startedMs);
    for (const { work, result } of recorded) if (result.state === 'done') countRecorded(work.topic);
    nextSteps.publish(recorded);
    server.lose(lost, flushed.refused);
    server.abandonTrials([...lost, ...childless]);
    slots.add(children);

    const { ours, others } = matchClaims(claims, flushed.claimed);
    for (const { origin } of others) onHandled(origin);
    const prepared = await prepareWork(ours, startedMs, { shards, actionTypes, directory, ledger, logger });
    const [affordable, parts] = splitForBudgets(prepared.works);
    onFinished(parts);
    const [going, stopped] = stops.split(affordable);
    slots.add(going);
    server.release(stopped, null);
    server.release(prepared.unreadable, null);
    server.leaveBroken(prepared.broken);
    return 0;
  }

  function countRecorded(topic: string): void {
    recordedBy.set(topic, (recordedBy.get(topic) ?? 0) + 1);
  }

  function levels(): ShardLevels[] {
    return slots.levels().map((level) => ({ ...level, recorded: recordedBy.get(topics.shard(level.shard)) ?? 0 }));
  }

  async function gather(): Promise<void> {
    const sinceLastMs = clock.monotonicMs() - lastFlushMs;
    if (sinceLastMs < minBetweenFlushesMs && finished.length < largeGroup) {
      await clock.sleep(minBetweenFlushesMs - sinceLastMs);
    }
  }

  function takeFinished(): FinishedStep[] {
    const taken = finished.slice(0, maxGroup);
    finished = finished.slice(maxGroup);
    return taken;
  }

  function untilNext(): number {
    slots.resume();
    const nextCallInMs = Math.max(minBetweenFlushesMs, Math.ceil(slots.nextCallInMs(queue.topics())));
    return Math.min(slots.waitingFeeds().length > 0 ? lookForStopsMs : idleMs, nextCallInMs);
  }

  function onFinished(steps: readonly FinishedStep[]): void {
    for (const step of steps) finished.push(step);
    if (steps.length > 0) loop.poke();
  }

  function onHandled(origin: OpenMessage | null): void {
    if (origin && --origin.open === 0) consumer.settle(origin.message);
  }

  /** Whatever the last turns left, and what they bring back: then leases run out. */
  async function flushTheRest(): Promise<void> {
    for (let round = 0; round < lastFlushes && finished.length > 0; round++) {
      try {
        await turn();
      } catch (error) {
        logger.warn(
          { err: error, steps: finished.length },
          'could not record the last steps, their leases will run out',
        );
      }
      await server.idle();
    }
  }

  return {
    start: async () => {
      loop.start();
      keeper.start();
      rateKeeper.start();
      await consumer.start(receiver);
      isTakingIn = true;
    },
    ready: () => isTakingIn && consumer.ready().ok,
    follow: (served) => serving.follow(served),
    levels,
    stopIntake: () => {
      isTakingIn = false;
      serving.stop();
      consumer.stopIntake();
      receiver.stop();
      queue.clear();
      return Promise.resolve();
    },
    finishWork: async () => {
      slots.close();
      await slots.idle();
      await Promise.all([keeper.stop(), rateKeeper.stop()]);
      await loop.stop();
      await flushTheRest();
      await nextSteps.finish();
    },
    close: () => consumer.stop(),
    broken: consumer.crashed,
  };
}
