interface ShareBarProps {
  /** Share from 0 to 1. More than 1 fills the bar. */
  share: number;
  isLow?: boolean;
  /** Text for screen readers. Not needed if a cell beside the bar has the numbers. */
  words?: string;
}

export function ShareBar({ share, isLow = false, words }: ShareBarProps) {
  return (
    <div className="prog" role={words === undefined ? 'presentation' : 'img'} aria-label={words}>
      <i style={{ width: `${Math.min(100, share * 100)}%`, ...(isLow && { background: 'var(--warn)' }) }} />
    </div>
  );
}
