import { stepLines, sumLines } from '../../shared/domain/step/outcomes.ts';
import type { Evidence } from '../support/evidence.ts';
import type { MemoryDatabase } from '../support/memory/memory-database.ts';
import { createMemoryRunReports } from '../support/memory/run-reports.ts';

/** Parts of a scenario that the witnesses need. */
interface Expected {
  audience: Evidence['audience'];
  steps: number;
  sources?: { heldOut: ReadonlySet<string> };
  suppressed: readonly ReadonlySet<string>[];
}

/** Collects the engine's report, and the calls that the endpoint received. */
export async function gatherEvidence(
  database: MemoryDatabase,
  runId: string | undefined,
  { audience, steps, sources, suppressed }: Expected,
  { effects, overlapping, appliedAgain }: Pick<Evidence, 'effects' | 'overlapping' | 'appliedAgain'>,
): Promise<Evidence> {
  const reports = createMemoryRunReports({ database });
  const snapshot = runId === undefined ? undefined : await reports.snapshot(runId);
  const failures = runId === undefined ? undefined : await reports.failures(runId, {}, 100_000, null);
  return {
    audience,
    runState: snapshot?.state ?? 'missing',
    lines: new Map(
      [...Map.groupBy(snapshot?.countries ?? [], ({ country }) => country)].map(([country, feeds]) => {
        const ofFeeds = feeds.map(({ fedUsers, heldOutUsers, totals }) =>
          stepLines(fedUsers, totals, steps, heldOutUsers),
        );
        const sums = Array.from({ length: steps }, (_, index) =>
          sumLines(ofFeeds.flatMap((lines) => lines[index] ?? [])),
        );
        return [country, sums];
      }),
    ),
    effects,
    failures: failures?.items ?? [],
    suppressed,
    ...(sources && { heldOut: sources.heldOut }),
    ...(overlapping && { overlapping }),
    ...(appliedAgain && { appliedAgain }),
  };
}
