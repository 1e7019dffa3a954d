import { describe, expect, it } from 'vitest';
import type { ListedCampaign, ListedRun, RunProgress, StepLine } from '#client/types.gen.ts';
import { applyProgress } from './row-progress.ts';

const at = (second: number) => `2026-11-24T01:00:0${second}.000Z`;

function line(step: number, changes: Partial<StepLine> = {}): StepLine {
  return {
    step,
    action: `action-${step}`,
    audience: 100,
    succeeded: 0,
    failed: 0,
    skipped: 0,
    suppressed: 0,
    heldOut: 0,
    expired: 0,
    cancelled: 0,
    unknown: 0,
    pending: 0,
    ...changes,
  };
}

const facts = {
  runId: 'run_1',
  state: 'running' as const,
  stateReason: null,
  stateSince: at(0),
  startedAt: at(0),
  endedAt: null,
  asOf: at(1),
  audience: { estimated: 100, counted: 100, excluded: 0, complete: true },
  stalled: null,
  waitingSince: null,
  stall: null,
  waits: [],
  eta: null,
  usersPerSecond: { oneMinute: 1, tenMinutes: 1, fed: 0, through: 0 },
} as const;

/** A listed campaign whose run began one second ago. */
function campaignOf(changes: Partial<ListedCampaign> = {}): ListedCampaign {
  const run: ListedRun = {
    ...facts,
    audience: { ...facts.audience },
    waits: [],
    pausedItself: false,
    lastStep: line(2),
    scheduledFor: at(0),
    failedUsers: 0,
    unknownUsers: 0,
  };
  return {
    id: 'cmp_1',
    revision: 1,
    state: 'running',
    name: 'Riders',
    countries: ['SG'],
    chain: [],
    audience: { include: [{ segment: 'all' }] },
    schedule: { type: 'now' },
    deadlineSeconds: 3600,
    priority: 'normal',
    createdAt: at(0),
    origin: null,
    archivedAt: null,
    startsAt: null,
    nextRunAt: null,
    scheduleId: null,
    approval: null,
    links: { self: '', runs: '', start: '', latestRun: null },
    standing: 'running',
    needsAttention: false,
    run,
    ...changes,
  };
}

function progressOf(changes: Partial<RunProgress> = {}): RunProgress {
  const steps = [line(1, { failed: 5, unknown: 1 }), line(2, { succeeded: 80, failed: 7 })];
  return { ...base, asOf: at(2), steps, ...changes };
}

const base: RunProgress = {
  ...facts,
  audience: { ...facts.audience },
  waits: [],
  variants: [],
  undecidedUsers: 0,
  kind: 'live',
  canary: null,
  variantChoice: null,
  parentRunId: null,
  campaignId: 'cmp_1',
  campaignName: 'Riders',
  revision: 1,
  scheduledFor: at(0),
  deadlineAt: null,
  steps: [],
  countries: [],
  balanced: true,
  budgets: [],
  notes: [],
  inFlight: 0,
  waitingForRetry: 0,
  settings: { priority: 'normal', paceUsersPerSecond: null, pauseAtFailedPercent: null, pauseAtFailedMinUsers: 1000 },
};

describe('a row of the list of campaigns', () => {
  it('applies the progress of its run: state, last step, and failed and unknown users of all steps', () => {
    const stall = { by: 'step', cause: 'HTTP 503', since: at(1), nextStep: 'It is tried again by itself.' } as const;
    const progress = progressOf({
      state: 'pausing',
      stalled: 'HTTP 503',
      stall,
      usersPerSecond: { oneMinute: 9, tenMinutes: 4, fed: 0, through: 0 },
    });
    expect(applyProgress(campaignOf(), progress).run).toMatchObject({
      state: 'pausing',
      asOf: at(2),
      failedUsers: 12,
      unknownUsers: 1,
      stalled: 'HTTP 503',
      stall,
      lastStep: { step: 2, succeeded: 80 },
      usersPerSecond: { oneMinute: 9, tenMinutes: 4, fed: 0, through: 0 },
    });
  });

  it('ignores progress that is not newer or belongs to another run', () => {
    const campaign = campaignOf();
    expect(applyProgress(campaign, progressOf({ asOf: at(1) }))).toBe(campaign);
    expect(applyProgress(campaign, progressOf({ asOf: at(0) }))).toBe(campaign);
    expect(applyProgress(campaign, progressOf({ runId: 'run_2' }))).toBe(campaign);
    expect(applyProgress(campaign, undefined)).toBe(campaign);
  });

  it('ignores progress if it has no run, or the progress has no steps', () => {
    const draft = campaignOf({ run: null });
    expect(applyProgress(draft, progressOf())).toBe(draft);
    const campaign = campaignOf();
    expect(applyProgress(campaign, progressOf({ steps: [] }))).toBe(campaign);
  });

  it('keeps the fields that the stream does not send', () => {
    const campaign = campaignOf();
    const progress = applyProgress(campaign, progressOf());
    expect({ ...progress, run: null }).toEqual({ ...campaign, run: null });
    expect(progress.run).toMatchObject({ runId: 'run_1', scheduledFor: at(0), pausedItself: false });
  });
});
