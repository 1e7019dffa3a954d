import type { RunProgress, RunReport, StepLine } from '../../sdk/generated/types.gen.ts';

/** Returns a report line; missing outcomes are 0, and the remainder is pending. */
export function lineOf(over: Partial<StepLine>): StepLine {
  const line = {
    step: 1,
    action: 'award-reward',
    audience: 100,
    succeeded: 0,
    failed: 0,
    skipped: 0,
    suppressed: 0,
    heldOut: 0,
    expired: 0,
    cancelled: 0,
    unknown: 0,
    ...over,
  };
  const { succeeded, failed, skipped, suppressed, heldOut, expired, cancelled, unknown } = line;
  const ended = succeeded + failed + skipped + suppressed + heldOut + expired + cancelled + unknown;
  return { ...line, pending: over.pending ?? line.audience - ended };
}

const summary = {
  runId: 'run_1',
  kind: 'live',
  canary: null,
  variantChoice: null,
  parentRunId: null,
  campaignId: 'cmp_1',
  campaignName: 'Lapsed riders',
  revision: 1,
  stateReason: null,
  scheduledFor: '2026-11-21T09:00:00.000Z',
  startedAt: '2026-11-21T09:00:00.000Z',
  asOf: '2026-11-21T09:00:20.000Z',
  stateSince: '2026-11-21T09:00:00.000Z',
  deadlineAt: '2026-11-22T09:00:00.000Z',
  settings: {
    priority: 'normal',
    paceUsersPerSecond: null,
    pauseAtFailedPercent: null,
    pauseAtFailedMinUsers: 1000,
  },
  notes: [],
  stalled: null,
  stall: null,
  waitingSince: null,
} as const;

export function progressOf(over: Partial<RunProgress>): RunProgress {
  return {
    ...summary,
    state: 'running',
    endedAt: null,
    audience: { estimated: 100, counted: 100, excluded: 0, complete: true },
    steps: [lineOf({})],
    countries: [],
    variants: [],
    undecidedUsers: 0,
    balanced: true,
    budgets: [],
    usersPerSecond: { oneMinute: 0, tenMinutes: 0, fed: 0, through: 0 },
    inFlight: 0,
    waitingForRetry: 0,
    eta: null,
    waits: [],
    ...over,
    notes: [...(over.notes ?? [])],
  };
}

export function reportOf(over: Partial<RunReport>): RunReport {
  return {
    ...summary,
    state: 'completed_with_failures',
    endedAt: '2026-11-21T09:00:21.400Z',
    audience: { estimated: 100, counted: 100, excluded: 0, complete: true },
    steps: [],
    countries: [],
    variants: [],
    undecidedUsers: 0,
    balanced: true,
    budgets: [],
    forecast: null,
    differences: [],
    retries: null,
    failures: [],
    failuresKept: true,
    receiptsDeletedAt: null,
    batches: { fed: 1, retried: 0 },
    ...over,
    notes: [...(over.notes ?? [])],
  };
}
