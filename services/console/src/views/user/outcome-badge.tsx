import { Icon, type IconName } from '../../parts/icon/icon.tsx';
import { outcomeWords, type OutcomeName } from '../../parts/outcomes/outcomes.ts';

const looks: Record<OutcomeName, { icon: IconName; tint: string; colour: string }> = {
  succeeded: { icon: 'done', tint: 'ok', colour: 'c-ok' },
  failed: { icon: 'failed', tint: 'bad', colour: 'c-bad' },
  skipped: { icon: 'skipped', tint: '', colour: 't2' },
  suppressed: { icon: 'muted', tint: '', colour: 't2' },
  heldOut: { icon: 'heldout', tint: '', colour: 't2' },
  expired: { icon: 'expired', tint: 'warn', colour: 'c-warn' },
  cancelled: { icon: 'cancelled', tint: '', colour: 't2' },
  unknown: { icon: 'unknown', tint: 'odd', colour: 'c-odd' },
  pending: { icon: 'pending', tint: 'run', colour: 'c-run' },
};

export function OutcomeBadge({ outcome, isPlain = false }: { outcome: OutcomeName; isPlain?: boolean }) {
  const { icon, tint, colour } = looks[outcome];
  return (
    <span className={isPlain ? `row gap-1 ${colour}` : `badge ${tint}`}>
      <Icon name={icon} size={14} />
      {outcomeWords[outcome]}
    </span>
  );
}
