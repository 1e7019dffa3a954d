import { describe, expect, it } from 'vitest';
import { createStepState } from '../step/step-state.ts';
import { configOf, topics, worksOf } from '../slots/test-works.ts';
import { doneResult } from '../step/step-results.ts';
import type { FinishedStep, QueuedStep, Work } from '../step/work.ts';
import { createHandOn } from './hand-on.ts';

const shard = { actionType: 'send-message', country: 'SG' };
const topic = topics.shard(shard);
const chain = [
  { action: 'award-reward', params: {} },
  { action: 'send-message', params: {} },
];

/** Returns `count` finished first steps of a chain of two steps, each with one user. */
function finishedOf(feedId: string, count: number): FinishedStep[] {
  return worksOf(feedId, count).map((first) => {
    const work: Work = { ...first, context: { ...first.context, chain } };
    return { work, result: doneResult(work, [], []) };
  });
}

function claimOf(feedId: string): QueuedStep {
  return { feedId, batchNo: 99, step: 1, topic, origin: null, remaining: 1, lost: null };
}

/**
 * Creates the choice.
 * @param room room for claims of the shard, and `roomOfFeed` of a feed; unlimited by default
 */
function setUp({ room = 100, roomOfFeed = 100, queued = 0, isServed = true } = {}) {
  return createHandOn({
    topics,
    shards: new Map(isServed ? [[topic, shard]] : []),
    actionTypes: configOf(10).actionTypes,
    queue: { sizeOf: () => queued },
    slots: { room: () => room, roomOf: () => roomOfFeed },
    directory: {
      unitsPerUser: new Map(),
      standingOf: (feedId, step) => createStepState(feedId, step, { succeeded: 0, refused: 0, refusedSince: 0 }),
      checkOf: () => null,
    },
    stops: { isStopped: () => false },
    quietHours: { of: () => null },
  });
}

describe('the choice of steps whose next step is served at once', () => {
  it.each([
    ['the room of the shard', { room: 3 }, 3],
    ['the room of the feed', { roomOfFeed: 2 }, 2],
    ['a shard without room', { room: 0 }, 0],
    ['a feed without room', { roomOfFeed: 0 }, 0],
    ['a queue with waiting steps', { queued: 1 }, 0],
    ['a shard that this worker does not serve', { isServed: false }, 0],
  ])('takes no more steps than %s allows', (_what, terms, most) => {
    expect(setUp(terms).choose(finishedOf('f1', 5), []).size).toBe(most);
  });

  it("counts claims of the same flush against the shard's room, and claims of a feed against the feed's room", () => {
    const claims = [claimOf('f1'), claimOf('f2')];
    expect(setUp({ room: 3 }).choose(finishedOf('f1', 5), claims).size).toBe(1);
    expect(setUp({ roomOfFeed: 3 }).choose(finishedOf('f1', 5), claims).size).toBe(2);
  });

  it('applies the room of each feed separately', () => {
    const finished = [...finishedOf('f1', 3), ...finishedOf('f2', 3)];
    const chosen = setUp({ roomOfFeed: 2 }).choose(finished, []);
    const feeds = finished.filter(({ result }) => chosen.has(result)).map(({ work }) => work.claim.feedId);
    expect(feeds).toEqual(['f1', 'f1', 'f2', 'f2']);
  });

  it('omits steps without remaining users', () => {
    const [finished] = finishedOf('f1', 1);
    if (!finished) throw new Error('no step has finished');
    const failed = doneResult(finished.work, [{ user: 'u', outcome: 'failed', reason: 'r', detail: null }], []);
    expect(setUp().choose([{ ...finished, result: failed }], []).size).toBe(0);
  });
});

describe('a next step that this worker processes itself', () => {
  it('is called if its list of users has the recorded length, and is released otherwise', () => {
    const [sure, unsure] = finishedOf('f1', 2);
    if (sure?.result.state !== 'done' || unsure?.result.state !== 'done') throw new Error('no step is done');
    const doubtful = { work: unsure.work, result: { ...unsure.result, restUsers: 2 } };
    const { works, unsure: released } = setUp().worksOf([sure, doubtful], 7);
    expect(works.map(({ claim, topic: of, claimedAtMs }) => [claim.batchNo, claim.step, of, claimedAtMs])).toEqual([
      [1, 2, topic, 7],
    ]);
    expect(released.map(({ claim }) => claim.batchNo)).toEqual([2]);
  });
});
