import type { Effect } from '../../parts/overlays/effects.tsx';
import { formatCount } from '../../parts/words/numbers.ts';

const unitOf = (items: number) => (items === 1 ? 'job' : 'jobs');

export function describeDiscardedJobs(items: number): Effect[] {
  const children = 'Not called again; their requests are deleted. The list of jobs still shows them as dead.';
  return [{ value: formatCount(items), unit: unitOf(items), isHot: true, children }];
}

export function describeReplayedJobs(items: number, { withExpired }: { withExpired: boolean }): Effect[] {
  const children = `Due again with the same id and webhook-id, and with all attempts${
    withExpired ? '.' : '; expired jobs are left out.'
  }`;
  return [{ value: formatCount(items), unit: unitOf(items), isHot: true, children }];
}
