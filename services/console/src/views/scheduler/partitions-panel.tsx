import type { Scheduler } from '#client/types.gen.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { nodeName, mapPartitions } from './region-summary.ts';

/** Map of the partitions with their owners. Moving partitions have another shape too. */
export function PartitionsPanel({ partitions }: { partitions: Scheduler['partitions'] }) {
  const { cells, owners } = mapPartitions(partitions);
  const moving = cells.filter(({ isMoving }) => isMoving).length;
  const words = owners.map(({ owner, partitions: count }) => `${owner} ${count}`).join(', ');
  const summary = `${words === '' ? 'no owner' : words}; ${moving} moving`;
  return (
    <Panel title="Partitions" note={`${partitions.length} by owner`} padded>
      <div className="grid grid-cols-16 gap-1" role="img" aria-label={summary}>
        {cells.map(({ partition, letter, isMoving, due }) => (
          <span
            key={partition}
            className={`grid place-items-center h-5.5 rounded-sm text-xs border ${
              isMoving
                ? 'border-current c-warn bg-(--warn-bg)'
                : letter === ''
                  ? 'border-dashed border-bad c-bad'
                  : 'border-line t2 bg-sunken'
            }`}
            title={`Partition ${partition}: ${letter === '' ? 'no owner' : (owners.find((each) => each.letter === letter)?.owner ?? '')}, ${countOf(due, 'job')} due`}
          >
            {isMoving ? '→' : letter === '' ? '!' : letter}
          </span>
        ))}
      </div>
      <p className="sm t2 mt-2 flex flex-wrap gap-x-3 wrap-anywhere">
        {owners.map(({ letter, owner, partitions: count }) => (
          <span key={owner}>
            <span title={owner}>
              <b>{letter}</b> {nodeName(owner)}, {count}
            </span>
          </span>
        ))}
      </p>
      {moving > 0 && (
        <p className="sm c-warn row gap-1">
          <Icon name="arrow" size={12} />
          {countOf(moving, 'partition')} moving to another scheduler
        </p>
      )}
    </Panel>
  );
}
