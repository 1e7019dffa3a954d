import { describe, expect, it } from 'vitest';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import { answerOf, type SeenCall } from '../../../test/support/worker-fixture.ts';
import type { BatchAnswer } from '../endpoint/batch-endpoint.port.ts';

const oneStep = { chain: [{ action: 'award-reward', params: {} }] };

function answeredWith(status: number): BatchAnswer {
  return { kind: 'answered', status, retryAfterMs: null, body: Buffer.from('{}') };
}

function succeeded({ call }: SeenCall): BatchAnswer {
  return answerOf(call.users.map((id) => ({ id, status: 'succeeded' })));
}

async function workerWith(answer: (seen: SeenCall) => BatchAnswer) {
  const worker = await createRunningWorker();
  worker.endpoint.answer = answer;
  await worker.feed([['u1', 'u2', 'u3']], oneStep);
  await passTime(worker.clock, 300);
  const kept = [...worker.database.stepAttempts.values()];
  return kept.map(({ epoch, reading, cause, users }) => ({ epoch, reading, cause, users }));
}

describe("the record of a call's answer", () => {
  it('is not kept if all users succeeded or failed for good', async () => {
    expect(await workerWith(succeeded)).toEqual([]);
    const failing = ({ call }: SeenCall) =>
      answerOf(call.users.map((id) => ({ id, status: 'failed', code: 'out-of-stock' })));
    expect(await workerWith(failing)).toEqual([]);
  });

  it('keeps code and message of the users that are retried, and of no others', async () => {
    const answer = ({ call }: SeenCall) =>
      answerOf(
        call.users.map((id) => ({
          id,
          status: id === 'u1' ? 'succeeded' : 'failed',
          code: id === 'u2' ? 'busy' : 'blocked',
          message: `sorry, ${id}`,
          retryable: id === 'u2',
        })),
      );
    expect(await workerWith(answer)).toEqual([
      {
        epoch: 1,
        reading: 'reported',
        cause: null,
        users: [{ code: 'busy', detail: 'sorry, u2', users: ['u2'] }],
      },
    ]);
  });

  it.each([
    [429, 'not-applied', '429 Too Many Requests'],
    [500, 'ambiguous', '500 Internal Server Error'],
    [404, 'misconfigured', '404 Not Found'],
  ] as const)('keeps the cause if status %i makes the whole batch wait', async (status, reading, cause) => {
    expect(await workerWith(() => answeredWith(status))).toEqual([{ epoch: 1, reading, cause, users: [] }]);
  });

  it('keeps the refusal of a batch that is split, and the refusals of the parts', async () => {
    const kept = await workerWith((seen) => (seen.call.users.includes('u2') ? answeredWith(422) : succeeded(seen)));
    expect(kept).toMatchObject([{ reading: 'refused', cause: '422 Unprocessable Entity' }]);
  });
});
