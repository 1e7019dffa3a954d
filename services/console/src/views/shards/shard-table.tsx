import { useMemo } from 'react';
import type { Shard } from '#client/types.gen.ts';
import { countColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { formatCount, formatRate } from '../../parts/words/numbers.ts';
import { Sparkline } from '../../parts/charts/sparkline.tsx';
import { isUnserved, unservedCause } from '../../parts/shards/unserved.ts';
import { describeHistory, isLate, formatLag } from './shard-figures.ts';
import { ShardDetail } from './shard-detail.tsx';

interface ShardTableProps {
  shards: readonly Shard[] | undefined;
  isOld: boolean;
  open: string | undefined;
  onOpen: (id: string) => void;
}

export function ShardTable({ shards, isOld, open, onOpen }: ShardTableProps) {
  // Memoized, so that only changed rows render: an update changes few of two hundred.
  const columns = useMemo(
    (): readonly Column<Shard>[] => [
      {
        header: 'Shard',
        isRowHeader: true,
        cell: (shard) => <Name shard={shard} isOpen={shard.id === open} onOpen={onOpen} />,
      },
      ...figureColumns,
    ],
    [open, onOpen],
  );
  return (
    <DataTable
      caption="Shards, those without a worker and the longest lag first"
      className={isOld ? 'shards t3' : 'shards'}
      columns={columns}
      rows={shards}
      keyOf={({ id }) => id}
      isChosen={({ id }) => id === open}
      detail={(shard) =>
        shard.id === open && (
          <div id={`detail-${shard.id}`}>
            <ShardDetail shard={shard} />
          </div>
        )
      }
      hasRowKeys
      loadingRows={8}
    />
  );
}

const breakers = {
  closed: { icon: 'closed', word: 'closed', tone: 't2' },
  'slow-start': { icon: 'half', word: 'slow start', tone: 'c-warn' },
  open: { icon: 'open', word: 'open', tone: 'c-bad' },
} as const;

/** Badge that replaces the state of the breaker, because without a worker no call can be made. */
const noWorker = { icon: 'failed', word: 'no worker', tone: 'c-bad' } as const;

interface NameProps {
  shard: Shard;
  isOpen: boolean;
  onOpen: (id: string) => void;
}

function Name({ shard, isOpen, onOpen }: NameProps) {
  const { id, actionType, country } = shard;
  return (
    <>
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
    </>
  );
}

function Breaker({ shard }: { shard: Shard }) {
  const { icon, word, tone } = isUnserved(shard) ? noWorker : breakers[shard.breaker];
  return (
    <span className={`${tone} inline-flex items-center gap-1.25 whitespace-nowrap align-middle`}>
      <Icon name={icon} />
      {word}
    </span>
  );
}

function Lag({ shard }: { shard: Shard }) {
  const { pacedBatches } = shard.lag;
  return (
    <>
      {formatLag(shard)}
      {!isLate(shard) && pacedBatches > 0 && (
        <span className="t3 font-normal" title={`${formatCount(pacedBatches)} batches wait for the pace of their runs`}>
          {' '}
          paced
        </span>
      )}
    </>
  );
}

const figureColumns: readonly Column<Shard>[] = [
  { header: 'Breaker', cell: (shard) => <Breaker shard={shard} /> },
  {
    header: 'In topic',
    align: 'right',
    hideBelow: 'phone',
    cell: ({ lag }) => (lag.messages === null ? '–' : formatCount(lag.messages)),
  },
  countColumn('Waiting', ({ lag }) => lag.waiting, {
    hideBelow: 'phone',
    look: ({ lag }) => (lag.waiting === 0 ? 'z' : undefined),
  }),
  {
    header: 'Lag',
    sorted: 'descending',
    align: 'right',
    look: (shard) => `whitespace-nowrap font-medium ${isLate(shard) ? 'c-bad' : ''}`,
    cell: (shard) => <Lag shard={shard} />,
  },
  {
    header: 'Last 15 min',
    hideBelow: 'phone',
    cell: (shard) => (
      <Sparkline values={shard.lag.history} atLeast={10} isBad={isLate(shard)} label={describeHistory(shard)} />
    ),
  },
  {
    header: 'In flight, limit',
    align: 'right',
    hideBelow: 'phone',
    look: 'whitespace-nowrap',
    cell: ({ inFlight, callLimit }) => (
      <>
        {formatCount(inFlight)} <span className="t2">of {formatCount(callLimit)}</span>
      </>
    ),
  },
  {
    header: 'Batches/s',
    align: 'right',
    hideBelow: 'tablet',
    cell: ({ batchesPerSecond }) => formatRate(batchesPerSecond),
  },
  {
    header: 'Partitions',
    align: 'right',
    hideBelow: 'tablet',
    cell: ({ partitions }) => partitions.actual ?? partitions.wanted,
  },
  { header: 'Workers', align: 'right', hideBelow: 'tablet', cell: ({ workers }) => workers.length },
];
