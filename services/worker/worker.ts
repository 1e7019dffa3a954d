import type { TopicNames } from '../../shared/domain/endpoint/shard.ts';
import type { QuietRule } from '../../shared/domain/run/quiet-hours.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { MessageConsumer } from '../../shared/ports/message-bus.ts';
import type { StepLedger, StepRef, StepResult } from '../../shared/ports/step-ledger.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createLoop } from '../../shared/runtime/loop.ts';
import type { Service } from '../../shared/runtime/process/service.ts';
import type { Checks } from './checks/checks.ts';
import type { BeginMarks } from './claims/begin-marks.ts';
import type { FeedDirectory } from './claims/feed-directory.ts';
import { matchClaims, matchResults } from './claims/flush-matching.ts';
import { prepareWork } from './claims/prepare-work.ts';
import { lookForStopsMs, type StoppedFeeds } from './claims/stopped-feeds.ts';
import type { HandOn } from './forward/hand-on.ts';
import type { NextStepPublisher } from './forward/next-step-publisher.ts';
import { mayWithhold, sortClaimed } from './gates/gates.ts';
import type { Serving } from './intake/follow-registry.ts';
import type { MessageReceiver } from './intake/message-receiver.ts';
import { selectClaims } from './intake/select-claims.ts';
import type { UnbegunIntake } from './intake/unbegun-intake.ts';
import type { Served } from './intake/served-shards.ts';
import type { StepQueue } from './intake/step-queue.ts';
import type { TimedSteps } from './intake/timed-steps.ts';
import { createVainClaims } from './intake/vain-claims.ts';
import type { ShardLevels, WorkerMeter } from './report/worker-meter.ts';
import type { CallSlots } from './slots/call-slots.ts';
import { quickFlushMs } from './slots/flush-pace.ts';
import { levelsOf } from './slots/group-views.ts';
import type { GuardKeeper } from './slots/guard-keeper.ts';
import type { RateKeeper } from './slots/rate-keeper.ts';
import type { SlotGroups } from './slots/slot-groups.ts';
import type { QuietHours } from './step/quiet-hours.ts';
import type { StepOutcomes } from './call/step-outcomes.ts';
import type { StepServer } from './call/step-server.ts';
import type { StepTraces } from './report/step-traces.ts';
import type { Wake } from './wake.ts';
import type { FinishedStep, OpenMessage, Work } from './step/work.ts';

/** Under load, groups grow to what arrives between two flushes, unless they are large before. */
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
  /** Serves these shards from now on, and calls by these types, but for these hours. */
  follow(served: Served, quietHours?: readonly QuietRule[]): void;
  /** What each shard has under way. */
  levels(): readonly ShardLevels[];
}

export interface WorkerParts {
  consumer: MessageConsumer;
  ledger: StepLedger;
  topics: TopicNames;
  clock: Clock;
  logger: Logger;
  /** Of the turn. */
  wake: Wake;
  /** A step needs its message no longer. */
  onHandled: (origin: OpenMessage | null) => void;
  serving: Serving;
  meter: WorkerMeter;
  /** Undefined where tracing is off. */
  traces: StepTraces | undefined;
  queue: StepQueue;
  receiver: MessageReceiver;
  unbegunIntake: UnbegunIntake;
  timedSteps: TimedSteps;
  directory: FeedDirectory;
  stops: StoppedFeeds;
  begins: BeginMarks;
  outcomes: StepOutcomes;
  groups: SlotGroups;
  server: StepServer;
  slots: CallSlots;
  checks: Checks;
  guardKeeper: GuardKeeper;
  rateKeeper: RateKeeper;
  handOn: HandOn;
  nextSteps: NextStepPublisher;
  quietHours: QuietHours;
}

export function createWorkerFromParts(parts: WorkerParts): Worker {
  const { consumer, ledger, topics, clock, logger, wake, onHandled, serving, meter, traces } = parts;
  const { queue, receiver, unbegunIntake, timedSteps } = parts;
  const { directory, stops, begins, outcomes, groups, server, slots, checks } = parts;
  const { guardKeeper, rateKeeper, handOn, nextSteps, quietHours } = parts;
  const { shards, actionTypes } = serving;
  /** By topic. */
  const recordedBy = new Map<string, number>();
  let lastFlushMs = Number.NEGATIVE_INFINITY;
  let isTakingIn = false;
  const vain = createVainClaims();
  const actionTypeOf = (step: StepRef) => directory.actionTypeOf(step);
  const withholdDeps = { directory, quietHours };
  const checked = (step: StepRef) => mayWithhold(step, withholdDeps);

  const loop = createLoop({ name: 'worker', turn, afterErrorMs, clock, logger });
  wake.connect(loop);
  meter.watch(() => ({ shards: levels(), queued: queue.size }));

  /** W2 and W5 to W7, for many steps at once: one statement records what was called and claims what comes next. */
  async function turn(): Promise<number> {
    callAgain();
    await gather();
    timedSteps.queueDue();
    if (queue.size > 0) {
      guardKeeper.onWork();
      rateKeeper.onWork();
    }
    stops.look(() => [...slots.waitingFeeds(), ...checks.slots.waitingFeeds()]);
    const claims = await selectClaims(maxGroup, { queue, slots, checks, directory, shards, receiver, vain });
    unbegunIntake.onSteps(claims);
    const results = outcomes.takeResults(maxGroup);
    const begun = begins.waiting();
    if (claims.length + results.length + begun.length === 0) return untilNext();

    const startedMs = (lastFlushMs = clock.monotonicMs());
    const byResult = new Map(results.map(({ result, work }) => [result, work]));
    const flush = { results: [...byResult.keys()], claims, begins: begun, handOn: handOn.choose(results, claims) };
    const { unitsPerUser } = directory;
    const terms = { unitsPerUser, actionTypeOf, checked, timedWithinMs: timedSteps.withinMs() };
    const flushed = await ledger.flush({ ...flush, ...terms }).catch((error: unknown) => {
      // Nothing is lost: results are written with the next flush, or refused there because their lease has run out
      // meanwhile.
      outcomes.putBack(results);
      queue.putBack(claims);
      throw error;
    });
    const tookMs = clock.monotonicMs() - startedMs;
    meter.flushed(flushed, results.length, claims.length, tookMs);
    const took = tookMs / Math.max(tookMs, quickFlushMs);
    slots.onFlush(took);
    checks.slots.onFlush(took);

    timedSteps.add(flushed.timed, byResult);
    begins.settle(begun, flushed.begun);
    const { recorded, handedOn, lost, children, childless } = matchResults(byResult, flushed, startedMs);
    for (const { work, result } of recorded) if (result.state === 'done') countRecorded(work.topic);
    traces?.recorded(recorded, flushed.born, startedMs);
    traces?.claimed(children, startedMs);
    forward(recorded, handedOn, startedMs);
    server.lose(lost, flushed.refused);
    server.abandonTrials([...lost, ...childless]);
    slots.add(children);

    const { ours, others, busy, contradicted } = matchClaims(claims, flushed);
    queue.putBack(busy);
    vain.note(ours, others);
    for (const { queued, truth } of contradicted) receiver.contradicted(queued, truth);
    for (const { origin } of others) onHandled(origin);
    const prepared = await prepareWork(ours, startedMs, { shards, actionTypes, directory, ledger, logger });
    traces?.claimed(prepared.works, startedMs);
    serve(prepared.works);
    server.release(prepared.unreadable, null);
    server.leaveBroken(prepared.broken);
    return 0;
  }

  /** Next steps: here, where they were handed on, or by their topics. */
  function forward(recorded: readonly FinishedStep[], handedOn: ReadonlySet<StepResult>, claimedAtMs: number): void {
    const here = recorded.filter(({ result }) => handedOn.has(result));
    nextSteps.publish(handedOn.size === 0 ? recorded : recorded.filter(({ result }) => !handedOn.has(result)));
    const { works, unsure } = handOn.worksOf(here, claimedAtMs);
    traces?.claimed(works, claimedAtMs);
    for (const { work } of here) onHandled(work.origin);
    serve(works);
    server.release(unsure, null);
  }

  function serve(works: readonly Work[]): void {
    const { asked, callable, finished } = sortClaimed(works, { stops });
    outcomes.record(finished);
    checks.ask(asked);
    slots.add(callable);
  }

  /** What waited for a trial goes on. */
  function callAgain(): void {
    const works = outcomes.takeCallable();
    if (works.length > 0) slots.add(works);
  }

  function countRecorded(topic: string): void {
    recordedBy.set(topic, (recordedBy.get(topic) ?? 0) + 1);
  }

  function levels(): ShardLevels[] {
    const served = [...groups.all.values()].filter(({ topic }) => shards.has(topic));
    return levelsOf(served, clock.monotonicMs()).map((level) => {
      return { ...level, recorded: recordedBy.get(topics.shard(level.shard)) ?? 0 };
    });
  }

  async function gather(): Promise<void> {
    while (outcomes.waiting < largeGroup) {
      const isAwaited = begins.waiting().length > 0;
      const betweenMs = isAwaited ? quickFlushMs : slots.betweenFlushesMs(queue.topics());
      const leftMs = betweenMs - (clock.monotonicMs() - lastFlushMs);
      if (leftMs <= 0) return;
      // What comes meanwhile may change how long there is to wait.
      await clock.sleep(Math.min(Math.ceil(leftMs), quickFlushMs));
    }
  }

  function untilNext(): number {
    slots.resume();
    checks.slots.resume();
    const nextInMs = Math.min(slots.nextCallInMs(queue.topics()), checks.slots.nextCallInMs([]), timedSteps.nextInMs());
    const soonestMs = Math.max(quickFlushMs, Math.ceil(nextInMs));
    const isAnyWaiting = slots.waitingFeeds().length + checks.slots.waitingFeeds().length > 0;
    return Math.min(isAnyWaiting ? lookForStopsMs : idleMs, soonestMs);
  }

  /** What the last turns left, and what they bring back: then leases run out. */
  async function flushTheRest(): Promise<void> {
    for (let round = 0; round < lastFlushes && !outcomes.isEmpty; round++) {
      try {
        await turn();
      } catch (error) {
        logger.warn(
          { err: error, steps: outcomes.waiting },
          'could not record the last steps, their leases will run out',
        );
      }
      await server.idle();
    }
  }

  return {
    start: async () => {
      loop.start();
      guardKeeper.start();
      rateKeeper.start();
      unbegunIntake.start();
      await consumer.start(receiver);
      isTakingIn = true;
    },
    ready: () => isTakingIn && consumer.ready().ok,
    follow: (served, rules = []) => {
      quietHours.follow(rules);
      if (!serving.follow(served)) return;
      groups.reshape();
      checks.reshape();
      slots.resume();
      // A rate that is new lets no call begin until this worker holds a share of it.
      rateKeeper.poke();
      loop.poke();
    },
    levels,
    stopIntake: () => {
      isTakingIn = false;
      serving.stop();
      consumer.stopIntake();
      receiver.stop();
      unbegunIntake.stopIntake();
      timedSteps.stop();
      queue.clear();
      return Promise.resolve();
    },
    finishWork: async () => {
      checks.slots.close();
      slots.close();
      await Promise.all([checks.slots.idle(), slots.idle()]);
      await Promise.all([guardKeeper.stop(), rateKeeper.stop(), unbegunIntake.stop()]);
      await loop.stop();
      await flushTheRest();
      await nextSteps.finish();
    },
    close: () => consumer.stop(),
    broken: consumer.crashed,
  };
}
