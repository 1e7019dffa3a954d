import { useState } from 'react';
import type { Shard } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { countColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { AddPartitionsDialog } from './add-partitions-dialog.tsx';
import { describeIdleWorkers } from './shard-figures.ts';

/** Partitions of a shard with their workers; notes and actions beside them. */
export function ShardDetail({ shard }: { shard: Shard }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_360px] max-[1180px]:grid-cols-[minmax(0,1fr)_300px] max-[960px]:grid-cols-1">
      <Lanes shard={shard} />
      <Notes shard={shard} />
    </div>
  );
}

function Lanes({ shard: { lanes, partitions } }: { shard: Shard }) {
  if (lanes.length === 0) {
    return (
      <p className="t2 py-3.5 px-4">
        {partitions.actual === 0
          ? 'Its topic does not exist yet.'
          : 'Kafka does not report the owners of the partitions.'}
      </p>
    );
  }
  return (
    <DataTable
      caption="Partitions and their owners"
      className="[--row:24px] text-sm self-start"
      columns={laneColumns}
      rows={lanes}
      keyOf={({ partition }) => partition}
    />
  );
}

const laneColumns: readonly Column<Shard['lanes'][number]>[] = [
  { header: 'Partition', look: 'mono', cell: ({ partition }) => partition },
  { header: 'Owner', cell: ({ worker }) => worker ?? <span className="c-warn">none</span> },
  countColumn('In topic', ({ messages }) => messages, { look: ({ messages }) => (messages === 0 ? 'z' : undefined) }),
];

function Notes({ shard }: { shard: Shard }) {
  const [isAdding, setAdding] = useState(false);
  const refusal = useRefusal('operator');
  const { breaker, notes, topic, desiredWorkers, workers, partitions, lag } = shard;
  const down = notes.find((note) => note.startsWith('its endpoint counts as down'));
  const others = notes.filter((note) => note !== down && !note.includes('nothing to do'));
  const idle = describeIdleWorkers(shard);
  return (
    <div className="grid content-start gap-2.5 px-4 pt-3 pb-3.5 border-l border-line max-[960px]:border-l-0 max-[960px]:border-t">
      {breaker === 'open' && (
        <>
          <h2 className="row gap-1 c-bad">
            <Icon name="open" />
            Breaker open
          </h2>
          <p className="sm t2">
            <DownSince note={down} /> Batches wait and use no attempts. A probe checks automatically whether it answers
            again.
          </p>
        </>
      )}
      {breaker === 'slow-start' && (
        <>
          <h2 className="row gap-1 c-warn">
            <Icon name="half" />
            Slow start
          </h2>
          <p className="sm t2">The endpoint has just recovered: calls increase step by step to the full rate.</p>
        </>
      )}
      {others.map((note) => (
        <p key={note} className={`sm row gap-1 ${note.includes('and there is work') ? 'c-bad' : 'c-warn'}`}>
          <Icon name="warn" size={14} />
          {capital(note)}.
        </p>
      ))}
      <div className="row flex-wrap">
        <Button small refusal={refusal} onClick={() => setAdding(true)}>
          Add partitions…
        </Button>
      </div>
      <dl className="kv sm gap-y-0.75 gap-x-3.5 wrap-anywhere">
        <dt>Topic</dt>
        <dd className="mono">{topic}</dd>
        <dt>Partitions</dt>
        <dd>
          {partitions.actual ?? 'not known'} of {partitions.wanted} wanted
        </dd>
        <dt>Workers</dt>
        <dd>
          {countOf(workers.length, 'worker')}
          {desiredWorkers > 0 && `, ${formatCount(desiredWorkers)} could finish in a minute`}
        </dd>
        {idle !== undefined && (
          <>
            <dt>Idle</dt>
            <dd>{idle}</dd>
          </>
        )}
        <dt>Remaining</dt>
        <dd>{countOf(Math.round(lag.aheadBatches), 'batch', 'batches')}, here or in earlier steps</dd>
        {lag.pacedBatches > 0 && (
          <>
            <dt>Paced</dt>
            <dd>{countOf(Math.round(lag.pacedBatches), 'batch', 'batches')} more, limited by the pace of their runs</dd>
          </>
        )}
      </dl>
      {isAdding && <AddPartitionsDialog shard={shard} onClose={() => setAdding(false)} />}
    </div>
  );
}

/**
 * Describes since when the endpoint is down. The worker's note contains an instant, which is shown in the chosen time
 * zone.
 */
function DownSince({ note }: { note: string | undefined }) {
  const [, instant, cause] = /since (\S+Z): (.+)$/.exec(note ?? '') ?? [];
  if (instant === undefined || cause === undefined) return 'Its endpoint counts as down.';
  return (
    <>
      Since <Time instant={instant} withSeconds />: {cause}.
    </>
  );
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
