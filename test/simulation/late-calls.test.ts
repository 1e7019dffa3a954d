import { describe, expect, it } from 'vitest';
import type { BatchAnswer } from '../../services/worker/endpoint/batch-endpoint.port.ts';
import { answerOf, answerWithFailures, type SeenCall } from '../support/worker-fixture.ts';
import { createMemoryRetries } from '../support/memory/retries.ts';
import { createChance } from './seeded.ts';
import { batchesOf, startThreeWorkers } from './three-workers.ts';

const type = { class: 'A', timeoutMs: 5000, maxAttempts: 3 } as const;
const oneStep = { chain: [{ action: 'award-reward', params: {} }], deadlineSeconds: 86_400 };
const refusal: BatchAnswer = { kind: 'answered', status: 422, retryAfterMs: null, body: Buffer.from('{}') };

describe('a call applied after all its repeats were answered as retryable', () => {
  it.each([
    { repeats: 'as they are', isSplit: false, isKilled: false },
    { repeats: 'split', isSplit: true, isKilled: false },
    { repeats: 'by other workers', isSplit: true, isKilled: true },
  ])('fails no user, so that a retry of failed users serves none of them again ($repeats)', async (how) => {
    const world = await startThreeWorkers({ type, concurrency: 24 });
    const { database, endpoint, workers, start, pass, failures } = world;
    const chance = createChance(7);
    const applied: string[] = [];
    const seen = new Set<string>();
    const late: string[] = [];
    endpoint.answer = (call: SeenCall) => {
      const { users } = call.call;
      const isFirst = users.some((user) => !seen.has(user));
      for (const user of users) seen.add(user);
      if (isFirst && chance.below(2) === 0) {
        late.push(...users);
        return { kind: 'ambiguous', cause: 'no whole answer within 5000 ms' };
      }
      const isLate = users.some((user) => late.includes(user));
      if (isLate && how.isSplit && users.length > 2) return refusal;
      if (isLate) return answerWithFailures(call, users, { code: 'busy', retryable: true });
      applied.push(...users);
      return answerOf(users.map((id) => ({ id, status: 'succeeded' })));
    };
    const { runId, totals } = await world.feed(batchesOf('u', 30, 4), oneStep);
    await pass(3000, [runId]);
    if (how.isKilled) {
      workers[0]?.kill();
      await start('another');
    }
    await pass(600_000, [runId]);
    applied.push(...late);

    expect(late.length).toBeGreaterThan(20);
    expect(new Set(applied).size).toBe(120);
    expect(totals()).toMatchObject([{ succeeded: 120 - late.length, failed: 0, unknown: late.length }]);
    const users = failures().toSorted((one, other) => (one.user < other.user ? -1 : 1));
    expect(users).toEqual(late.toSorted().map((user) => ({ user, step: 1, outcome: 'unknown', reason: 'busy' })));
    const everybody = { steps: null, countries: null, reasons: null };
    expect(await createMemoryRetries({ database }).groups(runId, everybody)).toEqual([]);
  });
});
