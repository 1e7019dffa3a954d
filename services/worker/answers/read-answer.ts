import { z } from 'zod';
import { cleanCode } from '../../../shared/domain/reasons.ts';
import { usersOf } from '../../../shared/domain/users-text.ts';
import type { BatchAnswer } from '../ports/batch-endpoint.ts';
import type { AskedUsers } from '../work.ts';
import { readExpectedAnswer } from './expected-answer.ts';
import { readPlainAnswer } from './plain-answer.ts';
import type { UserResults } from './user-results.ts';

/**
 * What an answer means for the batch (docs/contracts.md).
 * - `told`: it speaks of the users.
 * - `refused`: nothing was applied, because of what was sent.
 * - `misconfigured`: nothing was applied, because of who sent it where.
 * - `not-applied`: nothing was applied yet; to be sent again after a while.
 * - `ambiguous`: it may have been applied.
 */
export type Reading =
  | ({ kind: 'reported' } & UserResults)
  | { kind: 'refused'; code: string }
  | { kind: 'misconfigured'; cause: string }
  | { kind: 'not-applied'; cause: string; retryAfterMs: number | null }
  | { kind: 'ambiguous'; cause: string };

const refusals = new Set([400, 413, 422]);
const misconfigurations = new Set([401, 403, 404, 405, 410, 415, 501]);
const postponements = new Set([409, 425, 429]);

export function readAnswer(form: 'full' | 'compact', asked: AskedUsers, answer: BatchAnswer): Reading {
  if (answer.kind === 'not-applied') return { kind: 'not-applied', cause: answer.cause, retryAfterMs: null };
  if (answer.kind === 'ambiguous') return answer;
  const { status, body, retryAfterMs } = answer;
  if (status === 200 || status === 202) {
    const told = readExpectedAnswer(form, asked, body) ?? readPlainAnswer(usersOf(asked.users), body);
    return told
      ? { kind: 'reported', ...told }
      : { kind: 'ambiguous', cause: `HTTP ${status} with an answer of neither form` };
  }
  const cause = `HTTP ${status}`;
  if (refusals.has(status)) {
    const code = codeIn(body);
    return code === 'key-reused'
      ? { kind: 'misconfigured', cause: `${cause} key-reused` }
      : { kind: 'refused', code: code ?? `http-${status}` };
  }
  if (misconfigurations.has(status) || (status >= 300 && status < 400)) return { kind: 'misconfigured', cause };
  if (postponements.has(status) || (status === 503 && retryAfterMs !== null)) {
    return { kind: 'not-applied', cause, retryAfterMs };
  }
  return { kind: 'ambiguous', cause };
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
