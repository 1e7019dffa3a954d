import { readAnswer } from '../../services/worker/endpoint/read-answer.ts';
import { createHttpOrigin } from '../../shared/http-client/http-dispatch.ts';
import { isPlain, usersOf, withoutUsers } from '../../shared/domain/step/users-text.ts';
import type { BatchJob } from './job-queue.ts';

export interface BatchTerms {
  /** Of both steps' endpoint. */
  url: string;
  form: 'full' | 'compact';
  campaignId: string;
  /** Calls in flight at most. */
  inFlight: number;
}

export interface BatchServer {
  /**
   * Both steps of one batch, the second for the users that succeeded in the first; how many succeeded in both. Rejects
   * at any other answer.
   */
  serve(job: BatchJob): Promise<number>;
  close(): Promise<void>;
}

const steps = [1, 2] as const;
const answerTerms = { unavailableMeansNotApplied: false };
const sameHeaders = [
  ...['content-type', 'application/json', 'accept', 'application/json', 'accept-encoding', 'identity'],
  ...['muster-mode', 'live', 'muster-attempt', '1'],
];

/**
 * The calls that Muster's worker makes, over its own HTTP client and with its own readers of answers: peers differ by
 * their queue alone.
 */
export function createBatchServer({ url, form, campaignId, inFlight }: BatchTerms): BatchServer {
  const { origin: address, pathname: path } = new URL(url);
  const origin = createHttpOrigin({
    origin: address,
    connections: inFlight,
    timeoutMs: 10_000,
    maxAnswerBytes: 1_000_000,
  });

  async function callStep(step: number, batch: number, users: string, count: number): Promise<readonly string[]> {
    const outcome = await origin.send({
      method: 'POST',
      path,
      headers: [...sameHeaders, 'idempotency-key', `${campaignId}-${batch}-${step}`],
      body: Buffer.from(
        `{"campaign":"${campaignId}","run":"run_x","step":${step},"country":"SG","batch":${batch},"action":{"type":"award-reward","params":{"rewardId":"ride-5"}},"users":[${users}]}`,
      ),
    });
    const answer = outcome.kind === 'answered' ? { ...outcome, retryAfterMs: null } : outcome;
    const reading = readAnswer({ ...answerTerms, answerForm: form }, { users, count, plain: isPlain(users) }, answer);
    if (reading.kind !== 'reported' || reading.missing.length > 0) {
      throw new Error(`batch ${batch}, step ${step}: ${JSON.stringify(reading)}`);
    }
    return reading.failed.map(({ id }) => id);
  }

  return {
    serve: async ({ batch, users: ids, count }) => {
      let users = `"${ids.replaceAll(',', '","')}"`;
      let left = count;
      for (const step of steps) {
        const failed = await callStep(step, batch, users, left);
        if (failed.length === 0) continue;
        users = withoutUsers(users, failed);
        left = users === '' ? 0 : usersOf(users).length;
        if (left === 0) break;
      }
      return left;
    },
    close: () => origin.close(),
  };
}
