import { Link } from '@tanstack/react-router';
import type { StepLine, UserFailure } from '#client/types.gen.ts';
import { formatCount } from '../../parts/words/numbers.ts';
import { countColumn, type Column } from '../../parts/data-table/columns.tsx';
import { DataTable } from '../../parts/data-table/data-table.tsx';
import { Time } from '../../parts/times/time.tsx';
import { titleOf } from '../../parts/words/action-titles.ts';

interface FailureRowsProps {
  runId: string;
  items: readonly UserFailure[] | undefined;
  steps: readonly StepLine[];
  /** True while the next page is loaded: the items are those of the page before. */
  isOld: boolean;
  onBatch: (batch: number) => void;
}

export function FailureRows({ runId, items, steps, isOld, onBatch }: FailureRowsProps) {
  const columns: readonly Column<UserFailure>[] = [
    {
      header: 'User',
      isRowHeader: true,
      look: 'mono truncate',
      title: ({ userId }) => userId,
      cell: ({ userId }) => (
        <Link className="link" to="/runs/$runId/users/$userId" params={{ runId, userId }} data-row-link>
          {userId}
        </Link>
      ),
    },
    {
      header: 'Step',
      width: 'w-37.5',
      hideBelow: 'phone',
      look: 't2 truncate',
      cell: ({ step }) => `${step} ${titleOf(steps.find((line) => line.step === step)?.action ?? '')}`,
    },
    { header: 'Country', width: 'w-19', cell: ({ country }) => country },
    {
      header: 'Reason',
      look: 'mono wrap-anywhere leading-4.5',
      cell: ({ reason, outcome }) => (
        <>
          {reason} {outcome !== 'failed' && <span className="tag">{outcome}</span>}
        </>
      ),
    },
    {
      header: 'Error detail',
      hideBelow: 'phone',
      look: 't2 truncate',
      title: ({ detail }) => detail,
      cell: ({ detail }) => detail,
    },
    countColumn('Calls', ({ attempts }) => attempts, { width: 'w-18', hideBelow: 'phone' }),
    {
      header: 'Batch',
      align: 'right',
      width: 'w-18',
      hideBelow: 'phone',
      look: 't2',
      cell: ({ batchNo }) => (
        <button type="button" className="link" title="Only failures of this batch" onClick={() => onBatch(batchNo)}>
          {formatCount(batchNo)}
        </button>
      ),
    },
    {
      header: 'Failed at',
      align: 'right',
      width: 'w-37.5',
      hideBelow: 'phone',
      look: 't2 whitespace-nowrap',
      cell: ({ failedAt }) => <Time instant={failedAt} withSeconds />,
    },
  ];
  return (
    <div className="scroll">
      <DataTable
        caption="Users who failed"
        className={`d30 table-fixed min-w-180 ${isOld ? 'opacity-60' : ''}`}
        columns={columns}
        rows={items}
        keyOf={({ userId, step }) => `${userId} ${step}`}
        hasRowKeys
        loadingRows={12}
      />
    </div>
  );
}
