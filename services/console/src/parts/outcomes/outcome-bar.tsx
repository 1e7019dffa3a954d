import { formatCount } from '../words/numbers.ts';
import { outcomeWords, segmentsOf, type OutcomeCounts, type OutcomeName } from './outcomes.ts';

export interface OutcomeBarProps {
  counts: OutcomeCounts;
  /** Users that the bar is about; said by its label. */
  audience: number;
  size?: 'normal' | 'large';
}

/**
 * Who ended how, as shares of one full width. Each segment is at least 2 px wide: one failed user in a million is still
 * seen.
 */
export function OutcomeBar({ counts, audience, size = 'normal' }: OutcomeBarProps) {
  const segments = segmentsOf(counts);
  return (
    <div className={size === 'large' ? 'bar l' : 'bar'} role="img" aria-label={outcomeLabel(counts, audience)}>
      {segments.length === 0 && <i className="o-pending" style={{ flexGrow: 1 }} />}
      {segments.map(({ outcome, share }) => (
        // In thousandths: shares that sum up to less than one would leave a gap.
        <i key={outcome} className={fillOf(outcome)} style={{ flexGrow: share * 1000 }} />
      ))}
    </div>
  );
}

/** All numbers of a bar in words: who cannot see it loses nothing. */
function outcomeLabel(counts: OutcomeCounts, audience: number): string {
  const terms = segmentsOf(counts).map(({ outcome, users }) => `${formatCount(users)} ${outcomeWords[outcome]}`);
  return [...terms, `of ${formatCount(audience)} users`].join(', ');
}

function fillOf(outcome: OutcomeName): string {
  return `o-${outcome.toLowerCase()}`;
}

/** The colour of an outcome, beside its word. */
export function OutcomeKey({ outcome }: { outcome: OutcomeName }) {
  return (
    <span className="key">
      <i className={fillOf(outcome)} aria-hidden="true" />
      {outcomeWords[outcome]}
    </span>
  );
}
