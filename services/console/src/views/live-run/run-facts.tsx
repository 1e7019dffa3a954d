import type { RunProgress } from '#client/types.gen.ts';
import { CopyableId } from '../../parts/controls/copy-button.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import { useCurrentMinute } from '../../parts/browser/now.ts';
import { Time } from '../../parts/times/time.tsx';
import { formatDuration } from '../../parts/times/times.ts';

interface RunFactsProps {
  progress: RunProgress;
  /** Name of the key that requested the run; null if a schedule did, or it is unknown. */
  by: string | null;
}

export function RunFacts({ progress, by }: RunFactsProps) {
  const { runId, startedAt, scheduledFor, endedAt, settings, revision, parentRunId } = progress;
  return (
    <div className="meta">
      <CopyableId id={runId} what="run id" />
      <span>
        {startedAt === null ? 'Planned for ' : 'Started '}
        <b>
          <Time instant={startedAt ?? scheduledFor} withSeconds />
        </b>
        {by !== null && ` by ${by}`}
      </span>
      {endedAt === null ? (
        <DeadlineFact progress={progress} />
      ) : (
        <span>
          Ended{' '}
          <b>
            <Time instant={endedAt} withSeconds />
          </b>
        </span>
      )}
      {settings.paceUsersPerSecond !== null && (
        <span className="wide">
          Pace <b>at most {formatCount(settings.paceUsersPerSecond)} users/s</b>
        </span>
      )}
      <span className="wide">
        Priority <b>{settings.priority}</b>
      </span>
      <span className="wide">
        Revision <b>{revision}</b>
      </span>
      {parentRunId !== null && <span className="wide">Retries failed users of another run</span>}
    </div>
  );
}

function DeadlineFact({ progress: { deadlineAt } }: { progress: RunProgress }) {
  const now = useCurrentMinute();
  if (deadlineAt === null) return null;
  const leftMs = Date.parse(deadlineAt) - now;
  return (
    <span>
      Deadline{' '}
      <b>
        <Time instant={deadlineAt} />
      </b>
      {leftMs > 0 ? `, in ${formatDuration(leftMs)}` : ', has passed'}
    </span>
  );
}
