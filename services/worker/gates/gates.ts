import type { StepRef } from '../../../shared/ports/step-ledger.ts';
import type { Admission } from '../claims/feed-directory.ts';
import type { FinishedStep, Work } from '../step/work.ts';
import { budget } from './budget.ts';
import { check } from './check.ts';
import type { ClaimedDeps, Gate, NextStepDeps, Ruling, WithholdDeps } from './gate.ts';
import { empty } from './empty.ts';
import { faultTry } from './fault-try.ts';
import { hold } from './hold.ts';
import { lease } from './lease.ts';
import { openKey } from './open-key.ts';
import { quietHoursGate } from './quiet-hours.ts';
import { slots } from './slots.ts';
import { deadline, stopped } from './stopped.ts';
import { suppression } from './suppression.ts';
import { suspect } from './suspect.ts';
import { trial } from './trial.ts';

/**
 * Gates that decide whether a batch may be called now, in the order in which they are checked. A gate that ends a
 * batch, or releases it in any case, comes before one that makes it wait. A fault that a person must fix comes before
 * quiet hours, which end by the clock. The try of a fault and slots come last, because they consume what they check.
 *
 * | no. | gate        | checked at           | ends users as               | makes the batch wait until                    |
 * | --- | ----------- | -------------------- | --------------------------- | --------------------------------------------- |
 * | 1   | empty       | check, call          | no user is left             |                                               |
 * | 2   | stopped     | claimed, check, call | `cancelled`                 | the run is resumed                            |
 * | 3   | deadline    | check, call          | `expired`                   |                                               |
 * | 4   | budget      | claimed              |                             | units are left                                |
 * | 5   | suppression | claimed              | `suppressed`: list or cap   |                                               |
 * | 6   | open key    | check, call          | `unknown`, if not to settle | the status of the lost call can be requested  |
 * | 7   | lease       | check, call          |                             | the next claim: this one is too short         |
 * | 8   | hold        | check, call          |                             | a try of the fault is due                     |
 * | 9   | quiet hours | check, call          | `suppressed`, with `drop`   | the hours end, by the clock                   |
 * | 10  | check       | claimed              | `suppressed`, by its answer | the check has answered                        |
 * | 11  | trial       | call                 |                             | single users were tried first                 |
 * | 12  | suspect     | call                 |                             | no other suspect is in progress               |
 * | 13  | fault try   | call                 |                             | a person fixed the fault                      |
 * | 14  | slots       | claimed              |                             | the limits in call-slots.ts allow it          |
 *
 * The claim decides about budgets, and about suppression lists and caps, which share a gate; the gates read the claim.
 * A new gate is a file and an entry in this list.
 */
export const gates: readonly Gate[] = [
  empty,
  stopped,
  deadline,
  budget,
  suppression,
  openKey,
  lease,
  hold,
  quietHoursGate,
  check,
  trial,
  suspect,
  faultTry,
  slots,
];

const claimedGates = gates.flatMap((gate) => gate.claimed ?? []);
const nextStepGates = gates.flatMap((gate) => gate.nextStep ?? []);
const withholding = gates.flatMap((gate) => gate.withholds ?? []);

export const checkGates = gates.flatMap((gate) => gate.check ?? []);
export const callGates = gates.flatMap((gate) => gate.call ?? []);
export const lateGates = gates.flatMap((gate) => gate.late ?? []);

type Decide<Deps, Answer> = (work: Work, admission: Admission, deps: Deps) => Answer | null | Promise<Answer | null>;

/**
 * Evaluates the gates in their order, until one of them does not let the batch proceed. Returns a promise only if a
 * gate does; nearly always, all gates decide synchronously.
 */
export function passGates<Deps, Answer>(
  deciding: readonly Decide<Deps, Answer>[],
  work: Work,
  admission: Admission,
  deps: Deps,
): Answer | null | Promise<Answer | null> {
  let decided = 0;
  for (const decide of deciding) {
    decided++;
    const ruling = decide(work, admission, deps);
    if (ruling instanceof Promise) return passRest(ruling, deciding.slice(decided), work, admission, deps);
    if (ruling !== null) return ruling;
  }
  return null;
}

async function passRest<Deps, Answer>(
  first: Promise<Answer | null>,
  rest: readonly Decide<Deps, Answer>[],
  work: Work,
  admission: Admission,
  deps: Deps,
): Promise<Answer | null> {
  return (await first) ?? passGates(rest, work, admission, deps);
}

export interface ClaimedWorks {
  /** Batches that wait for a free slot for their call. */
  callable: Work[];
  /** Batches that wait for a free slot for the call of their check. */
  toCheck: Work[];
  finished: FinishedStep[];
}

export function sortClaimed(works: readonly Work[], deps: ClaimedDeps): ClaimedWorks {
  const sorted: ClaimedWorks = { callable: [], toCheck: [], finished: [] };
  for (const work of works) {
    const ruling = rulingOfClaimed(work, deps);
    if (ruling === 'slot' || ruling === null) sorted.callable.push(work);
    else if (ruling === 'check') sorted.toCheck.push(work);
    else sorted.finished.push({ work, result: ruling });
  }
  return sorted;
}

function rulingOfClaimed(work: Work, deps: ClaimedDeps): Ruling<'check' | 'slot'> {
  for (const decide of claimedGates) {
    const ruling = decide(work, deps);
    if (ruling !== null) return ruling;
  }
  return null;
}

/** Returns true if a gate requires that the next step of the batch is claimed by another flush. */
export function keepsNextStep(work: Work, deps: NextStepDeps): boolean {
  for (const keeps of nextStepGates) if (keeps(work, deps)) return true;
  return false;
}

export function mayWithhold(step: StepRef, deps: WithholdDeps): boolean {
  for (const withholds of withholding) if (withholds(step, deps)) return true;
  return false;
}
