import { count } from './numbers.ts';
import styles from './outcome-bar.module.css';
import { outcomeWords, segmentsOf, type OutcomeCounts, type OutcomeName } from './outcomes.ts';

export interface OutcomeBarProps {
  counts: OutcomeCounts;
  /** Users that the bar is about; told by its label. */
  audience: number;
  size?: 'normal' | 'large';
  className?: string | undefined;
}

const fills: Record<OutcomeName, string | undefined> = {
  succeeded: styles['succeeded'],
  failed: styles['failed'],
  skipped: styles['skipped'],
  suppressed: styles['suppressed'],
  heldOut: styles['heldOut'],
  expired: styles['expired'],
  cancelled: styles['cancelled'],
  unknown: styles['unknown'],
  pending: styles['pending'],
};

/** Who ended how, as shares of one full width. Each segment is at least 2 px wide: one failed user in a million is still seen. */
export function OutcomeBar({ counts, audience, size = 'normal', className }: OutcomeBarProps) {
  const segments = segmentsOf(counts);
  const classes = [styles['bar'], size === 'large' && styles['large'], className].filter(Boolean).join(' ');
  return (
    <div className={classes} role="img" aria-label={outcomeLabel(counts, audience)}>
      {segments.length === 0 && <i className={styles['pending']} style={{ flexGrow: 1 }} />}
      {segments.map(({ outcome, share }) => (
        // Shares as they are would leave a gap where they sum up to less than one.
        <i key={outcome} className={fills[outcome]} style={{ flexGrow: share * 1000 }} />
      ))}
    </div>
  );
}

/** All numbers of a bar in words: who cannot see it loses nothing. */
function outcomeLabel(counts: OutcomeCounts, audience: number): string {
  const terms = segmentsOf(counts).map(({ outcome, users }) => `${count(users)} ${outcomeWords[outcome]}`);
  return [...terms, `of ${count(audience)} users`].join(', ');
}

/** The colour of an outcome, beside its word. */
export function OutcomeKey({ outcome }: { outcome: OutcomeName }) {
  return (
    <span className={styles['key']}>
      <i className={fills[outcome]} aria-hidden="true" />
      {outcomeWords[outcome]}
    </span>
  );
}
