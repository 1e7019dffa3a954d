import type { Effect } from '../../parts/overlays/effects.tsx';
import { formatCount } from '../../parts/words/numbers.ts';

const unitOf = (items: number) => (items === 1 ? 'job' : 'jobs');

export function effectsOfDiscardedJobs(items: number): Effect[] {
  const children =
    'Not called again, and what was to be sent is deleted. The list of jobs still has what is discarded, as dead.';
  return [{ value: formatCount(items), unit: unitOf(items), isHot: true, children }];
}

export function effectsOfReplayedJobs(items: number, { withExpired }: { withExpired: boolean }): Effect[] {
  const children = `Due again under the same id and webhook-id, with all attempts before${
    withExpired ? '.' : '; what has expired is left out.'
  }`;
  return [{ value: formatCount(items), unit: unitOf(items), isHot: true, children }];
}
