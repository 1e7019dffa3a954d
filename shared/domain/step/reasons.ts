/** Reasons that Muster itself gives; an endpoint's own codes never start with `muster.`. */
export const reasons = {
  invalidUserId: 'muster.invalid-user-id',
  attemptsUsedUp: 'muster.attempts-used-up',
  ambiguousAnswer: 'muster.ambiguous-answer',
  noResult: 'muster.no-result',
  quarantined: 'muster.quarantined',
  /** The user is on a suppression list. */
  suppressionList: 'muster.suppression-list',
  /** Its step's check gave no answer, and was not to be done without. */
  checkUnavailable: 'muster.check-unavailable',
  /** Its users are not called at that hour, and are not to be called later. */
  quietHours: 'muster.quiet-hours',
  /** Settled by status: the endpoint never applied it. */
  neverApplied: 'muster.never-applied',
  /** Settled by a person or a file, without a code. */
  settled: 'muster.settled',
} as const;

const maxCodeLength = 64;
const maxDetailLength = 500;

/**
 * An endpoint's code as it may be stored: at most 64 of `[A-Za-z0-9._-]`, and never one of Muster's own; of none
 * remains `unspecified`.
 */
export function cleanCode(code: string): string {
  const cleaned = code
    .replace(/[^A-Za-z0-9._-]/g, '')
    .replace(/^muster\./, 'muster-')
    .slice(0, maxCodeLength);
  return cleaned === '' ? 'unspecified' : cleaned;
}

/** An endpoint's message as it may be stored: no control characters, at most 500 characters. */
export function cleanDetail(message: string): string {
  return (
    message
      .toWellFormed()
      // oxlint-disable-next-line no-control-regex -- removing control characters is the point: a NUL byte fails a whole group
      .replace(/[\u0000-\u001f\u007f-\u009f]/g, '')
      .slice(0, maxDetailLength)
      .toWellFormed()
  );
}
