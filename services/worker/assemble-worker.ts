import { createLetterKeeper } from '../../shared/runtime/installation/letter-keeper.ts';
import { noMeter } from '../../shared/runtime/meter/no-meter.ts';
import { createRequestBodies } from './call/request-body.ts';
import { createChecks } from './checks/checks.ts';
import { createBeginMarks } from './claims/begin-marks.ts';
import { createFeedDirectory } from './claims/feed-directory.ts';
import { createStoppedFeeds } from './claims/stopped-feeds.ts';
import { createHandOn } from './forward/hand-on.ts';
import { createNextStepPublisher } from './forward/next-step-publisher.ts';
import { createServing } from './intake/follow-registry.ts';
import { createMessageReceiver } from './intake/message-receiver.ts';
import { createUnbegunIntake } from './intake/unbegun-intake.ts';
import { createStepQueue } from './intake/step-queue.ts';
import { createTimedSteps } from './intake/timed-steps.ts';
import { createWorkerMeter } from './report/worker-meter.ts';
import { createCallSlots } from './slots/call-slots.ts';
import { guardedShards, ratedActions } from './slots/group-views.ts';
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
import { createWake } from './wake.ts';
import type { OpenMessage } from './step/work.ts';
import { createWorkerFromParts, type Worker } from './worker.ts';
import type { WorkerDeps } from './worker-deps.ts';

/** Makes a worker, each part from those above it. */
export function createWorker(deps: WorkerDeps): Worker {
  const { consumer, ledger, topics, clock, random, logger, leaseMs, concurrency } = deps;
  const monotonicMs = () => clock.monotonicMs();
  /** Of the worker's turn, and of the exchange of breakers. */
  const wake = createWake();
  const guardWake = createWake();

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
  const stops = createStoppedFeeds({
    directory,
    onStopped: (feedIds) => {
      slots.releaseFeeds(feedIds);
      checks.slots.releaseFeeds(feedIds);
    },
    clock,
    logger,
  });
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
    onWaiting: () => rateKeeper.onWork(),
    meter,
    traces,
    leaseMs,
    clock,
    random,
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

  const nextSteps = createNextStepPublisher({
    publisher: deps.publisher,
    topics,
    onHandled: (works) => works.forEach(({ origin }) => onHandled(origin)),
    clock,
    random,
    logger,
  });

  return createWorkerFromParts({
    consumer,
    ledger,
    topics,
    clock,
    logger,
    wake,
    onHandled,
    serving,
    meter,
    traces,
    queue,
    receiver,
    unbegunIntake,
    timedSteps: createTimedSteps({ queue, directory, stops, shards, leaseMs, clock }),
    directory,
    stops,
    begins,
    outcomes,
    groups,
    server,
    slots,
    checks,
    guardKeeper,
    rateKeeper,
    handOn: createHandOn({ topics, shards, actionTypes, queue, slots, directory, stops, quietHours }),
    nextSteps,
    quietHours,
  });
}
