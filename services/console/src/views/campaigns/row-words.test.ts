import { describe, expect, test } from 'vitest';
import type { ListedCampaign, ListedRun } from '#client/types.gen.ts';
import { describeAudience, findCause, formatCodes, describeNext, describeSuccess } from './row-words.ts';
import { displayStateOf } from '../../parts/campaign/listed-campaign.ts';

const line = {
  step: 2,
  action: 'send-message',
  audience: 3_400_000,
  succeeded: 2_136_218,
  failed: 11_783,
  skipped: 27_230,
  suppressed: 34_555,
  heldOut: 68_000,
  expired: 0,
  cancelled: 0,
  unknown: 0,
  pending: 1_122_214,
};

const running: ListedRun = {
  runId: 'run_1',
  state: 'running',
  stateReason: null,
  stateSince: '2026-11-24T01:00:00.000Z',
  scheduledFor: '2026-11-24T01:00:00.000Z',
  startedAt: '2026-11-24T01:00:00.000Z',
  endedAt: null,
  asOf: '2026-11-24T02:42:00.000Z',
  stalled: null,
  stall: null,
  waitingSince: null,
  waits: [],
  pausedItself: false,
  audience: { estimated: 3_400_000, counted: 3_000_000, excluded: 0, complete: false },
  usersPerSecond: { oneMinute: 684, tenMinutes: 700, fed: 700, through: 684 },
  eta: { p50: '2026-11-24T03:36:00.000Z', p90: '2026-11-24T03:52:00.000Z', without: [] },
  lastStep: line,
  failedUsers: 11_783,
  unknownUsers: 0,
};

const campaign: ListedCampaign = {
  id: 'cmp_1',
  revision: 3,
  state: 'running',
  name: 'Payday top-up',
  countries: ['SG', 'VN'],
  standing: 'running',
  audience: { include: [{ segment: 'payday-active' }] },
  chain: [],
  schedule: { type: 'now' },
  deadlineSeconds: 86_400,
  priority: 'normal',
  createdAt: '2026-11-23T02:00:00.000Z',
  startsAt: null,
  nextRunAt: null,
  scheduleId: null,
  origin: null,
  archivedAt: null,
  needsAttention: false,
  run: running,
  approval: null,
  links: { self: '', runs: '', start: '', latestRun: null },
};

const style = { nowMs: Date.parse('2026-11-24T02:42:00Z'), formatTime: (instant: string) => instant.slice(11, 16) };

function withRun(change: Partial<ListedRun>, more: Partial<ListedCampaign> = {}): ListedCampaign {
  return { ...campaign, ...more, run: { ...running, ...change } };
}

describe('a row of the list of campaigns', () => {
  test('shows the progress and the expected end of a running run', () => {
    expect(describeSuccess(running)).toEqual({ first: '2,136,218', second: 'of about 3.4 M · 62.8 %' });
    expect(describeNext(campaign, style)).toEqual({ first: 'ETA 03:36', second: '684 users/s', aside: 'p90 03:52' });
    const formatTime = (instant: string) => `Mon 23 Nov, ${instant.slice(11, 16)}`;
    expect(describeNext(campaign, { ...style, formatTime })).toMatchObject({
      first: 'ETA Mon 23 Nov, 03:36',
      aside: 'p90 03:52',
    });
    expect(findCause(campaign)).toBeNull();
  });

  test('names the countries in which a run waits', () => {
    const retried = { held: false, nextTryAt: null, blockedBy: null, timeoutMs: null, nextStep: '' };
    const wait = {
      step: 1,
      action: 'award-reward',
      by: 'step' as const,
      cause: 'x',
      since: running.asOf,
      batches: 3,
      ...retried,
    };
    const waits = [
      { ...wait, country: 'VN' },
      { ...wait, country: 'ID', step: 2 },
      { ...wait, country: 'VN', step: 2 },
    ];
    expect(findCause(withRun({ waits }))).toEqual({ tone: 'warn', words: 'ID, VN wait' });
  });

  test('shows how long a run has been paused automatically, and the limit', () => {
    const paused = withRun(
      { state: 'paused', stateSince: '2026-11-24T02:03:30.000Z', pausedItself: true, stateReason: '5.2 % failed' },
      { standing: 'paused', pauseAtFailedPercent: 5 },
    );
    expect(describeNext(paused, style)).toEqual({ first: 'Paused 38 min', second: 'automatically, the limit is 5 %' });
    expect(findCause(paused)).toEqual({ tone: 'warn', words: '5.2 % failed' });
  });

  test('shows no cause for a run that a person paused', () => {
    const paused = withRun({ state: 'paused', stateReason: 'lunch' }, { standing: 'paused' });
    expect(findCause(paused)).toBeNull();
    expect(describeNext(paused, style).second).toBe('by a person');
  });

  test('shows the end and the duration of a run that has ended', () => {
    const ended = { endedAt: '2026-11-24T02:38:00.000Z' };
    const done = withRun({ ...ended, state: 'completed_with_failures' }, { standing: 'ended' });
    expect(describeNext(done, style)).toEqual({ first: '02:38', second: 'took 1 h 38 min' });
    expect(findCause(done)).toEqual({ tone: 'idle', words: 'with failures' });
    const cancelled = withRun({ ...ended, state: 'cancelled' }, { standing: 'ended' });
    expect(describeNext(cancelled, style).second).toBe('cancelled after 1 h 38 min');
  });

  test('shows users with an unknown outcome rather than the completion', () => {
    const ended = withRun({ endedAt: running.asOf, state: 'completed', unknownUsers: 1200 }, { standing: 'ended' });
    expect(findCause(ended)).toEqual({ tone: 'warn', words: '1,200 unknown' });
  });

  test('shows a recurring campaign as scheduled, whatever the outcome of its last run', () => {
    const weekly: ListedCampaign = {
      ...campaign,
      standing: 'scheduled',
      state: 'failed',
      nextRunAt: '2026-11-30T01:00:00.000Z',
    };
    expect(displayStateOf(weekly)).toBe('scheduled');
    expect(describeNext(weekly, style)).toEqual({ first: '01:00', second: 'in 5 d 22 h' });
  });

  test('shows a draft as not scheduled, without numbers', () => {
    const draft: ListedCampaign = { ...campaign, standing: 'draft', state: 'draft', run: null };
    expect(describeNext(draft, style)).toEqual({ first: 'Not scheduled', second: 'created 02:00' });
    expect(describeSuccess(null)).toEqual({ first: '–', second: '' });
  });

  test('shows since when a campaign is archived, and its final state', () => {
    const archivedAt = '2026-11-24T02:40:00.000Z';
    const archived = withRun({ endedAt: running.asOf, state: 'completed' }, { standing: 'archived', archivedAt });
    expect(describeNext(archived, style)).toEqual({ first: 'Archived', second: '02:40' });
    expect(displayStateOf(archived)).toBe('completed');
  });
});

test('an audience is described by its first source', () => {
  const include = [{ list: 'aud_1' }, { segment: 'a' }];
  expect(describeAudience(campaign)).toBe('payday-active · revision 3');
  expect(describeAudience({ ...campaign, audience: { include } })).toBe('uploaded list and 1 more · revision 3');
});

test('up to four countries are listed, more are counted', () => {
  expect(formatCodes(['SG', 'VN'], 'country', 'countries')).toBe('SG, VN');
  expect(formatCodes(['A', 'B', 'C', 'D', 'E'], 'country', 'countries')).toBe('5 countries');
});
