import { useNow } from '../../../parts/browser/now.ts';
import { formatDuration } from '../../../parts/times/times.ts';
import type { Stall } from '../figures/stall.ts';

/** Sentence such as `Breaker open, next try in 12 s.`, if the breaker is open. */
export function BreakerWords({ breaker }: Pick<Stall, 'breaker'>) {
  return breaker && <NextTry at={breaker.nextTryAt} />;
}

function NextTry({ at }: { at: string | null }) {
  const now = useNow();
  const leftMs = at === null ? 0 : Date.parse(at) - now;
  return <>Breaker open, {leftMs >= 1000 ? `next try in ${formatDuration(leftMs)}` : 'being tried now'}. </>;
}
