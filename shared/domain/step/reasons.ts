/** Reasons of Muster itself; an endpoint's own codes never start with `muster.`. */
export const reasons = {
  invalidUserId: 'muster.invalid-user-id',
  attemptsUsedUp: 'muster.attempts-used-up',
  ambiguousAnswer: 'muster.ambiguous-answer',
  noResult: 'muster.no-result',
  quarantined: 'muster.quarantined',
  suppressionList: 'muster.suppression-list',
  /** The user has had as many effects as a cap allows. */
  cap: 'muster.cap',
  /** The step's check gave no answer, and the campaign does not allow a call without it. */
  checkUnavailable: 'muster.check-unavailable',
  /** The user's call fell into quiet hours, and the rule drops such users. */
  quietHours: 'muster.quiet-hours',
  /** A settlement by status found that the endpoint never applied the call. */
  neverApplied: 'muster.never-applied',
  /** A person or a file settled the user without a code. */
  settled: 'muster.settled',
} as const;

const maxCodeLength = 64;
const maxDetailLength = 500;

/**
 * Returns an endpoint's code in the form to store: at most 64 of `[A-Za-z0-9._-]`, and never a code of Muster;
 * `unspecified` if nothing remains.
 */
export function cleanCode(code: string): string {
  const cleaned = code
    .replace(/[^A-Za-z0-9._-]/g, '')
    .replace(/^muster\./, 'muster-')
    .slice(0, maxCodeLength);
  return cleaned === '' ? 'unspecified' : cleaned;
}

/** Returns an endpoint's message in the form to store: no control characters, at most 500 characters. */
export function cleanDetail(message: string): string {
  return (
    message
      .toWellFormed()
      // oxlint-disable-next-line no-control-regex -- control characters are removed: a NUL byte fails a whole write
      .replace(/[\u0000-\u001f\u007f-\u009f]/g, '')
      .slice(0, maxDetailLength)
      .toWellFormed()
  );
}
