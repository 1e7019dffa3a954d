import { Fragment, memo } from 'react';
import type { Shard } from '#client/types.gen.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { useRowKeys } from '../../parts/keys/use-row-keys.ts';
import { formatCount, formatRate } from '../../parts/words/numbers.ts';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { Sparkline } from '../../parts/charts/sparkline.tsx';
import { isUnserved, unservedCause } from '../../parts/shards/unserved.ts';
import { historyInWords, isLate, lagText } from './shard-figures.ts';
import { ShardDetail } from './shard-detail.tsx';

interface ShardTableProps {
  /** Undefined while they are asked for. */
  shards: readonly Shard[] | undefined;
  isOld: boolean;
  /** The id of the row that is open. */
  open: string | undefined;
  onOpen: (id: string) => void;
}

const columns = 10;

export function ShardTable({ shards, isOld, open, onOpen }: ShardTableProps) {
  const rows = useRowKeys<HTMLTableSectionElement>();
  return (
    <table className={isOld ? 'shards t3' : 'shards'}>
      <caption className="sr-only">Shards, those without a worker and the longest lag first</caption>
      <thead>
        <tr>
          <th scope="col">Shard</th>
          <th scope="col">Breaker</th>
          <th scope="col" className="text-right wide">
            In topic
          </th>
          <th scope="col" className="text-right wide">
            Held back
          </th>
          <th scope="col" className="text-right" aria-sort="descending">
            <span className="inline-flex items-center gap-1.25">
              Lag <Icon name="dn" size={12} />
            </span>
          </th>
          <th scope="col" className="wide">
            Last 15 min
          </th>
          <th scope="col" className="text-right wide">
            In flight, limit
          </th>
          <th scope="col" className="text-right wide max-[960px]:hidden">
            Batches/s
          </th>
          <th scope="col" className="text-right wide max-[960px]:hidden">
            Partitions
          </th>
          <th scope="col" className="text-right wide max-[960px]:hidden">
            Workers
          </th>
        </tr>
      </thead>
      <tbody ref={rows}>
        {shards?.map((shard) => (
          <Fragment key={shard.id}>
            <ShardRow shard={shard} isOpen={shard.id === open} onOpen={onOpen} />
            {shard.id === open && (
              <tr className="opened" id={`detail-${shard.id}`}>
                <td colSpan={columns}>
                  <ShardDetail shard={shard} />
                </td>
              </tr>
            )}
          </Fragment>
        )) ?? <SkeletonRows rows={8} columns={[150, 60, 40, 40, 60, 84, 70, 40, 30, 30]} />}
      </tbody>
    </table>
  );
}

const breakers = {
  closed: { icon: 'closed', word: 'closed', tone: 't2' },
  'slow-start': { icon: 'half', word: 'slow start', tone: 'c-warn' },
  open: { icon: 'open', word: 'open', tone: 'c-bad' },
} as const;

/** Worse than any breaker: there is nobody who could call. */
const noWorker = { icon: 'failed', word: 'no worker', tone: 'c-bad' } as const;

interface ShardRowProps {
  /** The same object as long as its figures are the same. */
  shard: Shard;
  isOpen: boolean;
  onOpen: (id: string) => void;
}

/** Of two hundred a look changes some: those alone are drawn again. */
const ShardRow = memo(function ShardRow({ shard, isOpen, onOpen }: ShardRowProps) {
  const { id, actionType, country, lag, inFlight, callLimit, partitions, workers, batchesPerSecond } = shard;
  const late = isLate(shard);
  const isPaced = !late && lag.pacedBatches > 0;
  const { icon, word, tone } = isUnserved(shard) ? noWorker : breakers[shard.breaker];
  return (
    <tr data-row className={isOpen ? 'sel' : undefined}>
      <th scope="row">
        <button
          type="button"
          className="inline-flex items-center gap-1.5 -ml-1 p-1 phone:min-h-10"
          aria-expanded={isOpen}
          aria-controls={isOpen ? `detail-${id}` : undefined}
          data-row-link
          onClick={() => onOpen(id)}
        >
          <Icon name={isOpen ? 'down' : 'right'} size={12} />
          <span className="wrap-anywhere phone:wrap-normal">{actionType}</span> <span className="tag">{country}</span>
        </button>
        {isUnserved(shard) && <div className="c-bad sm pl-4.5 pb-1 wrap-anywhere">{unservedCause(shard)}</div>}
      </th>
      <td>
        <span className={`${tone} inline-flex items-center gap-1.25 whitespace-nowrap align-middle`}>
          <Icon name={icon} />
          {word}
        </span>
      </td>
      <td className="text-right wide">{lag.messages === null ? '–' : formatCount(lag.messages)}</td>
      <td className={lag.waiting === 0 ? 'text-right wide z' : 'text-right wide'}>{formatCount(lag.waiting)}</td>
      <td
        className={late ? 'text-right whitespace-nowrap font-medium c-bad' : 'text-right whitespace-nowrap font-medium'}
      >
        {lagText(shard)}
        {isPaced && (
          <span
            className="t3 font-normal"
            title={`${formatCount(lag.pacedBatches)} batches wait for the pace of their runs`}
          >
            {' '}
            paced
          </span>
        )}
      </td>
      <td className="wide">
        <Sparkline values={lag.history} atLeast={10} isBad={late} label={historyInWords(shard)} />
      </td>
      <td className="text-right wide whitespace-nowrap">
        {formatCount(inFlight)} <span className="t2">of {formatCount(callLimit)}</span>
      </td>
      <td className="text-right wide max-[960px]:hidden">{formatRate(batchesPerSecond)}</td>
      <td className="text-right wide max-[960px]:hidden">{partitions.actual ?? partitions.wanted}</td>
      <td className="text-right wide max-[960px]:hidden">{workers.length}</td>
    </tr>
  );
});
