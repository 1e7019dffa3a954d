import { aloneFromLapses } from '../../../shared/domain/step/suspects.ts';
import type { Admission } from '../claims/feed-directory.ts';
import { releasedResult } from '../step/step-results.ts';
import type { Work } from '../step/work.ts';
import type { CallDeps, Gate, Ruling } from './gate.ts';

const againMs = 1000;

/**
 * Gate for a suspect: a batch that may have crashed several workers. While this worker processes one suspect, a second
 * one is released, and is due again soon on any worker.
 */
export const suspect: Gate = { name: 'suspect', call: enter };

/** Lets one suspect pass. The suspect must leave after its call, or when a later gate releases the batch. */
function enter(work: Work, _admission: Admission, { suspects, random }: CallDeps): Ruling {
  if (!isSuspect(work) || suspects.enter(work)) return null;
  return releasedResult(work, Math.round(againMs * (1 + random())), null);
}

export function isSuspect({ claim }: Work): boolean {
  return claim.lapses >= aloneFromLapses;
}
