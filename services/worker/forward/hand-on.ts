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
  /** Those that this worker serves, by topic. */
  shards: ReadonlyMap<string, Shard>;
  actionTypes: EngineConfig['actionTypes'];
  queue: Pick<StepQueue, 'sizeOf'>;
  slots: Pick<CallSlots, 'room' | 'roomOf'>;
}

/**
 * How much further ahead of the calls than other claims, in flushes. Two steps of a chain end in turns: where more of
 * the first ended than of the second, what is beyond the ordinary room would go by the topic, come back behind what was
 * handed on since, and keep that from being handed on meanwhile. At 0 ms that was a quarter of all second steps and a
 * tenth of the rate.
 */
const flushesMore = 1;

/**
 * Steps whose survivors this worker serves at once, without a message: where it serves the next step's shard too, has
 * slots free there, and nothing waits for them. Idle room is all that is used, so that topics scale apart, a slow
 * second step fills its own slots alone, and what is due before is not overtaken
 * (docs/decisions/0047-how-steps-reach-workers.md).
 */
export interface HandOn {
  /** Of what is about to be recorded. @param claims that are made in the same flush: their room is taken */
  choose(finished: readonly FinishedStep[], claims: readonly QueuedStep[]): ReadonlySet<StepResult>;
  /**
   * The next steps of what was handed on. Unsure, by a bug on our side, is work whose text holds others than were
   * recorded.
   * @param claimedAtMs when the flush was asked for
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
      /** Of each shard, and of each feed in it: what is taken in this flush. */
      const taken = new Map<string, number>();
      /** Read once: nothing is called or claimed meanwhile. */
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
