import { Link } from '@tanstack/react-router';
import { Button } from '../../parts/controls/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { Time } from '../../parts/times/time.tsx';
import type { Stall } from './stall.ts';

/** More causes than these are a line each, in one banner. */
const mostBanners = 2;
const mostLines = 3;

interface StallBannerProps {
  stalls: readonly Stall[];
  /** More budget, in a country. */
  onRaise: (country: string) => void;
  /** Why this key may not. */
  refusal: string | undefined;
}

/**
 * The causes of what waits, beside what goes on and what can be done. Only a new cause is an alert: its figures change
 * in silence.
 */
export function StallBanner({ stalls, onRaise, refusal }: StallBannerProps) {
  if (stalls.length > mostBanners) return <ManyStalls {...{ stalls, onRaise, refusal }} />;
  return stalls.map(({ symptom, cause, since, meanwhile, nextStep, shard, shortIn }) => (
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
        <span className="t2">
          {meanwhile} {nextStep}
        </span>
      </div>
      {shortIn !== null && (
        <div className="acts">
          <Button small refusal={refusal} onClick={() => onRaise(shortIn)}>
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

/** One line for each cause, three at most: the first of all countries that wait for the same. */
function ManyStalls({ stalls, onRaise, refusal }: StallBannerProps) {
  const others = stalls.length - mostLines;
  const short = stalls.find(({ shortIn }) => shortIn !== null)?.shortIn;
  return (
    <div className="banner">
      <Icon name="warn" />
      <div role="alert">
        {stalls.slice(0, mostLines).map(({ symptom, cause, since }) => (
          <p key={symptom}>
            <b>{symptom}</b> {cause}{' '}
            {since !== null && (
              <span className="t2">
                Since <Time instant={since} withSeconds />.
              </span>
            )}
          </p>
        ))}
        {others > 0 && <p className="t2">And {others} more wait. What does not wait goes on.</p>}
      </div>
      <div className="acts">
        {typeof short === 'string' && (
          <Button small refusal={refusal} onClick={() => onRaise(short)}>
            Raise the budget…
          </Button>
        )}
        <Link className="btn s" to="/shards">
          Open shards
        </Link>
      </div>
    </div>
  );
}
