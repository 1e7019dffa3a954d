import type { EngineConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { Shard, TopicNames } from '../../../shared/domain/endpoint/shard.ts';
import type { StepCheck } from '../../../shared/domain/step/checks.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { FeedStep } from '../../../shared/ports/step-holds.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { FeedDirectory } from '../claims/feed-directory.ts';
import type { CheckDeps } from '../gates/gate.ts';
import { checkGates, passGates } from '../gates/gates.ts';
import { callMarginMs } from '../gates/lease.ts';
import { createCallSlots, type CallSlots, type ReleasePause } from '../slots/call-slots.ts';
import type { ServedCall } from '../slots/learn-from-call.ts';
import type { SlotGroup } from '../slots/slot-group.ts';
import { createSlotGroups } from '../slots/slot-groups.ts';
import { servedCallOf } from '../call/process-batch.ts';
import type { StepOutcomes } from '../call/step-outcomes.ts';
import type { OpenMessage, Work } from '../step/work.ts';
import { askCheck, type AskCheckDeps } from './ask-check.ts';
import { resultOfCheck, withoutAnswer, type Checked, type CheckTerms, type TryTerms } from './check-result.ts';

export interface ChecksDeps extends AskCheckDeps, CheckDeps {
  topics: TopicNames;
  /** Action types by name. This object changes in place when the configuration changes. */
  actionTypes: EngineConfig['actionTypes'];
  /** Upper bound on the check requests in flight, over all checks. */
  concurrency: number;
  directory: Pick<FeedDirectory, 'admissionOf' | 'checkOf' | 'contextOf'>;
  outcomes: StepOutcomes;
  release: (works: readonly Work[], pause: ReleasePause | null) => void;
  onHandled: (origin: OpenMessage | null) => void;
  /** Called when a step waits for a slot of its check. */
  onWaiting: () => void;
  logger: Logger;
}

/**
 * Requests the checks of claimed steps, before the steps wait for a slot of their call. Each check in each country has
 * slots, a breaker and a rate of its own, separate from those of calls. A slow or failed check therefore delays only
 * the steps that require it.
 */
export interface Checks {
  /** Slots in which steps wait for their check. */
  readonly slots: Omit<CallSlots, 'add'>;
  ask(works: readonly Work[]): void;
  /**
   * Returns the name of a step's check, and how many more claims may wait for it: over all feeds, and of this feed.
   * Null if the step has no check.
   */
  roomOf(step: FeedStep): { name: string; room: number; roomOfFeed: number } | null;
  /** Slot groups of the checks, by name. The names are not names of topics. */
  readonly groups: ReadonlyMap<string, SlotGroup>;
  reshape(): void;
}

/** Retry terms for a check that is not configured, or not any more. */
const unknownTerms: TryTerms = { maxAttempts: 8, retry: { firstDelayMs: 500, maxDelayMs: 300_000 } };

export function createChecks(deps: ChecksDeps): Checks {
  const { topics, actionTypes, directory, outcomes, clock, random, leaseMs, logger } = deps;
  const monotonicMs = () => clock.monotonicMs();
  const shards = new Map<string, Shard>();
  const groups = createSlotGroups({ ...deps, shards, monotonicMs });
  const slots = createCallSlots({
    groups,
    concurrency: deps.concurrency,
    leaseMs,
    serve,
    admissionOf: (feedId) => directory.admissionOf(feedId),
    // Nothing is reported to the store, because workers do not share the breakers of checks. Each worker detects by
    // itself when a check answers again.
    onReport: () => undefined,
    release: (works, pause) => deps.release(works.map(withCallTopic), pause),
    monotonicMs,
  });

  const shardOf = (type: string, { context }: Pick<Work, 'context'>): Shard => {
    return { actionType: type, country: context.country };
  };

  /**
   * Returns the work with the topic of its call. While a work waits for its check, `topic` contains the check's name.
   */
  function withCallTopic(work: Work): Work {
    return { ...work, topic: topics.shard(shardOf(work.actionType, work)) };
  }

  function groupOf(shard: Shard): string {
    const name = topics.shard(shard);
    if (!shards.has(name)) {
      shards.set(name, shard);
      groups.reshape();
    }
    return name;
  }

  const isDown = (name: string, feedId: string) =>
    groups.of(name).breaker.isOpen(monotonicMs()) && slots.roomOf(name, feedId) === 0;

  function askOne(work: Work): void {
    const check = checkOf(work);
    const cannot = whyNot(check, work);
    if (cannot !== null) {
      settle(work, unanswered(work, check, cannot, 0));
      return;
    }
    const name = groupOf(shardOf(check.type, work));
    const { breaker } = groups.of(name);
    if (isDown(name, work.claim.feedId)) {
      const cause = breaker.cause(monotonicMs()) ?? 'it is down';
      settle(work, unanswered(work, check, cause, breaker.retryInMs(monotonicMs())));
      return;
    }
    slots.add([{ ...work, topic: name }]);
    deps.onWaiting();
  }

  /** Returns the reason why this worker cannot request the check at all; null if it can. */
  function whyNot(check: StepCheck, { type }: Work): string | null {
    const config = actionTypes[check.type];
    if (!config?.check) return 'it is not configured';
    const neededMs = config.timeoutMs + type.timeoutMs + 2 * callMarginMs;
    if (neededMs < leaseMs) return null;
    return `with the call behind it, it may take ${neededMs} ms, and leases are ${leaseMs} ms (WORKER_LEASE_MS)`;
  }

  async function serve(waiting: Work): Promise<ServedCall | null> {
    const work = withCallTopic(waiting);
    try {
      return await askFor(work);
    } catch (error) {
      const { feedId, batchNo, step } = work.claim;
      const traceId = deps.traces?.traceOf(work.claim);
      logger.error({ err: error, feedId, batchNo, step, traceId }, 'could not check a step, its lease will run out');
      deps.onHandled(work.origin);
      return null;
    }
  }

  async function askFor(work: Work): Promise<ServedCall | null> {
    const check = checkOf(work);
    const config = actionTypes[check.type];
    const admission = await directory.admissionOf(work.claim.feedId);
    // The call follows the check under the same lease, so the lease must be long enough for both.
    const both = { ...work.type, timeoutMs: work.type.timeoutMs + (config?.timeoutMs ?? 0) + callMarginMs };
    const result = await passGates(checkGates, { ...work, type: both }, admission, deps);
    if (result !== null) {
      outcomes.record([{ work, result }]);
      return null;
    }
    if (!config) {
      settle(work, unanswered(work, check, 'it is not configured', 0));
      return null;
    }
    const startedMs = monotonicMs();
    const reading = await askCheck(work, check.type, config, deps);
    settle(work, resultOfCheck(work, reading, { check, type: config, random: random(), leastDelayMs: 0 }));
    return servedCallOf({ ...work, actionType: check.type }, reading, startedMs);
  }

  function settle(work: Work, checked: Checked): void {
    if (checked.kind === 'call') outcomes.callAgain([checked.work]);
    else outcomes.record([{ work, result: checked.result }]);
  }

  function unanswered(work: Work, check: StepCheck, cause: string, leastDelayMs: number): Checked {
    const terms: CheckTerms = { check, type: actionTypes[check.type] ?? unknownTerms, random: random(), leastDelayMs };
    return withoutAnswer(work, cause, terms, { refused: [], unchecked: usersOf(work.users) });
  }

  return {
    ask: (works) => works.forEach(askOne),
    roomOf: (step) => {
      const check = directory.checkOf(step);
      const context = directory.contextOf(step.feedId);
      if (!check || !context || !actionTypes[check.type]) return null;
      const name = groupOf(shardOf(check.type, { context }));
      // While the check is down, its claims are released at once, so their number need not be limited.
      const isReleasedAtOnce = isDown(name, step.feedId);
      return {
        name,
        room: isReleasedAtOnce ? Number.POSITIVE_INFINITY : slots.room(name),
        roomOfFeed: isReleasedAtOnce ? Number.POSITIVE_INFINITY : slots.roomOf(name, step.feedId),
      };
    },
    slots,
    groups: groups.all,
    reshape: () => groups.reshape(),
  };
}

function checkOf({ context, claim }: Work): StepCheck {
  const check = context.chain[claim.step - 1]?.check;
  if (!check) throw new Error(`step ${claim.step} of feed ${claim.feedId} has no check`);
  return check;
}
