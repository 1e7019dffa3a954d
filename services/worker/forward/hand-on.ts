import type { EngineConfig } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { Shard, TopicNames } from '../../../shared/domain/endpoint/shard.ts';
import { withoutUsers } from '../../../shared/domain/step/users-text.ts';
import type { StepResult } from '../../../shared/ports/step-ledger.ts';
import { countUsers } from '../claims/prepare-work.ts';
import type { NextStepDeps } from '../gates/gate.ts';
import { keepsNextStep } from '../gates/gates.ts';
import type { StepQueue } from '../intake/step-queue.ts';
import type { CallSlots } from '../slots/call-slots.ts';
import { lostAfter } from '../step/step-results.ts';
import type { ClaimedWork, FinishedStep, QueuedStep, Work } from '../step/work.ts';
import { nextTopicOf } from './survivor-messages.ts';

export interface HandOnDeps extends NextStepDeps {
  topics: TopicNames;
  /** Shards that this worker serves, by topic. */
  shards: ReadonlyMap<string, Shard>;
  actionTypes: EngineConfig['actionTypes'];
  queue: Pick<StepQueue, 'sizeOf'>;
  slots: Pick<CallSlots, 'room' | 'roomOf'>;
}

/**
 * Number of additional flush intervals for which next steps may be claimed in advance, compared with other claims. The
 * two steps of a chain end in turns. When more of the first steps ended than of the second ones, next steps beyond the
 * ordinary limit would be published to the topic. They would come back behind the next steps that the worker kept, and
 * would take the place of further ones. With endpoints that answer in 0 ms, this affected a quarter of all second steps
 * and cost a tenth of the rate.
 */
const flushesMore = 1;

/**
 * Decides which next steps this worker processes itself, without a message. It does so if it serves the next step's
 * shard, has free slots there, and no other step waits for these slots. This keeps the properties of separate topics: a
 * slow second step fills only its own slots, and steps that came earlier keep their place
 * (docs/decisions/0047-how-steps-reach-workers.md).
 */
export interface HandOn {
  /**
   * Chooses, before they are recorded, the results whose next steps this worker processes itself.
   * @param claims claims of the same flush, which use slots too
   */
  choose(finished: readonly FinishedStep[], claims: readonly QueuedStep[]): ReadonlySet<StepResult>;
  /**
   * Returns the next steps that this worker processes itself. A work is unsure if its text does not have the number of
   * users that was recorded; only a bug in this worker can cause that.
   * @param claimedAtMs monotonic time at which the flush was requested
   */
  worksOf(handedOn: readonly FinishedStep[], claimedAtMs: number): ClaimedWork;
}

export function createHandOn(deps: HandOnDeps): HandOn {
  const { topics, shards, actionTypes, queue, slots, directory } = deps;

  function workOf({ work: before, result }: FinishedStep, claimedAtMs: number): Work {
    const { feedId, batchNo } = result;
    const step = result.step + 1;
    const topic = nextTopicOf(topics, { work: before, result }) ?? '';
    const actionType = shards.get(topic)?.actionType ?? '';
    const type = actionTypes[actionType] ?? before.type;
    const lost = result.state === 'done' ? lostAfter(before, result) : before.lost;
    const users = withoutUsers(before.users, lost.slice(before.lost.length));
    const { users: fed, size } = before.claim;
    const first = { epoch: 1, attempts: 0, open: false, waited: false, lapses: 0 };
    return {
      ...before,
      claim: { feedId, batchNo, step, ...first, users: fed, size },
      standing: directory.standingOf(feedId, step),
      topic,
      actionType,
      type,
      origin: null,
      lost,
      claimedAtMs,
      users,
      count: users === before.users ? before.count : countUsers(users, before.plain),
      isProbe: false,
    };
  }

  return {
    choose: (finished, claims) => {
      const chosen = new Set<StepResult>();
      /** Number of steps that are chosen so far in this flush, by shard and by feed in a shard. */
      const taken = new Map<string, number>();
      /**
       * Number of steps that a shard, or a feed in a shard, can take. Read once, because no call or claim begins
       * meanwhile.
       */
      const rooms = new Map<string, number>();
      const isFull = (key: string, readRoom: () => number) => {
        const room = rooms.get(key) ?? readRoom();
        rooms.set(key, room);
        return room <= (taken.get(key) ?? 0);
      };
      const take = (topic: string, feedId: string) => {
        for (const key of [topic, `${topic}/${feedId}`]) taken.set(key, (taken.get(key) ?? 0) + 1);
      };
      for (const { topic, feedId } of claims) take(topic, feedId);
      for (const { work, result } of finished) {
        const topic = nextTopicOf(topics, { work, result });
        if (topic === null || !shards.has(topic) || queue.sizeOf(topic) > 0 || keepsNextStep(work, deps)) continue;
        const { feedId } = result;
        if (isFull(topic, () => slots.room(topic, flushesMore))) continue;
        if (isFull(`${topic}/${feedId}`, () => slots.roomOf(topic, feedId, flushesMore))) continue;
        take(topic, feedId);
        chosen.add(result);
      }
      return chosen;
    },

    worksOf: (handedOn, claimedAtMs) => {
      const split: ClaimedWork = { works: [], unsure: [] };
      for (const recorded of handedOn) {
        const work = workOf(recorded, claimedAtMs);
        const isSure = recorded.result.state === 'done' && work.count === recorded.result.restUsers;
        (isSure ? split.works : split.unsure).push(work);
      }
      return split;
    },
  };
}
