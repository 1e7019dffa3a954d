import { formatCount } from '../words/numbers.ts';
import { outcomeWords, segmentsOf, type OutcomeCounts, type OutcomeName } from './outcomes.ts';

export interface OutcomeBarProps {
  counts: OutcomeCounts;
  audience: number;
  size?: 'normal' | 'large';
}

/**
 * Outcomes as shares of one bar. Each segment is at least 2 px wide, so that one failed user in a million is visible.
 */
export function OutcomeBar({ counts, audience, size = 'normal' }: OutcomeBarProps) {
  const segments = segmentsOf(counts);
  return (
    <div className={size === 'large' ? 'bar l' : 'bar'} role="img" aria-label={outcomeLabel(counts, audience)}>
      {segments.length === 0 && <i className="o-pending" style={{ flexGrow: 1 }} />}
      {segments.map(({ outcome, share }) => (
        // Thousandths, because flex-grow values that sum up to less than one leave a gap.
        <i key={outcome} className={fillOf(outcome)} style={{ flexGrow: share * 1000 }} />
      ))}
    </div>
  );
}

function outcomeLabel(counts: OutcomeCounts, audience: number): string {
  const terms = segmentsOf(counts).map(({ outcome, users }) => `${formatCount(users)} ${outcomeWords[outcome]}`);
  return [...terms, `of ${formatCount(audience)} users`].join(', ');
}

function fillOf(outcome: OutcomeName): string {
  return `o-${outcome.toLowerCase()}`;
}

export function OutcomeKey({ outcome }: { outcome: OutcomeName }) {
  return (
    <span className="key">
      <i className={fillOf(outcome)} aria-hidden="true" />
      {outcomeWords[outcome]}
    </span>
  );
}
