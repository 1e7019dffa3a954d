import { Link } from '@tanstack/react-router';
import { Button } from '../../../parts/controls/button.tsx';
import { Icon } from '../../../parts/icon/icon.tsx';
import { Time } from '../../../parts/times/time.tsx';
import { BreakerWords } from './breaker-words.tsx';
import { CauseBanner } from './cause-banner.tsx';
import { groupCauses } from '../figures/causes.ts';
import type { Stall } from '../figures/stall.ts';

/** Maximum number of causes with a banner of their own. More causes share one banner. */
const maxBanners = 2;

interface StallBannerProps {
  stalls: readonly Stall[];
  onRaise: (country: string) => void;
  refusal: string | undefined;
}

/** Banners with the causes of waits. Only a new cause is announced; its changing figures are not. */
export function StallBanner({ stalls, onRaise, refusal }: StallBannerProps) {
  if (stalls.length > maxBanners) return <CauseBanner causes={groupCauses(stalls, [], [])} {...{ onRaise, refusal }} />;
  return stalls.map(({ symptom, cause, since, meanwhile, nextStep, shard, shortBudgetCountry, breaker }) => (
    <div className="banner" key={symptom}>
      <Icon name="warn" />
      <div>
        <span role="alert">
          <b>{symptom}</b> {cause}
        </span>{' '}
        {since !== null && (
          <>
            Since <Time instant={since} withSeconds />.{' '}
          </>
        )}
        <BreakerWords breaker={breaker} />
        <span className="t2">
          {meanwhile} {nextStep}
        </span>
      </div>
      {shortBudgetCountry !== null && (
        <div className="acts">
          <Button small refusal={refusal} onClick={() => onRaise(shortBudgetCountry)}>
            Raise the budget…
          </Button>
        </div>
      )}
      {shard && (
        <div className="acts">
          <Link className="btn s" to="/shards" search={{ shard: `${shard.action}.${shard.country}` }}>
            Open shard
          </Link>
        </div>
      )}
    </div>
  ));
}
