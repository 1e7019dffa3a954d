import { describe, expect, it } from 'vitest';
import { passTime, passTimeUntil } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import { answerOf } from '../../../test/support/worker-fixture.ts';

const oneStep = { chain: [{ action: 'award-reward', params: {} }] };
const calls = 600;
const timeoutMs = 2000;

function batchesOf(name: string, count: number): string[][] {
  return Array.from({ length: count }, (_, batch) => [`${name}-${batch}`]);
}

/**
 * Returns the time that calls of 150 ms of one feed take in total, beside `badFeeds` feeds of the same shard whose
 * calls have hung for 20 s.
 */
async function timeWithBad(badFeeds: number): Promise<number> {
  const { clock, endpoint, feed } = await createRunningWorker({
    type: { concurrency: 40, timeoutMs },
    concurrency: 80,
  });
  endpoint.answer = async ({ call }) => {
    const isBad = call.users[0]?.startsWith('bad') === true;
    await clock.sleep(isBad ? timeoutMs : 150);
    if (isBad) return { kind: 'ambiguous', cause: `no answer within ${timeoutMs} ms`, timedOut: true };
    return answerOf(call.users.map((id) => ({ id, status: 'succeeded' })));
  };
  for (let nth = 0; nth < badFeeds; nth++) await feed(batchesOf(`bad-${nth}`, 100), oneStep);
  await passTime(clock, badFeeds === 0 ? 0 : 20_000);
  const beginMs = clock.nowMs();
  const { totals } = await feed(batchesOf('good', calls), oneStep);
  await passTimeUntil(clock, () => totals()[0]?.succeeded === calls);
  return clock.nowMs() - beginMs;
}

describe('a feed beside feeds whose calls hang', () => {
  it.each([15, 30])('is slowed down only by the slow start of its shard, beside %i such feeds', async (badFeeds) => {
    const alone = await timeWithBad(0);
    expect(await timeWithBad(badFeeds)).toBeLessThan(3.5 * alone);
  });
});
