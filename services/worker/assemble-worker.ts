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
import { createUnstartedIntake } from './intake/unstarted-intake.ts';
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

/** Creates a worker. Each group of parts may use the groups that are created above it. */
export function createWorker(deps: WorkerDeps): Worker {
  const basis = createBasis(deps);
  const calls = createCalls(deps, basis);
  const intake = createIntake(deps, basis, calls);
  const forwarding = createForwarding(deps, basis, calls, intake);

  const { groups, serving, queue, meter } = basis;
  const { flushes } = forwarding;
  const levels = () => {
    const served = [...groups.all.values()].filter(({ topic }) => serving.shards.has(topic));
    return levelsOf(served, (topic) => flushes.recordedIn(topic), deps.clock.monotonicMs());
  };
  meter.watch(() => ({ shards: levels(), queued: queue.size }));

  const { consumer, clock, logger } = deps;
  return createWorkerFromParts({ ...basis, ...calls, ...intake, ...forwarding, levels, consumer, clock, logger });
}

type Basis = ReturnType<typeof createBasis>;
type Calls = ReturnType<typeof createCalls>;
type Intake = ReturnType<typeof createIntake>;

/**
 * Creates the parts that all others use: the queue, the directory of feeds, slots by shard, and the function that
 * wakes the worker's main loop.
 */
function createBasis(deps: WorkerDeps) {
  const { consumer, clock, random, logger, concurrency } = deps;
  const monotonicMs = () => clock.monotonicMs();
  const wake = createWake();
  const serving = createServing({ shards: deps.shards, actionTypes: deps.config.actionTypes, consumer, logger });
  const { shards, actionTypes } = serving;
  return {
    monotonicMs,
    wake,
    serving,
    onHandled: (origin: OpenMessage | null) => {
      if (origin && --origin.open === 0) consumer.settle(origin.message);
    },
    meter: createWorkerMeter({ meter: deps.meter ?? noMeter, clock, logger }),
    traces: deps.tracing ? createStepTraces({ tracing: deps.tracing, clock, random }) : undefined,
    queue: createStepQueue(),
    directory: createFeedDirectory({ contexts: deps.contexts, clock, logger }),
    begins: createBeginMarks(() => wake.poke()),
    outcomes: createStepOutcomes(() => wake.poke()),
    quietHours: createQuietHours(deps.quietHours ?? [], clock),
    heldSteps: createHeldSteps({ holds: deps.holds, monotonicMs, logger }),
    groups: createSlotGroups({ shards, actionTypes, concurrency, monotonicMs, random }),
  };
}

/** Creates the parts that call endpoints: the server of steps, slots, checks, and the keepers of breakers and rates. */
function createCalls(deps: WorkerDeps, basis: Basis) {
  const { clock, random, logger, leaseMs, concurrency, endpoint } = deps;
  const { serving, directory, heldSteps, quietHours, groups, outcomes, onHandled, meter, traces } = basis;
  const { monotonicMs, wake, queue, begins } = basis;
  const { actionTypes } = serving;
  const guardWake = createWake();
  const rateWake = createWake();
  const server = createStepServer({
    directory,
    heldSteps,
    quietHours,
    refusalCounts: createRefusalCounts({ contexts: deps.contexts, monotonicMs, logger }),
    endpoint,
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
    admissionOf: (feedId) => directory.admissionOf(feedId),
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
    endpoint,
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
  return { server, slots, checks, guardKeeper, rateKeeper };
}

/**
 * Creates the parts that find steps and claim them: steps from messages, steps that no worker has begun, and retries
 * when they are due.
 */
function createIntake(deps: WorkerDeps, basis: Basis, { slots, checks }: Calls) {
  const { consumer, ledger, topics, clock, logger, leaseMs } = deps;
  const { serving, queue, directory, onHandled, wake, traces } = basis;
  const { shards, actionTypes } = serving;
  const receiver = createMessageReceiver({
    queue,
    shards,
    letters: createLetterKeeper({ deadLetters: deps.deadLetters, meter: deps.meter ?? noMeter, clock, logger }),
    onSettled: (message) => consumer.settle(message),
    onHandled,
    onArrived: () => wake.poke(),
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
  const unstartedIntake = createUnstartedIntake({
    unstarted: deps.unstarted,
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
    unstartedIntake,
    onHandled,
    traces,
    logger,
  });
  return { receiver, stops, unstartedIntake, timedSteps, claimIntake };
}

/** Creates the parts that write results, and that forward the users who survived a step to the next step. */
function createForwarding(deps: WorkerDeps, basis: Basis, { slots, checks }: Calls, { stops, timedSteps }: Intake) {
  const { ledger, topics, clock, random, logger } = deps;
  const { serving, queue, directory, quietHours, outcomes, begins, onHandled, meter, traces } = basis;
  const { shards, actionTypes } = serving;
  const handOn = createHandOn({ topics, shards, actionTypes, queue, slots, directory, stops, quietHours });
  const nextSteps = createNextStepPublisher({
    publisher: deps.publisher,
    topics,
    onHandled: (works) => works.forEach(({ origin }) => onHandled(origin)),
    clock,
    random,
    logger,
  });
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
  return {
    survivors: createSurvivors({ handOn, nextSteps, onHandled, traces }),
    flushes,
    pace: createTurnPace({ outcomes, begins, queue, timedSteps, slots, checks, flushes, clock }),
  };
}
