import type { RunReport } from '../../../shared/contracts/runs.ts';
import type { FailureGroup, RunSnapshot } from '../ports/run-reports.ts';
import { runFiguresView } from './run.ts';

export function runReportView(snapshot: RunSnapshot, failures: readonly FailureGroup[]): RunReport {
  return {
    ...runFiguresView(snapshot),
    failures: [...failures],
    failuresKept: snapshot.failuresKept,
    batches: {
      fed: snapshot.countries.reduce((sum, feed) => sum + feed.fedBatches, 0),
      retried: snapshot.countries.reduce((sum, feed) => sum + feed.childBatches, 0),
    },
  };
}
