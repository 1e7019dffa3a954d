import type { Admission } from '../claims/feed-directory.ts';
import { leaseOutlastsCall } from '../call/read-endpoint.ts';
import { putBackResult } from '../step/waiting-result.ts';
import type { Work } from '../work.ts';
import type { CheckDeps, Gate, Ruling } from './gate.ts';

/** The lease may end before the call does: the batch can be claimed again at once. */
export const lease: Gate = { name: 'lease', check: decide, call: decide, late: decide };

function decide(work: Work, _admission: Admission, deps: CheckDeps): Ruling {
  return leaseOutlastsCall(work, deps) ? null : putBackResult(work, 0, null);
}
