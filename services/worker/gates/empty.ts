import type { Work } from '../step/work.ts';
import { uncalledResult } from '../step/step-results.ts';
import type { Gate, Ruling } from './gate.ts';

/** Gate for a batch without users, because all of them were lost in earlier steps. */
export const empty: Gate = { name: 'empty', check: decide, call: decide, late: decide };

function decide(work: Work): Ruling {
  return work.count === 0 ? uncalledResult(work, 'succeeded') : null;
}
