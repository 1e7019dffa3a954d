/** Drawn in `theme/icons.css` as masks, so that they take the colour of the text. */
export type IconName =
  | 'draft'
  | 'review'
  | 'scheduled'
  | 'running'
  | 'paused'
  | 'done'
  | 'partly'
  | 'cancelled'
  | 'expired'
  | 'failed'
  | 'warn'
  | 'unknown'
  | 'pending'
  | 'skipped'
  | 'muted'
  | 'heldout'
  | 'live'
  | 'open'
  | 'closed'
  | 'half'
  | 'sideline'
  | 'search'
  | 'plus'
  | 'x'
  | 'check'
  | 'pause'
  | 'play'
  | 'stop'
  | 'more'
  | 'right'
  | 'down'
  | 'left'
  | 'arrow'
  | 'up'
  | 'dn'
  | 'copy'
  | 'download'
  | 'print'
  | 'retry'
  | 'edit'
  | 'ext'
  | 'campaign'
  | 'calendar'
  | 'users'
  | 'tick'
  | 'jobs'
  | 'sched'
  | 'dead'
  | 'key'
  | 'shards'
  | 'nodes'
  | 'types'
  | 'gear'
  | 'audit'
  | 'menu'
  | 'lock'
  | 'globe'
  | 'moon'
  | 'info'
  | 'columns'
  | 'grip'
  | 'fwd'
  | 'gap'
  | 'twice'
  | 'star';

interface IconProps {
  name: IconName;
  /** In pixels; 16 unless said otherwise. */
  size?: 12 | 14 | 16;
  className?: string;
}

/** Says nothing to a screen reader: the word beside it does. */
export function Icon({ name, size = 16, className = '' }: IconProps) {
  const sized = size === 16 ? '' : ` s${size}`;
  return <span className={`i i-${name}${sized} ${className}`.trimEnd()} aria-hidden="true" />;
}
