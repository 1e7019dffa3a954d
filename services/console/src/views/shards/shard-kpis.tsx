import type { Shard } from '#client/types.gen.ts';
import { Kpis } from '../../parts/panels/kpis.tsx';
import { countOf, formatCount, formatRate } from '../../parts/words/numbers.ts';
import { isLate, formatLag, sumShards } from './shard-figures.ts';

export function ShardKpis({ shards, isOld }: { shards: readonly Shard[] | undefined; isOld: boolean }) {
  if (!shards) return <div className="kpis h-21" aria-hidden="true" />;
  const sums = sumShards(shards);
  const { longest } = sums;
  return (
    <div className={longest && isLate(longest) ? 'late' : undefined}>
      <Kpis
        isOld={isOld}
        kpis={[
          {
            name: 'Longest lag',
            value: longest ? formatLag(longest) : '0 s',
            note: longest
              ? `${longest.actionType} ${longest.country} · median ${sums.medianSeconds} s`
              : 'nothing waits',
          },
          {
            name: 'In topics',
            value: formatCount(sums.inTopics),
            unit: 'batches',
            note: `${formatCount(sums.waiting)} more are waiting`,
          },
          {
            name: 'In flight',
            value: formatCount(sums.inFlight),
            unit: 'calls',
            note: `of ${formatCount(sums.callLimit)} allowed now`,
          },
          {
            name: 'Rate',
            value: formatRate(sums.batchesPerSecond),
            unit: 'batches/s',
            note: 'recorded, over all shards',
          },
          {
            name: 'Workers',
            value: formatCount(sums.workers),
            note:
              sums.unserved > 0 ? (
                <b className="c-bad">{countOf(sums.unserved, 'shard')} without a worker</b>
              ) : sums.idle === 0 ? (
                'all have partitions'
              ) : (
                `${sums.idle} with no partition`
              ),
          },
        ]}
      />
    </div>
  );
}
