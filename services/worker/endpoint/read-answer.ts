import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { ActionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import type { Pressure } from '../../../shared/domain/endpoint/own-matter.ts';
import { cleanCode } from '../../../shared/domain/step/reasons.ts';
import { usersOf } from '../../../shared/domain/step/users-text.ts';
import type { BatchAnswer } from './batch-endpoint.port.ts';
import { readExpectedAnswer } from './expected-answer.ts';
import { readPlainAnswer } from './plain-answer.ts';
import type { RequestedUsers, UserResults } from './user-results.ts';

/** Refusal of a call: the endpoint applied nothing, because of the content of the request. */
export interface Refusal {
  /** Code in the body of the answer; `http-422` (the status) if there is none. */
  code: string;
  cause: string;
  tooLarge: boolean;
}

/**
 * Meaning of an answer for the batch (docs/contracts.md). A `cause` is displayed to users, for example `405 Method Not
 * Allowed`.
 * - `reported`: the answer contains results by user.
 * - `refused`: nothing was applied, because of the content of the request.
 * - `misconfigured`: nothing was applied, because of credentials, URL or the parameters of this run.
 * - `not-applied`: nothing was applied yet; the call must be repeated later.
 * - `ambiguous`: the call may have been applied. `violation`: the answer breaks the contract.
 */
export type Reading =
  | ({ kind: 'reported' } & UserResults)
  | ({ kind: 'refused' } & Refusal)
  | { kind: 'misconfigured'; cause: string }
  | { kind: 'not-applied'; cause: string; retryAfterMs: number | null; pressure?: Pressure | undefined }
  | { kind: 'ambiguous'; cause: string; violation?: 'compressed'; pressure?: Pressure | undefined };

/** Final meaning of the answers to a step's call, after a second call for users that the first answer omitted. */
export type FinalReading = Exclude<Reading, { kind: 'reported' }> | ReportedReading;

export type ReportedReading = Extract<Reading, { kind: 'reported' }> & {
  /**
   * True if that second call was not answered and may have been applied. Users without a final status are then open
   * again.
   */
  reopened: boolean;
};

export type AnswerTerms = Pick<ActionTypeConfig, 'answerForm' | 'unavailableMeansNotApplied'>;

const tooLarge = 413;
const unavailable = 503;
const tooMany = 429;
const refusals = new Set([400, tooLarge, 422]);
const misconfigurations = new Set([401, 403, 404, 405, 410, 415, 501]);
const postponements = new Set([409, 425, 429]);

export function readAnswer(terms: AnswerTerms, requested: RequestedUsers, answer: BatchAnswer): Reading {
  if (answer.kind !== 'answered') {
    const { kind, cause } = answer;
    const slow = answer.timedOut ? { pressure: 'timed-out' as const } : {};
    return kind === 'ambiguous' ? { kind, cause, ...slow } : { kind, cause, retryAfterMs: null, ...slow };
  }
  const { status, body, retryAfterMs } = answer;
  if (status >= 200 && status < 300) return readBody(terms, requested, answer);
  const cause = causeOf(status);
  if (refusals.has(status)) {
    const code = codeIn(body);
    if (code === 'key-reused') return { kind: 'misconfigured', cause: `${cause}, key-reused` };
    const named = code === undefined ? cause : `${cause}, ${code}`;
    return { kind: 'refused', code: code ?? `http-${status}`, cause: named, tooLarge: status === tooLarge };
  }
  if (misconfigurations.has(status) || (status >= 300 && status < 400)) return { kind: 'misconfigured', cause };
  const isPostponed =
    postponements.has(status) ||
    (status === unavailable && (retryAfterMs !== null || terms.unavailableMeansNotApplied));
  if (!isPostponed) return { kind: 'ambiguous', cause };
  const isThrottled = status === tooMany || status === unavailable;
  return { kind: 'not-applied', cause, retryAfterMs, ...(isThrottled ? { pressure: 'throttled' as const } : {}) };
}

function readBody(
  { answerForm }: AnswerTerms,
  requested: RequestedUsers,
  { status, body, contentEncoding }: Extract<BatchAnswer, { kind: 'answered' }>,
): Reading {
  if (contentEncoding !== undefined && contentEncoding !== 'identity') {
    return { kind: 'ambiguous', cause: `${causeOf(status)} with a compressed body`, violation: 'compressed' };
  }
  const results = readExpectedAnswer(answerForm, requested, body) ?? readPlainAnswer(usersOf(requested.users), body);
  return results
    ? { kind: 'reported', ...results }
    : { kind: 'ambiguous', cause: `${causeOf(status)} with a body of neither form` };
}

export function causeOf(status: number): string {
  const text = STATUS_CODES[status];
  return text === undefined ? `status ${status}` : `${status} ${text}`;
}

const withCode = z.object({ code: z.string().min(1) });

function codeIn(body: Buffer): string | undefined {
  try {
    const code = withCode.safeParse(JSON.parse(body.toString('utf8'))).data?.code;
    return code === undefined ? undefined : cleanCode(code);
  } catch {
    return undefined;
  }
}
