import { Link } from '@tanstack/react-router';
import type { Shard } from '#client/types.gen.ts';
import type { Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { isUnserved } from '../../parts/shards/unserved.ts';
import { Time } from '../../parts/times/time.tsx';
import { formatCount, formatRate } from '../../parts/words/numbers.ts';
import type { TypeTrouble } from './type-standing.ts';

const maxTroubles = 3;

/** Problems of a type, one line for each cause, three at most. */
export function TypeTroubles({ troubles }: { troubles: readonly TypeTrouble[] }) {
  if (troubles.length === 0) return null;
  const rest = troubles.length - maxTroubles;
  return (
    <div className={troubles.some(({ tone }) => tone === 'bad') ? 'banner bad' : 'banner'} role="status">
      <Icon name={troubles[0]?.tone === 'bad' ? 'failed' : 'warn'} />
      <div className="grid gap-1 min-w-0">
        {troubles.slice(0, maxTroubles).map(({ shard, country, cause }) => (
          <div key={shard} className="wrap-anywhere">
            <b>{country}:</b> {cause}.{' '}
            <Link className="link" to="/shards" search={{ shard }}>
              Open shard
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

export function TypeHealth({ shards }: { shards: readonly Shard[] }) {
  return (
    <Panel title="Health" note="by country, over all workers">
      {shards.length === 0 ? (
        <p className="pad t3 sm">No calls yet. Figures appear with the first run that uses this type.</p>
      ) : (
        <div className="overflow-auto max-h-90">
          <DataTable
            caption="Shards of the action type"
            className="[--row:30px]"
            columns={columns}
            rows={shards}
            keyOf={({ id }) => id}
          />
        </div>
      )}
    </Panel>
  );
}

const columns: readonly Column<Shard>[] = [
  {
    header: 'Country',
    isRowHeader: true,
    cell: ({ id, country }) => (
      <Link className="link" to="/shards" search={{ shard: id }}>
        {country}
      </Link>
    ),
  },
  {
    header: 'Breaker',
    look: ({ breaker }) => breakers[breaker].tone,
    title: ({ endpoint }) => endpoint?.cause,
    cell: ({ breaker, endpoint }) => (
      <span className="row gap-1.25">
        <Icon name={breakers[breaker].icon} size={14} />
        <span>
          {breakers[breaker].word}
          {endpoint && (
            <>
              {' '}
              since <Time instant={endpoint.since} withSeconds />
            </>
          )}
        </span>
      </span>
    ),
  },
  {
    header: 'Calls in flight',
    align: 'right',
    cell: ({ inFlight, callLimit }) => (
      <>
        {formatCount(inFlight)} <span className="t3">of {formatCount(callLimit)}</span>
      </>
    ),
  },
  {
    header: 'Batches/s',
    align: 'right',
    hideBelow: 'phone',
    cell: ({ batchesPerSecond }) => formatRate(batchesPerSecond),
  },
  {
    header: 'Workers',
    align: 'right',
    hideBelow: 'phone',
    look: (shard) => (isUnserved(shard) ? 'c-bad' : undefined),
    cell: ({ workers }) => formatCount(workers.length),
  },
];
