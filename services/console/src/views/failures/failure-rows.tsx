import { Link } from '@tanstack/react-router';
import type { StepLine, UserFailure } from '#client/types.gen.ts';
import { formatCount } from '../../parts/words/numbers.ts';
import { useRowKeys } from '../../parts/keys/use-row-keys.ts';
import { SkeletonRows } from '../../parts/standing/skeleton.tsx';
import { Time } from '../../parts/times/time.tsx';
import { titleOf } from '../../parts/words/action-titles.ts';

interface FailureRowsProps {
  runId: string;
  /** Undefined while they are read. */
  items: readonly UserFailure[] | undefined;
  steps: readonly StepLine[];
  /** Of the page before: the next one is on its way. */
  isOld: boolean;
  /** To those of the same batch alone. */
  onBatch: (batch: number) => void;
}

export function FailureRows({ runId, items, steps, isOld, onBatch }: FailureRowsProps) {
  const rows = useRowKeys<HTMLTableSectionElement>();
  return (
    <div className="scroll">
      <table className={`d30 table-fixed min-w-180 ${isOld ? 'opacity-60' : ''}`}>
        <thead>
          <tr>
            <th scope="col">User</th>
            <th scope="col" className="wide w-37.5">
              Step
            </th>
            <th scope="col" className="w-19">
              Country
            </th>
            <th scope="col">Reason</th>
            <th scope="col" className="wide">
              What was said
            </th>
            <th scope="col" className="text-right wide w-18">
              Calls
            </th>
            <th scope="col" className="text-right wide w-18">
              Batch
            </th>
            <th scope="col" className="text-right wide w-37.5">
              Failed at
            </th>
          </tr>
        </thead>
        <tbody ref={rows}>
          {items ? (
            items.map((item) => <Row key={`${item.userId} ${item.step}`} {...{ runId, item, steps, onBatch }} />)
          ) : (
            <SkeletonRows rows={12} columns={[90, 100, 30, 130, 160, 30, 40, 60]} />
          )}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps extends Pick<FailureRowsProps, 'runId' | 'steps' | 'onBatch'> {
  item: UserFailure;
}

function Row({ runId, item, steps, onBatch }: RowProps) {
  const { userId, step, country, outcome, reason, detail, attempts, batchNo, failedAt } = item;
  const action = steps.find((line) => line.step === step)?.action ?? '';
  return (
    <tr data-row>
      <th scope="row" className="mono truncate" title={userId}>
        <Link className="link" to="/runs/$runId/users/$userId" params={{ runId, userId }} data-row-link>
          {userId}
        </Link>
      </th>
      <td className="t2 truncate wide">
        {step} {titleOf(action)}
      </td>
      <td>{country}</td>
      <td className="mono wrap-anywhere leading-4.5">
        {reason} {outcome !== 'failed' && <span className="tag">{outcome}</span>}
      </td>
      <td className="t2 truncate wide" title={detail ?? undefined}>
        {detail}
      </td>
      <td className="text-right wide">{formatCount(attempts)}</td>
      <td className="text-right t2 wide">
        <button type="button" className="link" title="Those of this batch alone" onClick={() => onBatch(batchNo)}>
          {formatCount(batchNo)}
        </button>
      </td>
      <td className="text-right t2 whitespace-nowrap wide">
        <Time instant={failedAt} withSeconds />
      </td>
    </tr>
  );
}
