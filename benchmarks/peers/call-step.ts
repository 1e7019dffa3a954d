import { readAnswer } from '../../services/worker/endpoint/read-answer.ts';
import { createHttpOrigin } from '../../shared/http-client/http-dispatch.ts';
import { isPlain, type UsersText } from '../../shared/domain/step/users-text.ts';

export interface BatchTerms {
  /** URL of the endpoint of both steps. */
  url: string;
  form: 'full' | 'compact';
  campaignId: string;
  /** Highest number of concurrent calls. */
  inFlight: number;
}

/** One call of the endpoint, for a step of a batch. */
export interface StepCall {
  batch: number;
  step: number;
  users: UsersText;
  /** Number of the users. */
  count: number;
}

export interface StepCaller {
  /** Resolves with the ids of the users that failed. Rejects if the answer does not report a result for each user. */
  call(call: StepCall): Promise<readonly string[]>;
  close(): Promise<void>;
}

const answerTerms = { unavailableMeansNotApplied: false };
const sameHeaders = [
  ...['content-type', 'application/json', 'accept', 'application/json', 'accept-encoding', 'identity'],
  ...['muster-mode', 'live', 'muster-attempt', '1'],
];

/**
 * Creates a caller with the HTTP client and the readers of answers of Muster's worker, so that peers differ only in the
 * code that decides which calls to make.
 */
export function createStepCaller({ url, form, campaignId, inFlight }: BatchTerms): StepCaller {
  const { origin: address, pathname: path } = new URL(url);
  const origin = createHttpOrigin({
    origin: address,
    connections: inFlight,
    timeoutMs: 10_000,
    maxAnswerBytes: 1_000_000,
  });

  return {
    call: async ({ batch, step, users, count }) => {
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
    },
    close: () => origin.close(),
  };
}

/** Returns ids that are separated by commas in the form that a request's body has. */
export function quotedUsers(ids: string): UsersText {
  return `"${ids.replaceAll(',', '","')}"`;
}
