import { randomBytes } from 'node:crypto';
import { readAnswer } from '../../services/worker/endpoint/read-answer.ts';
import { createHttpOrigin } from '../../shared/http-client/http-dispatch.ts';
import { usersTextOf } from '../../shared/domain/step/users-text.ts';

/** Calls the rewards service in the form that Muster's worker uses. */
export interface BatchCaller {
  /** Awards `batches` batches of new users. Resolves with the duration of each call in milliseconds. */
  award(batches: number, inFlight: number): Promise<number[]>;
  close(): Promise<void>;
}

const usersPerBatch = 100;
const headers = [
  ...['content-type', 'application/json', 'accept', 'application/json', 'accept-encoding', 'identity'],
  ...['muster-mode', 'live', 'muster-attempt', '1'],
];

export function createBatchCaller(baseUrl: string, connections: number): BatchCaller {
  const origin = createHttpOrigin({ origin: baseUrl, connections, timeoutMs: 60_000, maxAnswerBytes: 1_000_000 });
  const run = `run_${randomBytes(6).toString('hex')}`;
  let awarded = 0;

  async function awardOne(): Promise<number> {
    const batch = ++awarded;
    const ids = Array.from(
      { length: usersPerBatch },
      (_, i) => `user-${String(batch * usersPerBatch + i).padStart(9, '0')}`,
    );
    const action = { type: 'award-reward', params: { rewardId: 'ride-5', units: 1 } };
    const call = { campaign: 'cmp_x', run, step: 1, country: 'SG', batch, action, users: ids };
    const startedAt = performance.now();
    const outcome = await origin.send({
      method: 'POST',
      path: '/rewards/v1/batches',
      headers: [...headers, 'idempotency-key', `${run}-${batch}`],
      body: Buffer.from(JSON.stringify(call)),
    });
    const tookMs = performance.now() - startedAt;
    const answer = outcome.kind === 'answered' ? { ...outcome, retryAfterMs: null } : outcome;
    const requested = { users: usersTextOf(ids), count: ids.length, plain: true };
    const reading = readAnswer({ answerForm: 'full', unavailableMeansNotApplied: false }, requested, answer);
    if (reading.kind !== 'reported' || reading.failed.length + reading.missing.length > 0) {
      throw new Error(`batch ${batch} was not awarded to everybody: ${JSON.stringify(reading)}`);
    }
    return tookMs;
  }

  return {
    award: async (batches, inFlight) => {
      const latencies: number[] = [];
      const end = awarded + batches;
      const callers = Array.from({ length: inFlight }, async () => {
        while (awarded < end) latencies.push(await awardOne());
      });
      await Promise.all(callers);
      return latencies;
    },
    close: () => origin.close(),
  };
}
