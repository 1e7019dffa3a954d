/** Guarantees of an endpoint about its effects (docs/contracts.md). */
export type ContractClass = 'A' | 'B' | 'C' | 'D';

/**
 * Readings of an answer, or of a missing answer, for a batch or for one user.
 * - `succeeded`, `failed` (not to be retried), `retryable`, `used-up` (retryable, but out of attempts), `missing`: for
 *   one user.
 * - `refused`: not applied because of the content (400, 413, 422); `refused-alone`: the same for a batch of one user.
 * - `misconfigured`: not applied because of credentials or address, or because of this run's parameters.
 * - `not-applied`: not applied yet. `ambiguous`: may have been applied.
 */
export const readings = [
  'succeeded',
  'failed',
  'retryable',
  'used-up',
  'missing',
  'refused',
  'refused-alone',
  'misconfigured',
  'not-applied',
  'ambiguous',
] as const;

export type ReadingKind = (typeof readings)[number];

/**
 * Consequences of a reading.
 * - `succeed`, `fail`, `unknown`: the users' outcome.
 * - `retry`: the users continue in a child batch, under a new key. `split`: in several child batches, at once.
 * - `send-again`: the same bytes are sent under the same key, until the run's deadline. `hold`: the same, after a
 *   person has acted.
 * - `ask-status`: Muster queries the endpoint for the users' outcome.
 */
export type Consequence = 'succeed' | 'fail' | 'unknown' | 'retry' | 'split' | 'send-again' | 'hold' | 'ask-status';

interface Cells {
  closed: Consequence;
  open: Consequence;
}

/** Consequences while no key is open. They depend only on the reported result, not on the class of the endpoint. */
const reported = { retryable: 'retry', 'used-up': 'fail', failed: 'fail' } as const;

/**
 * The complete decision table of docs/contracts.md. A cell is *open* if an earlier call under the same key may have
 * been applied, and this reading does not decide it. A refusal then proves nothing: no open cell marks a user as
 * failed, and in class B no open cell leads to a new key.
 */
export const consequences: Readonly<Record<ContractClass, Readonly<Record<ReadingKind, Cells>>>> = {
  A: {
    succeeded: { closed: 'succeed', open: 'succeed' },
    failed: { closed: reported.failed, open: 'retry' },
    retryable: { closed: reported.retryable, open: 'retry' },
    'used-up': { closed: reported['used-up'], open: 'retry' },
    missing: { closed: 'retry', open: 'retry' },
    refused: { closed: 'split', open: 'split' },
    'refused-alone': { closed: 'fail', open: 'send-again' },
    misconfigured: { closed: 'hold', open: 'hold' },
    'not-applied': { closed: 'send-again', open: 'send-again' },
    ambiguous: { closed: 'send-again', open: 'send-again' },
  },
  B: {
    succeeded: { closed: 'succeed', open: 'succeed' },
    failed: { closed: reported.failed, open: 'send-again' },
    retryable: { closed: reported.retryable, open: 'send-again' },
    'used-up': { closed: reported['used-up'], open: 'send-again' },
    missing: { closed: 'unknown', open: 'unknown' },
    refused: { closed: 'split', open: 'send-again' },
    'refused-alone': { closed: 'fail', open: 'send-again' },
    misconfigured: { closed: 'hold', open: 'hold' },
    'not-applied': { closed: 'send-again', open: 'send-again' },
    ambiguous: { closed: 'send-again', open: 'send-again' },
  },
  C: {
    succeeded: { closed: 'succeed', open: 'succeed' },
    failed: { closed: reported.failed, open: 'ask-status' },
    retryable: { closed: reported.retryable, open: 'ask-status' },
    'used-up': { closed: reported['used-up'], open: 'ask-status' },
    missing: { closed: 'ask-status', open: 'ask-status' },
    refused: { closed: 'split', open: 'ask-status' },
    'refused-alone': { closed: 'fail', open: 'ask-status' },
    misconfigured: { closed: 'hold', open: 'ask-status' },
    'not-applied': { closed: 'send-again', open: 'ask-status' },
    ambiguous: { closed: 'ask-status', open: 'ask-status' },
  },
  D: {
    succeeded: { closed: 'succeed', open: 'succeed' },
    failed: { closed: reported.failed, open: 'unknown' },
    retryable: { closed: reported.retryable, open: 'unknown' },
    'used-up': { closed: reported['used-up'], open: 'unknown' },
    missing: { closed: 'unknown', open: 'unknown' },
    refused: { closed: 'split', open: 'unknown' },
    'refused-alone': { closed: 'fail', open: 'unknown' },
    misconfigured: { closed: 'hold', open: 'unknown' },
    'not-applied': { closed: 'send-again', open: 'unknown' },
    ambiguous: { closed: 'unknown', open: 'unknown' },
  },
};

/**
 * Returns the consequence of a reading.
 * @param open a call under the key may have been applied, and this reading does not settle it (`settlesKey`)
 */
export function consequenceOf(contractClass: ContractClass, open: boolean, reading: ReadingKind): Consequence {
  return consequences[contractClass][reading][open ? 'open' : 'closed'];
}

/** Answers of a status endpoint (class C) about a user. `missing`: not reported, or the query failed. */
export const statusReadings = [
  'succeeded',
  'failed',
  'retryable',
  'used-up',
  'not-found',
  'in-progress',
  'missing',
] as const;

export type StatusReading = (typeof statusReadings)[number];

/** The key is closed for a user if the outcome is known, or if the lost call never served the user and never will. */
const statusConsequences: Readonly<Record<StatusReading, Consequence>> = {
  succeeded: 'succeed',
  failed: 'fail',
  retryable: 'retry',
  'used-up': 'fail',
  'not-found': 'send-again',
  'in-progress': 'ask-status',
  missing: 'ask-status',
};

export function consequenceOfStatus(reading: StatusReading): Consequence {
  return statusConsequences[reading];
}

/**
 * Returns whether a complete answer closes an open key. Class A repeats each user's first final result, class B the
 * key's first answer; in other classes an answer describes its own call only.
 */
export function wholeAnswerSettles(contractClass: ContractClass): boolean {
  return contractClass === 'A' || contractClass === 'B';
}

/**
 * Returns the effective class for a key of this age.
 * @returns class D once the endpoint has forgotten the key after `keyLifeSeconds`
 */
export function classAtAge(contractClass: ContractClass, keyLifeSeconds: number, ageMs: number): ContractClass {
  const isForgotten = wholeAnswerSettles(contractClass) && ageMs >= keyLifeSeconds * 1000;
  return isForgotten ? 'D' : contractClass;
}

/** Returns the outcome of users who are not settled before the run's deadline. */
export function atDeadline(open: boolean): 'expired' | 'unknown' {
  return open ? 'unknown' : 'expired';
}
