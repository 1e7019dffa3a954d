import { Link } from '@tanstack/react-router';
import { Button } from '../../../parts/controls/button.tsx';
import { Icon } from '../../../parts/icon/icon.tsx';
import { Time } from '../../../parts/times/time.tsx';
import { BreakerWords } from './breaker-words.tsx';
import { formatCountries, type Cause } from '../figures/causes.ts';

/** Number of causes that have their own line; further causes are counted. */
const maxLines = 3;

interface CauseBannerProps {
  causes: readonly Cause[];
  onRaise: (country: string) => void;
  refusal: string | undefined;
}

/** Banner with one line for each cause, three at most. Only a new cause is announced; its changing figures are not. */
export function CauseBanner({ causes, onRaise, refusal }: CauseBannerProps) {
  if (causes.length === 0) return null;
  const others = causes.length - maxLines;
  const budgetCountry = causes.find(({ shortBudgetCountry }) => shortBudgetCountry !== null)?.shortBudgetCountry;
  const isWaiting = causes.some(({ isFailing }) => !isFailing);
  return (
    <div className="banner">
      <Icon name="warn" />
      <div className="causes">
        {causes.slice(0, maxLines).map(({ key, countries, words, isFailing, since, note, breaker }) => (
          <p key={key}>
            <b title={countries.join(', ')}>{formatCountries(countries)}</b>
            <span>
              {isFailing ? (
                <>
                  <span role="alert" className="sr-only">
                    Too many failed:
                  </span>{' '}
                  {words}
                </>
              ) : (
                <span role="alert">{words}</span>
              )}{' '}
              <span className="t2">
                {since !== null && (
                  <>
                    Since <Time instant={since} withSeconds />.{' '}
                  </>
                )}
                <BreakerWords breaker={breaker} />
                {note}
              </span>
            </span>
          </p>
        ))}
        {others > 0 && <p className="t2 rest">And {others} more. All other countries continue.</p>}
      </div>
      <div className="acts">
        {typeof budgetCountry === 'string' && (
          <Button small refusal={refusal} onClick={() => onRaise(budgetCountry)}>
            Raise the budget…
          </Button>
        )}
        {isWaiting && (
          <Link className="btn s" to="/shards">
            Open shards
          </Link>
        )}
      </div>
    </div>
  );
}
