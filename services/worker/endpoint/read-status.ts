import { z } from 'zod';
import { userStatus } from '../../../shared/contracts/endpoints/batch-actions.ts';
import { cleanCode } from '../../../shared/domain/step/reasons.ts';
import type { BatchAnswer } from './batch-endpoint.port.ts';
import { causeOf } from './read-answer.ts';

export interface UserStatus {
  status: 'succeeded' | 'failed' | 'in-progress' | 'not-found';
  code: string;
  /** True if nothing was applied for this user and another try may help. */
  retryable: boolean;
}

/**
 * Result of a status request. `answered`: statuses by user; users without one are missing. `unanswered`: the request
 * must be repeated.
 */
export type StatusAnswer =
  { kind: 'answered'; statuses: Map<string, UserStatus> } | { kind: 'unanswered'; cause: string };

const answerForm = z.object({ results: z.array(z.unknown()) });
const entryForm = userStatus.extend({
  status: z.enum(['succeeded', 'failed', 'in-progress', 'not-found']),
  code: userStatus.shape.code.catch(undefined),
  retryable: userStatus.shape.retryable.catch(undefined),
});

/**
 * Reads a status answer as strictly as the answer to a batch call: a user with contradictory statuses or an unknown one
 * is missing.
 */
export function readStatus(requested: readonly string[], answer: BatchAnswer): StatusAnswer {
  if (answer.kind !== 'answered') return { kind: 'unanswered', cause: `status: ${answer.cause}` };
  const { status, body, contentEncoding } = answer;
  const cause = causeOf(status);
  if (status < 200 || status >= 300) return { kind: 'unanswered', cause: `status: ${cause}` };
  if (contentEncoding !== undefined && contentEncoding !== 'identity') {
    return { kind: 'unanswered', cause: `status: ${cause} with a compressed body` };
  }
  const parsed = answerForm.safeParse(parseJson(body));
  if (!parsed.success) return { kind: 'unanswered', cause: `status: ${cause} with a body that is no list of results` };
  return { kind: 'answered', statuses: statusesOf(requested, parsed.data.results) };
}

function statusesOf(requested: readonly string[], entries: readonly unknown[]): Map<string, UserStatus> {
  const wanted = new Set(requested);
  const statuses = new Map<string, UserStatus>();
  for (const entry of entries) {
    const { id, status, code, retryable = false } = entryForm.safeParse(entry).data ?? {};
    if (id === undefined || status === undefined || !wanted.has(id)) continue;
    const before = statuses.get(id);
    if (before && (before.status !== status || before.retryable !== retryable)) {
      // From now on, all entries of this user are ignored.
      wanted.delete(id);
      statuses.delete(id);
      continue;
    }
    statuses.set(id, { status, code: cleanCode(code ?? ''), retryable });
  }
  return statuses;
}

function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
