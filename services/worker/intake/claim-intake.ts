import type { EngineConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { StepLedger } from '../../../shared/ports/step-ledger.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { Checks } from '../checks/checks.ts';
import type { FeedDirectory } from '../claims/feed-directory.ts';
import type { MatchedClaims } from '../claims/flush-matching.ts';
import { prepareWork, type Prepared } from '../claims/prepare-work.ts';
import type { StepTraces } from '../report/step-traces.ts';
import type { CallSlots } from '../slots/call-slots.ts';
import type { OpenMessage, QueuedStep } from '../step/work.ts';
import { createClaimRooms } from './claim-rooms.ts';
import type { MessageReceiver } from './message-receiver.ts';
import type { StepQueue } from './step-queue.ts';
import type { UnstartedIntake } from './unstarted-intake.ts';
import { createWastedClaimLimit, type WastedClaimLimit } from './wasted-claim-limit.ts';

export interface ClaimIntakeDeps {
  queue: StepQueue;
  slots: CallSlots;
  checks: Pick<Checks, 'roomOf'>;
  directory: FeedDirectory;
  /** Shards by topic. This map changes in place. */
  shards: ReadonlyMap<string, Shard>;
  actionTypes: EngineConfig['actionTypes'];
  ledger: StepLedger;
  receiver: MessageReceiver;
  unstartedIntake: Pick<UnstartedIntake, 'onSteps'>;
  /** Called when a step no longer needs the message that contained it. */
  onHandled: (origin: OpenMessage | null) => void;
  traces: StepTraces | undefined;
  logger: Logger;
}

/** Stage W2 of the worker (docs/execution-path.md): turns queued steps into claims, and claims into work. */
export interface ClaimIntake {
  /**
   * Selects the steps to claim now: as many as there are slots for, from all shards in turn, and only of feeds that
   * exist. Rejects if the contexts of unknown feeds cannot be read; the steps are then in the queue again.
   */
  select(max: number): Promise<QueuedStep[]>;
  /** Prepares the claims of a flush. @param claimedAtMs monotonic time at which the flush was requested */
  take(claims: MatchedClaims, claimedAtMs: number): Promise<Prepared>;
}

export function createClaimIntake(deps: ClaimIntakeDeps): ClaimIntake {
  const { queue, directory, receiver, unstartedIntake, onHandled, traces } = deps;
  const vain = createWastedClaimLimit();

  return {
    select: async (max) => {
      const steps = takeInTurn(max, vain, deps);
      if (steps.length === 0) return steps;
      try {
        await directory.learn(steps.map(({ feedId }) => feedId));
      } catch (error) {
        queue.requeue(steps);
        throw error;
      }
      const claims = steps.filter((queued) => isServable(queued, deps));
      unstartedIntake.onSteps(claims);
      return claims;
    },
    take: async ({ ours, others, busy, contradicted }, claimedAtMs) => {
      queue.requeue(busy);
      vain.note(ours, others);
      for (const { queued, truth } of contradicted) receiver.contradicted(queued, truth);
      for (const { origin } of others) onHandled(origin);
      const prepared = await prepareWork(ours, claimedAtMs, deps);
      traces?.claimed(prepared.works, claimedAtMs);
      return prepared;
    },
  };
}

/**
 * Takes steps of all shards in equal shares first, so that a shard with a long queue leaves room for the others. A
 * second round uses the room that is left.
 */
function takeInTurn(max: number, vain: WastedClaimLimit, { queue, slots, checks }: ClaimIntakeDeps): QueuedStep[] {
  const topics = [...queue.topics()];
  const lefts = new Map(topics.map((topic) => [topic, Math.min(slots.room(topic), vain.limitOf(topic))]));
  const steps: QueuedStep[] = [];
  // Both rounds share one count of the room, because the slots do not know which steps the first round took.
  const rooms = createClaimRooms({ slots, checks });
  for (const share of [Math.ceil(max / Math.max(1, topics.length)), max]) {
    for (const [topic, left] of lefts) {
      const own = queue.take(topic, Math.min(share, left, max - steps.length), rooms.in(topic));
      lefts.set(topic, left - own.length);
      for (const step of own) steps.push(step);
    }
  }
  return steps;
}

function isServable(queued: QueuedStep, { directory, shards, receiver }: ClaimIntakeDeps): boolean {
  const context = directory.contextOf(queued.feedId);
  const action = context?.chain[queued.step - 1]?.action;
  const shard = shards.get(queued.topic);
  if (action !== undefined && action === shard?.actionType && context?.country === shard.country) return true;
  // All references of a message belong to the same feed and step, so the message is dead-lettered once, as a whole.
  if (!queued.origin || queued.origin.open === 0) return false;
  queued.origin.open = 0;
  const reason = action === undefined ? 'its feed has no such step' : 'its step belongs to another shard';
  receiver.misplaced(queued.origin.message, reason);
  return false;
}
