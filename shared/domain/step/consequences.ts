/** What an endpoint keeps about its effects (docs/contracts.md). */
export type ContractClass = 'A' | 'B' | 'C' | 'D';

/**
 * What an answer, or its absence, says of a batch or of one user in it.
 * - `succeeded`, `failed` (not to be retried), `retryable`, `used-up` (retryable, as often as allowed), `missing`: of
 *   one user.
 * - `refused`: not applied because of what was sent (400, 413, 422); `refused-alone`: and that was one user.
 * - `misconfigured`: not applied because of who sent it where, or because of this run's parameters.
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
 * - `succeed`, `fail`, `unknown`: the users' outcome.
 * - `retry`: the users go on in a child batch, under a new key. `split`: in several, at once.
 * - `send-again`: the same bytes under the same key, until the run's deadline. `hold`: so too, but when a person has
 *   acted.
 * - `ask-status`: the endpoint is asked what became of them.
 */
export type Consequence = 'succeed' | 'fail' | 'unknown' | 'retry' | 'split' | 'send-again' | 'hold' | 'ask-status';

interface Cells {
  closed: Consequence;
  open: Consequence;
}

/** The same for every class as long as nothing is open: only what a refusal by itself says matters. */
const reported = { retryable: 'retry', 'used-up': 'fail', failed: 'fail' } as const;

/**
 * The whole decision of docs/contracts.md. *Open*: a call under this key may have been applied, and what is read here
 * does not settle it. Then nothing may be concluded from a refusal: no cell fails a user, and none of class B leads to
 * a new key.
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

/** @param open a call under the key may have been applied, and this reading does not settle it (`settlesKey`) */
export function consequenceOf(contractClass: ContractClass, open: boolean, reading: ReadingKind): Consequence {
  return consequences[contractClass][reading][open ? 'open' : 'closed'];
}

/**
 * What a status endpoint (class C) says of one user under an open key. `missing`: not reported, or the query itself
 * brought nothing.
 */
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

/**
 * The outcome is known, or the user was never served and never will be by that call: whatever follows, the key is
 * closed for this user.
 */
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
 * Whether a whole answer closes an open key. In A it repeats each user's first final result, in B the key's first
 * answer; elsewhere it speaks of its own call only.
 */
export function wholeAnswerSettles(contractClass: ContractClass): boolean {
  return contractClass === 'A' || contractClass === 'B';
}

/** @returns the class that counts for a key of this age: what an endpoint keeps, it keeps for `keyLifeSeconds` only */
export function classAtAge(contractClass: ContractClass, keyLifeSeconds: number, ageMs: number): ContractClass {
  const isForgotten = wholeAnswerSettles(contractClass) && ageMs >= keyLifeSeconds * 1000;
  return isForgotten ? 'D' : contractClass;
}

/** What the users end as when the run's deadline passes before they are settled. */
export function atDeadline(open: boolean): 'expired' | 'unknown' {
  return open ? 'unknown' : 'expired';
}
