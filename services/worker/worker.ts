import type { QuietRule } from '../../shared/domain/run/quiet-hours.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { MessageConsumer } from '../../shared/ports/message-bus.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createLoop } from '../../shared/runtime/loop.ts';
import type { Service } from '../../shared/runtime/process/service.ts';
import type { Wake } from '../../shared/runtime/wake.ts';
import type { StepOutcomes } from './call/step-outcomes.ts';
import type { StepServer } from './call/step-server.ts';
import type { Checks } from './checks/checks.ts';
import type { StoppedFeeds } from './claims/stopped-feeds.ts';
import type { Flushed, Flushes } from './flushes.ts';
import type { Survivors } from './forward/forward-survivors.ts';
import { sortClaimed } from './gates/gates.ts';
import type { ClaimIntake } from './intake/claim-intake.ts';
import type { Serving } from './intake/follow-registry.ts';
import type { MessageReceiver } from './intake/message-receiver.ts';
import type { Served } from './intake/served-shards.ts';
import type { StepQueue } from './intake/step-queue.ts';
import type { TimedSteps } from './intake/timed-steps.ts';
import type { UnstartedIntake } from './intake/unstarted-intake.ts';
import type { ShardLevels } from './report/worker-meter.ts';
import type { CallSlots } from './slots/call-slots.ts';
import type { GuardKeeper } from './slots/guard-keeper.ts';
import type { RateKeeper } from './slots/rate-keeper.ts';
import type { SlotGroups } from './slots/slot-groups.ts';
import type { QuietHours } from './step/quiet-hours.ts';
import type { ClaimedWork } from './step/work.ts';
import type { TurnPace } from './turn-pace.ts';

/** Maximum number of claims in one flush, and of results. */
const maxGroup = 500;
const afterErrorMs = 500;
/**
 * Maximum number of flushes when the worker stops. A flush may claim steps that the next flush has to release, and so
 * on.
 */
const lastFlushes = 4;

/**
 * Worker for steps of batches: it claims them, calls their endpoints, records results, and forwards survivors to the
 * next step.
 */
export interface Worker extends Service {
  /** Resolves when the worker has joined its Kafka consumer group. */
  start(): Promise<void>;
  /** Serves these shards from now on, with these action types and quiet hours. */
  follow(served: Served, quietHours?: readonly QuietRule[]): void;
  levels(): readonly ShardLevels[];
}

export interface WorkerParts {
  consumer: MessageConsumer;
  serving: Serving;
  receiver: MessageReceiver;
  queue: StepQueue;
  unstartedIntake: UnstartedIntake;
  timedSteps: TimedSteps;
  claimIntake: ClaimIntake;
  stops: StoppedFeeds;
  quietHours: QuietHours;
  groups: SlotGroups;
  slots: CallSlots;
  checks: Checks;
  guardKeeper: GuardKeeper;
  rateKeeper: RateKeeper;
  server: StepServer;
  outcomes: StepOutcomes;
  flushes: Flushes;
  survivors: Survivors;
  pace: TurnPace;
  levels: () => readonly ShardLevels[];
  wake: Wake;
  clock: Clock;
  logger: Logger;
}

export function createWorkerFromParts(parts: WorkerParts): Worker {
  const { consumer, serving, receiver, queue, unstartedIntake, timedSteps, claimIntake } = parts;
  const { stops, quietHours, groups, slots, checks, guardKeeper, rateKeeper } = parts;
  const { server, outcomes, flushes, survivors, pace, levels, wake, clock, logger } = parts;
  let isTakingIn = false;

  const loop = createLoop({ name: 'worker', turn, afterErrorMs, clock, logger });
  wake.connect(loop);

  /**
   * Runs stages W2 and W5 to W7 (docs/execution-path.md) for many steps: one statement records the results and claims
   * the next steps.
   */
  async function turn(): Promise<number> {
    await gather();
    const claims = await claimIntake.select(maxGroup);
    const results = outcomes.takeResults(maxGroup);
    const writing = flushes.write(claims, results);
    if (writing === null) return pace.untilNext();
    const flushed = await writing;
    forwardSurvivors(flushed);
    settleResults(flushed);
    const claimed = await claimIntake.take(flushed.claims, flushed.startedMs);
    serve(claimed);
    server.leaveBroken(claimed.broken);
    return 0;
  }

  /** Waits until the next flush is due. Calls continue meanwhile, and their results share the flush. */
  async function gather(): Promise<void> {
    callAgain();
    await pace.untilFlush();
    timedSteps.queueDue();
    if (queue.size > 0) {
      guardKeeper.onWork();
      rateKeeper.onWork();
    }
    stops.check(() => [...slots.waitingFeeds(), ...checks.slots.waitingFeeds()]);
  }

  /** Continues with batches that waited for a trial or a check. */
  function callAgain(): void {
    const works = outcomes.takeCallable();
    if (works.length > 0) slots.add(works);
  }

  /** Processes next steps that the worker keeps, and publishes the others to their topics. */
  function forwardSurvivors({ results, startedMs }: Flushed): void {
    serve(survivors.forward(results, startedMs));
  }

  /** Drops results of steps that another worker has claimed, and continues with split batches. */
  function settleResults({ results: { lost, childless, children }, refused }: Flushed): void {
    server.lose(lost, refused);
    server.abandonTrials([...lost, ...childless]);
    slots.add(children);
  }

  function serve({ works, unsure }: ClaimedWork): void {
    const { toCheck, callable, finished } = sortClaimed(works, { stops });
    outcomes.record(finished);
    checks.ask(toCheck);
    slots.add(callable);
    server.release(unsure, null);
  }

  /** Flushes the remaining results. If results cannot be written, the leases of their steps expire. */
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
      unstartedIntake.start();
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
      // A changed rate allows no call before this worker has a share of it, so new shares are requested at once.
      rateKeeper.poke();
      loop.poke();
    },
    levels,
    stopIntake: () => {
      isTakingIn = false;
      serving.stop();
      consumer.stopIntake();
      receiver.stop();
      unstartedIntake.stopIntake();
      timedSteps.stop();
      queue.clear();
      return Promise.resolve();
    },
    finishWork: async () => {
      checks.slots.close();
      slots.close();
      await Promise.all([checks.slots.idle(), slots.idle()]);
      await Promise.all([guardKeeper.stop(), rateKeeper.stop(), unstartedIntake.stop()]);
      await loop.stop();
      await flushTheRest();
      await survivors.finish();
    },
    close: () => consumer.stop(),
    broken: consumer.crashed,
  };
}
