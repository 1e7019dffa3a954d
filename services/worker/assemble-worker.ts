import { createLetterKeeper } from '../../shared/runtime/installation/letter-keeper.ts';
import { noMeter } from '../../shared/runtime/meter/no-meter.ts';
import { createWake } from '../../shared/runtime/wake.ts';
import { createRequestBodies } from './call/request-body.ts';
import { createChecks } from './checks/checks.ts';
import { createBeginMarks } from './claims/begin-marks.ts';
import { createFeedDirectory } from './claims/feed-directory.ts';
import { createStoppedFeeds } from './claims/stopped-feeds.ts';
import { createFlushes } from './flushes.ts';
import { createSurvivors } from './forward/forward-survivors.ts';
import { createHandOn } from './forward/hand-on.ts';
import { createNextStepPublisher } from './forward/next-step-publisher.ts';
import { createClaimIntake } from './intake/claim-intake.ts';
import { createServing } from './intake/follow-registry.ts';
import { createMessageReceiver } from './intake/message-receiver.ts';
import { createUnbegunIntake } from './intake/unbegun-intake.ts';
import { createStepQueue } from './intake/step-queue.ts';
import { createTimedSteps } from './intake/timed-steps.ts';
import { createWorkerMeter } from './report/worker-meter.ts';
import { createCallSlots } from './slots/call-slots.ts';
import { guardedShards, levelsOf, ratedActions } from './slots/group-views.ts';
import { createGuardKeeper } from './slots/guard-keeper.ts';
import { createRateKeeper } from './slots/rate-keeper.ts';
import { createSlotGroups } from './slots/slot-groups.ts';
import { createHeldSteps } from './step/held-steps.ts';
import { createQuietHours } from './step/quiet-hours.ts';
import { createRefusalCounts } from './step/refusal-counts.ts';
import { createStepOutcomes } from './call/step-outcomes.ts';
import { createStepServer } from './call/step-server.ts';
import { createSuspectGate } from './step/suspect-gate.ts';
import { createStepTraces } from './report/step-traces.ts';
import { createTurnPace } from './turn-pace.ts';
import type { OpenMessage } from './step/work.ts';
import { createWorkerFromParts, type Worker } from './worker.ts';
import type { WorkerDeps } from './worker-deps.ts';

/** Creates a worker. Each part uses the parts above it. */
export function createWorker(deps: WorkerDeps): Worker {
  const { consumer, ledger, topics, clock, random, logger, leaseMs, concurrency } = deps;
  const monotonicMs = () => clock.monotonicMs();
  /** Wakes for the worker's turn, and for the exchanges of breakers and of rates. */
  const wake = createWake();
  const guardWake = createWake();
  const rateWake = createWake();

  const onHandled = (origin: OpenMessage | null) => {
    if (origin && --origin.open === 0) consumer.settle(origin.message);
  };

  const serving = createServing({ shards: deps.shards, actionTypes: deps.config.actionTypes, consumer, logger });
  const { shards, actionTypes } = serving;
  const meter = createWorkerMeter({ meter: deps.meter ?? noMeter, clock, logger });
  const traces = deps.tracing ? createStepTraces({ tracing: deps.tracing, clock, random }) : undefined;
  const queue = createStepQueue();
  const receiver = createMessageReceiver({
    queue,
    shards,
    letters: createLetterKeeper({ deadLetters: deps.deadLetters, meter: deps.meter ?? noMeter, clock, logger }),
    onSettled: (message) => consumer.settle(message),
    onHandled,
    onArrived: () => wake.poke(),
  });

  const directory = createFeedDirectory({ contexts: deps.contexts, clock, logger });
  const begins = createBeginMarks(() => wake.poke());
  const outcomes = createStepOutcomes(() => wake.poke());

  const quietHours = createQuietHours(deps.quietHours ?? [], clock);
  const heldSteps = createHeldSteps({ holds: deps.holds, monotonicMs, logger });
  const groups = createSlotGroups({ shards, actionTypes, concurrency, monotonicMs, random });
  const server = createStepServer({
    directory,
    heldSteps,
    quietHours,
    refusalCounts: createRefusalCounts({ contexts: deps.contexts, monotonicMs, logger }),
    endpoint: deps.endpoint,
    bodyOf: createRequestBodies(),
    markBegun: (begin) => begins.mark(begin),
    suspects: createSuspectGate(),
    takeRate: (topic, users) => groups.takeRate(topic, users),
    outcomes,
    onHandled,
    meter,
    traces,
    leaseMs,
    clock,
    random,
    logger,
  });
  const slots = createCallSlots({
    groups,
    concurrency,
    leaseMs,
    serve: (work) => server.serve(work),
    onReport: () => guardWake.poke(),
    release: (works, pause) => server.release(works, pause),
    monotonicMs,
  });
  const checks = createChecks({
    heldSteps,
    quietHours,
    topics: deps.topics,
    actionTypes,
    concurrency,
    directory,
    endpoint: deps.endpoint,
    outcomes,
    release: (works, pause) => server.release(works, pause),
    onHandled,
    onWaiting: () => rateWake.poke(),
    meter,
    traces,
    leaseMs,
    clock,
    random,
    logger,
  });
  const stops = createStoppedFeeds({
    directory,
    onStopped: (feedIds) => {
      slots.releaseFeeds(feedIds);
      checks.slots.releaseFeeds(feedIds);
    },
    clock,
    logger,
  });
  const guardKeeper = createGuardKeeper({
    guards: deps.guards,
    guarded: () => guardedShards(groups.all.values()),
    queuedTopics: () => queue.topics(),
    timeoutMsOf: (actionType) => actionTypes[actionType]?.timeoutMs ?? 0,
    onOpened: (topic) => slots.onOpened(topic),
    onRoom: () => wake.poke(),
    clock,
    random,
    logger,
  });
  guardWake.connect(guardKeeper);
  const rateKeeper = createRateKeeper({
    rateShares: deps.rateShares,
    rated: () => ratedActions([...groups.all.values(), ...checks.groups.values()], queue.topics()),
    onRoom: () => wake.poke(),
    clock,
    logger,
  });

  rateWake.connect({ poke: () => rateKeeper.onWork() });

  const unbegunIntake = createUnbegunIntake({
    unbegun: deps.unbegun,
    queue,
    slots,
    directory,
    shards,
    topics,
    onFound: () => wake.poke(),
    clock,
    logger,
  });
  const timedSteps = createTimedSteps({ queue, directory, stops, shards, leaseMs, clock });
  const claimIntake = createClaimIntake({
    queue,
    slots,
    checks,
    directory,
    shards,
    actionTypes,
    ledger,
    receiver,
    unbegunIntake,
    onHandled,
    traces,
    logger,
  });

  const handOn = createHandOn({ topics, shards, actionTypes, queue, slots, directory, stops, quietHours });
  const nextSteps = createNextStepPublisher({
    publisher: deps.publisher,
    topics,
    onHandled: (works) => works.forEach(({ origin }) => onHandled(origin)),
    clock,
    random,
    logger,
  });
  const survivors = createSurvivors({ handOn, nextSteps, onHandled, traces });
  const flushes = createFlushes({
    ledger,
    directory,
    quietHours,
    outcomes,
    queue,
    begins,
    timedSteps,
    handOn,
    slots,
    checks,
    meter,
    traces,
    clock,
  });
  const pace = createTurnPace({ outcomes, begins, queue, timedSteps, slots, checks, flushes, clock });

  const levels = () => {
    const served = [...groups.all.values()].filter(({ topic }) => shards.has(topic));
    return levelsOf(served, (topic) => flushes.recordedIn(topic), clock.monotonicMs());
  };
  meter.watch(() => ({ shards: levels(), queued: queue.size }));

  return createWorkerFromParts({
    consumer,
    serving,
    receiver,
    queue,
    unbegunIntake,
    timedSteps,
    claimIntake,
    stops,
    quietHours,
    groups,
    slots,
    checks,
    guardKeeper,
    rateKeeper,
    server,
    outcomes,
    flushes,
    survivors,
    pace,
    levels,
    wake,
    clock,
    logger,
  });
}
