import type { Reading } from '../../services/worker/endpoint/read-answer.ts';
import type { UserResults } from '../../services/worker/endpoint/user-results.ts';
import type { BatchAnswer } from '../../services/worker/endpoint/batch-endpoint.port.ts';
import { someOf, usersInWords } from './words.ts';

export type Result = 'succeeded' | { code: string; retryable: boolean };

/** Results by user, without users missing from the answer. */
export type Results = ReadonlyMap<string, Result>;

export function resultsOf(users: readonly string[], { failed, missing }: UserResults): Results {
  const results = new Map<string, Result>(users.map((user) => [user, 'succeeded']));
  for (const { id, code, retryable } of failed) results.set(id, { code, retryable });
  for (const id of missing) results.delete(id);
  return results;
}

/** Describes why an answer is not valid for an ordinary call, for the endpoint's team. */
export function answerProblems(users: readonly string[], answer: BatchAnswer, reading: Reading): string[] {
  const call = `a call with ${usersInWords(users.length)}`;
  if (answer.kind === 'not-applied') return [`the endpoint cannot be reached: ${answer.cause}`];
  if (answer.kind === 'ambiguous') {
    return [`${call} got no whole answer (${answer.cause}): nobody can know whether it was carried out`];
  }
  switch (reading.kind) {
    case 'reported':
      return reportProblems(users, reading);
    case 'refused':
      return [
        `${call} was refused: ${reading.cause}; whether the users fail is for their results to say, with status 200`,
      ];
    case 'misconfigured':
      return [`${call} was answered ${reading.cause}: ${adviceFor(answer.status)}`];
    case 'not-applied':
      return [`${call} was put off: ${reading.cause}; the check needs an endpoint that has time for it`];
    case 'ambiguous':
      return [`${call} was answered ${reading.cause}: ${ambiguousAdvice(answer.status)}`];
  }
}

function reportProblems(users: readonly string[], { missing, unexpected, repeated }: UserResults): string[] {
  const problems: string[] = [];
  if (missing.length > 0) {
    problems.push(
      `the answer leaves ${missing.length} of ${usersInWords(users.length)} without one clear result, such as ${someOf(missing)}: ` +
        'every user needs exactly one, with the status "succeeded" or "failed", and in the compact form the numbers have to add up',
    );
  }
  if (unexpected > 0) {
    problems.push(
      `the answer speaks of ${usersInWords(unexpected)} that the call did not ask for, or writes ids differently`,
    );
  }
  if (repeated > 0) problems.push(`the answer reports ${usersInWords(repeated)} more than once`);
  return problems;
}

function adviceFor(status: number): string {
  if (status === 401 || status === 403) return 'name the variable with its Authorization header (--authorization-env)';
  if (status >= 300 && status < 400) return 'redirects are not followed; give the address that answers itself';
  if (status === 404 || status === 405) return 'is this the address that takes POST?';
  return 'Muster would hold the run until somebody has mended this';
}

function ambiguousAdvice(status: number): string {
  if (status >= 200 && status < 300) {
    return 'the body has to be plain JSON, {"results": [{"id", "status"}]} or {"succeeded": n, "failed": [{"id"}]}';
  }
  return 'such an answer does not say whether the call was carried out; 200 with a result for each user does';
}
