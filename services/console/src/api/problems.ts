import type { Problem } from '#client/types.gen.ts';
import { replaceOperations } from './replace-operations.ts';

/** Error of every API call: the API's own problem document, or one made here if there was no answer. */
export type { Problem };

/**
 * Converts the error of a call into a problem.
 * @param status status of the answer, 0 if there was none; a proxy before the API may answer with a page of its own
 */
export function problemOf(error: unknown, status = 0): Problem {
  if (isProblem(error)) return rewriteOperations(error);
  if (status > 0)
    return {
      ...noResponseProblem,
      status,
      code: 'unreadable',
      detail: `the API answered with status ${status} and no reason`,
    };
  return error instanceof Error ? { ...noResponseProblem, detail: error.message } : noResponseProblem;
}

/**
 * Replaces API operations in messages by the console's buttons. Returns the same object if nothing changes, so that
 * comparisons see no change.
 */
function rewriteOperations(problem: Problem): Problem {
  const detail = replaceOperations(problem.detail);
  const errors = problem.errors.map((each) => ({ ...each, detail: replaceOperations(each.detail) }));
  const isSame =
    detail === problem.detail && errors.every((each, index) => each.detail === problem.errors[index]?.detail);
  return isSame ? problem : { ...problem, detail, errors };
}

/** Problem of a request without an answer: it is unknown whether the API has received it. */
export const noResponseProblem: Problem = {
  type: 'about:blank',
  title: 'No answer',
  status: 0,
  code: 'unreachable',
  detail: 'the API did not answer',
  errors: [],
  requestId: '',
};

/** Returns the first problem of each field, by its path, such as `chain.0.params.amount`. */
export function fieldProblems({ errors }: Problem): Map<string, string> {
  const byField = new Map<string, string>();
  for (const { pointer, detail } of errors) {
    const path = fieldPath(pointer);
    if (!byField.has(path)) byField.set(path, detail);
  }
  return byField;
}

/** Converts a JSON pointer (RFC 6901) into a path: `/chain/0/params/amount` becomes `chain.0.params.amount`. */
export function fieldPath(pointer: string): string {
  const parts = pointer.split('/').slice(1);
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
}

function isProblem(error: unknown): error is Problem {
  return typeof error === 'object' && error !== null && 'code' in error && 'status' in error && 'errors' in error;
}
