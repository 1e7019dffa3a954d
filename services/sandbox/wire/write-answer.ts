import type { UserFailure } from '../effects/effects.ts';
import { failureWords } from './chance.ts';

export type AnswerForm = 'full' | 'compact';

/** Returns the body of an answer, in the order of the request. */
export function writeAnswer(form: AnswerForm, users: readonly string[], failures: readonly UserFailure[]): string {
  return form === 'full' ? fullAnswer(users, failures) : compactAnswer(users, failures);
}

function fullAnswer(users: readonly string[], failures: readonly UserFailure[]): string {
  const byUser = new Map(failures.map((failure) => [failure.id, failure]));
  const results = users.map((id) => {
    const failure = byUser.get(id);
    return failure
      ? { id, status: 'failed', ...reasonOf(failure), ...messageOf(failure) }
      : { id, status: 'succeeded' };
  });
  return JSON.stringify({ results });
}

function compactAnswer(users: readonly string[], failures: readonly UserFailure[]): string {
  return JSON.stringify({
    succeeded: users.length - failures.length,
    failed: failures.map((failure) => ({ id: failure.id, ...reasonOf(failure) })),
  });
}

function reasonOf({ code, retryable }: UserFailure) {
  return retryable ? { code, retryable } : { code };
}

function messageOf({ code }: UserFailure): { message?: string } {
  const message = failureWords[code];
  return message === undefined ? {} : { message };
}
