import { Link } from '@tanstack/react-router';
import type { Shard } from '#client/types.gen.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { isUnserved } from '../../parts/shards/unserved.ts';
import { Time } from '../../parts/times/time.tsx';
import { formatCount, formatRate } from '../../parts/words/numbers.ts';
import type { TypeTrouble } from './type-standing.ts';

const shownTroubles = 3;

/** One line for each cause, three at most. */
export function TypeTroubles({ troubles }: { troubles: readonly TypeTrouble[] }) {
  if (troubles.length === 0) return null;
  const rest = troubles.length - shownTroubles;
  return (
    <div className={troubles.some(({ tone }) => tone === 'bad') ? 'banner bad' : 'banner'} role="status">
      <Icon name={troubles[0]?.tone === 'bad' ? 'failed' : 'warn'} />
      <div className="grid gap-1 min-w-0">
        {troubles.slice(0, shownTroubles).map(({ shard, country, cause }) => (
          <div key={shard} className="wrap-anywhere">
            <b>{country}:</b> {cause}.{' '}
            <Link className="link" to="/shards" search={{ shard }}>
              Its shard
            </Link>
          </div>
        ))}
        {rest > 0 && <div className="t2">and {formatCount(rest)} more</div>}
      </div>
    </div>
  );
}

const breakers = {
  closed: { icon: 'closed', word: 'closed', tone: 't2' },
  'slow-start': { icon: 'half', word: 'slow start', tone: 'c-warn' },
  open: { icon: 'open', word: 'open', tone: 'c-bad' },
} as const;

/** How its endpoint stands, country by country. */
export function TypeHealth({ shards }: { shards: readonly Shard[] }) {
  return (
    <Panel title="Health" note="by country, as all workers see it">
      {shards.length === 0 ? (
        <p className="pad t3 sm">Nothing was called yet: it comes to life with the first run that needs it.</p>
      ) : (
        <div className="overflow-auto max-h-90">
          <table className="[--row:30px]">
            <caption className="sr-only">Its shards</caption>
            <thead>
              <tr>
                <th scope="col">Country</th>
                <th scope="col">Breaker</th>
                <th scope="col" className="text-right">
                  Calls under way
                </th>
                <th scope="col" className="text-right wide">
                  Batches/s
                </th>
                <th scope="col" className="text-right wide">
                  Workers
                </th>
              </tr>
            </thead>
            <tbody>
              {shards.map((shard) => (
                <HealthRow key={shard.id} shard={shard} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}

function HealthRow({ shard }: { shard: Shard }) {
  const { id, country, endpoint, inFlight, callLimit, batchesPerSecond, workers } = shard;
  const breaker = breakers[shard.breaker];
  return (
    <tr>
      <th scope="row">
        <Link className="link" to="/shards" search={{ shard: id }}>
          {country}
        </Link>
      </th>
      <td className={breaker.tone} title={endpoint?.cause}>
        <span className="row gap-1.25">
          <Icon name={breaker.icon} size={14} />
          <span>
            {breaker.word}
            {endpoint && (
              <>
                {' '}
                since <Time instant={endpoint.since} withSeconds />
              </>
            )}
          </span>
        </span>
      </td>
      <td className="text-right">
        {formatCount(inFlight)} <span className="t3">of {formatCount(callLimit)}</span>
      </td>
      <td className="text-right wide">{formatRate(batchesPerSecond)}</td>
      <td className={isUnserved(shard) ? 'text-right wide c-bad' : 'text-right wide'}>{formatCount(workers.length)}</td>
    </tr>
  );
}
