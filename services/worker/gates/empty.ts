import type { Work } from '../step/work.ts';
import { uncalledResult } from '../step/step-results.ts';
import type { Gate, Ruling } from './gate.ts';

/** Gate for a batch whose users were all lost earlier in the chain. */
export const empty: Gate = { name: 'empty', check: decide, call: decide, late: decide };

function decide(work: Work): Ruling {
  return work.count === 0 ? uncalledResult(work, 'succeeded') : null;
}
