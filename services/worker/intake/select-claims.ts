import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { CallSlots } from '../slots/call-slots.ts';
import type { FeedDirectory } from '../claims/feed-directory.ts';
import type { MessageReceiver } from './message-receiver.ts';
import type { Checks } from '../checks/checks.ts';
import { createClaimRooms } from './claim-rooms.ts';
import type { StepQueue } from './step-queue.ts';
import type { VainClaims } from './vain-claims.ts';
import type { QueuedStep } from '../step/work.ts';

export interface SelectClaimsDeps {
  queue: StepQueue;
  slots: CallSlots;
  checks: Pick<Checks, 'roomOf'>;
  directory: FeedDirectory;
  /** By topic. */
  shards: ReadonlyMap<string, Shard>;
  receiver: MessageReceiver;
  vain: Pick<VainClaims, 'limitOf'>;
}

/** What is to be claimed now: as many as there is room for, in turn over the shards; of steps whose feed exists. */
export async function selectClaims(max: number, deps: SelectClaimsDeps): Promise<QueuedStep[]> {
  const { queue, directory } = deps;
  const steps = takeInTurn(max, deps);
  if (steps.length === 0) return steps;
  try {
    await directory.learn(steps.map(({ feedId }) => feedId));
  } catch (error) {
    queue.putBack(steps);
    throw error;
  }
  return steps.filter((queued) => isServable(queued, deps));
}

/** First equal shares, so that a full shard leaves room for the others; then what no other shard wants. */
function takeInTurn(max: number, { queue, slots, checks, vain }: SelectClaimsDeps): QueuedStep[] {
  const topics = [...queue.topics()];
  const lefts = new Map(topics.map((topic) => [topic, Math.min(slots.room(topic), vain.limitOf(topic))]));
  const steps: QueuedStep[] = [];
  // Kept over both rounds: what was taken in the first is not known to the slots yet.
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

function isServable(queued: QueuedStep, { directory, shards, receiver }: SelectClaimsDeps): boolean {
  const context = directory.contextOf(queued.feedId);
  const action = context?.chain[queued.step - 1]?.action;
  const shard = shards.get(queued.topic);
  if (action !== undefined && action === shard?.actionType && context?.country === shard.country) return true;
  // All references of a message have the same feed and step: it is dead-lettered once, whole.
  if (!queued.origin || queued.origin.open === 0) return false;
  queued.origin.open = 0;
  const reason = action === undefined ? 'its feed has no such step' : 'its step belongs to another shard';
  receiver.misplaced(queued.origin.message, reason);
  return false;
}
