import type { Problem } from '#client/types.gen.ts';
import { inButtons } from './in-buttons.ts';

/** What is thrown by every call of the client: the API's own problem document, or one of ours where no answer came. */
export type { Problem };

/**
 * The problem behind what a call threw.
 *
 * @param status of the answer, 0 where none came: what stands before the API answers with pages of its own
 */
export function problemOf(error: unknown, status = 0): Problem {
  if (isProblem(error)) return told(error);
  if (status > 0)
    return { ...unanswered, status, code: 'unreadable', detail: `it was answered ${status} without a reason` };
  return error instanceof Error ? { ...unanswered, detail: error.message } : unanswered;
}

/** The same object where nothing has to be said otherwise: whoever compares them sees no change. */
function told(problem: Problem): Problem {
  const detail = inButtons(problem.detail);
  const errors = problem.errors.map((each) => ({ ...each, detail: inButtons(each.detail) }));
  const isSame =
    detail === problem.detail && errors.every((each, index) => each.detail === problem.errors[index]?.detail);
  return isSame ? problem : { ...problem, detail, errors };
}

/** No answer came at all: nobody knows whether the request arrived. */
export const unanswered: Problem = {
  type: 'about:blank',
  title: 'No answer',
  status: 0,
  code: 'unreachable',
  detail: 'the API did not answer',
  errors: [],
  requestId: '',
};

/**
 * What is wrong with each field of a form, by its path, such as `chain.0.params.amount`; the first problem of a field
 * is shown.
 */
export function fieldProblems({ errors }: Problem): Map<string, string> {
  const byField = new Map<string, string>();
  for (const { pointer, detail } of errors) {
    const path = fieldPath(pointer);
    if (!byField.has(path)) byField.set(path, detail);
  }
  return byField;
}

/** `/chain/0/params/amount` as `chain.0.params.amount`; the pointer's escapes (RFC 6901) are undone. */
export function fieldPath(pointer: string): string {
  const parts = pointer.split('/').slice(1);
  return parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~')).join('.');
}

function isProblem(error: unknown): error is Problem {
  return typeof error === 'object' && error !== null && 'code' in error && 'status' in error && 'errors' in error;
}
