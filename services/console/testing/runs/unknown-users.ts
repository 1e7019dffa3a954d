import type { GetRunReportResponse, Settlement } from '#client/types.gen.ts';
import { report } from './ended-report.ts';

type Line = GetRunReportResponse['steps'][number];

/** Returns the report of the ended run with users of step 1 whose outcome is unknown, by country. */
export function reportWithUnknown(users: Readonly<Record<string, number>>): GetRunReportResponse {
  const all = Object.values(users).reduce((sum, each) => sum + each, 0);
  return {
    ...report,
    steps: report.steps.map((line) => withUnknown(line, all)),
    countries: report.countries.map((each) => ({
      ...each,
      steps: each.steps.map((line) => withUnknown(line, users[each.country] ?? 0)),
    })),
    failures: [
      ...report.failures,
      ...Object.entries(users).map(([country, count]) => ({
        country,
        step: 1,
        outcome: 'unknown' as const,
        reason: 'muster.ambiguous-answer',
        users: count,
        sample: [`${country.toLowerCase()}-000000007`],
        retryable: false,
      })),
    ],
  };
}

/** Returns the counts of a step with some of its users changed to unknown. The next step skips these users. */
function withUnknown(line: Line, users: number): Line {
  const succeeded = line.succeeded - users;
  return line.step === 1
    ? { ...line, succeeded, unknown: users }
    : { ...line, succeeded, skipped: line.skipped + users };
}

/** Returns a settlement of the ended run. Default: one user, settled by hand. */
export function settlement(change: Partial<Settlement> = {}): Settlement {
  return {
    settlementId: 'set_1',
    runId: 'run_ended',
    by: 'hand',
    state: 'done',
    cause: null,
    step: null,
    country: null,
    settled: { succeeded: 1, failed: 0 },
    leftUnknown: 0,
    rejected: 0,
    rejects: [],
    requestedBy: { keyId: 'key_1', name: 'anna' },
    createdAt: '2026-11-22T20:10:00.000Z',
    endedAt: '2026-11-22T20:10:00.500Z',
    ...change,
  };
}
