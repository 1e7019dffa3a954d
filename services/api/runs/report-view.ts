import type { RunFigures, RunReport } from '../../../shared/contracts/runs/runs.ts';
import type { FailureGroup, RunSnapshot } from './run-reports.port.ts';
import { reasons } from '../../../shared/domain/step/reasons.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { RetrySums } from './retries.port.ts';
import { runFiguresView, triedVariantsView } from './run-view.ts';
import { differencesOf } from './variant-differences.ts';

export function runReportView(
  snapshot: RunSnapshot,
  failures: readonly FailureGroup[],
  retries: readonly RetrySums[],
): RunReport {
  const figures = runFiguresView(snapshot);
  return {
    ...figures,
    retries: retriesView(figures, retries),
    differences: differencesOf(triedVariantsView(snapshot), snapshot.chain),
    failures: failures.map((group) => ({ ...group, retryable: isRetryable(group, snapshot) })),
    failuresKept: snapshot.failuresKept,
    receiptsDeletedAt: snapshot.receiptsDeletedAt?.toISOString() ?? null,
    batches: {
      fed: snapshot.countries.reduce((sum, feed) => sum + feed.fedBatches, 0),
      retried: snapshot.countries.reduce((sum, feed) => sum + feed.childBatches, 0),
    },
    forecast: null,
  };
}

/**
 * Returns true if users with this failure can be retried. Unknown users must be settled first, and invalid ids can
 * never be sent. A test is repeated, not retried.
 */
function isRetryable({ outcome, reason }: FailureGroup, { failuresKept, kind }: RunSnapshot): boolean {
  return failuresKept && kind === 'live' && outcome === 'failed' && reason !== reasons.invalidUserId;
}

/**
 * Returns failures before and after retries. Users fed to a child run no longer count as failures of this run, so sums
 * alone give the current failures.
 */
function retriesView({ steps }: RunFigures, sums: readonly RetrySums[]): RunReport['retries'] {
  if (sums.length === 0) return null;
  const total = (count: (each: RetrySums) => number) => sums.reduce((sum, each) => sum + count(each), 0);
  const failedBefore = steps.reduce((sum, line) => sum + line.failed, 0);
  const retried = total((each) => each.retried);
  return {
    retried,
    recovered: total((each) => each.recovered),
    failedBefore,
    failedAfter: failedBefore - retried + total((each) => each.failedAgain),
    runs: sums.map(({ runId, ...counts }) => ({ runId: publicId('run', runId), ...counts })),
  };
}
