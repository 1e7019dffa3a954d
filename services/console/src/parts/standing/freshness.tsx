import { isStale, type UpdateStatus } from '../../live/update-status.ts';
import { Icon } from '../icon/icon.tsx';
import { useNow, useDerivedFromNow } from '../browser/now.ts';
import { formatDuration } from '../times/times.ts';

/** Age of the figures, such as `Live, updated 1 s ago`, with a warning after five seconds. */
export function Freshness({ standing }: { standing: UpdateStatus }) {
  const now = useNow();
  if (standing.isFinal === true) return null;
  const old = isStale(standing, now);
  return (
    <span
      className={`inline-flex items-center gap-1.5 text-sm whitespace-nowrap ${old ? 'c-warn' : 't2'}`}
      role="status"
    >
      {old ? <Icon name="warn" size={14} /> : <Icon name="live" className="size-2.5 c-ok" />}
      <span>
        {!old && <span className="wide">Live, </span>}
        {ageOf(standing, now)}
      </span>
    </span>
  );
}

export function useIsStale(standing: UpdateStatus): boolean {
  return useDerivedFromNow((nowMs) => isStale(standing, nowMs));
}

/** Banner of outdated figures: how old they are, and when the next attempt is. Hidden while figures are current. */
export function StaleBanner({ standing, note }: { standing: UpdateStatus; note: string }) {
  const now = useNow();
  if (!isStale(standing, now)) return null;
  const { retry, tryNow, updatedAtMs = now } = standing;
  const nextSeconds = retry && Math.max(0, Math.ceil((retry.nextTryAtMs - now) / 1000));
  return (
    <div className="banner" role="status">
      <Icon name="warn" />
      <div>
        <b>Updated {formatDuration(now - updatedAtMs)} ago, connecting again.</b>{' '}
        <span className="t2">
          {retry && `Try ${retry.attempt}, next in ${nextSeconds ?? 0} s. `}
          {note}
        </span>
      </div>
      <div className="acts">
        <button type="button" className="btn s" onClick={tryNow}>
          Try now
        </button>
      </div>
    </div>
  );
}

function ageOf({ updatedAtMs }: UpdateStatus, now: number): string {
  if (updatedAtMs === undefined) return 'connecting';
  return `updated ${formatDuration(Math.max(0, now - updatedAtMs - ((now - updatedAtMs) % 1000)))} ago`;
}
