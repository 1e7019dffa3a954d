import { expect, test } from 'vitest';
import type { RunProgress } from '#client/types.gen.ts';
import { isFinalMessage, linesFor, parseLiveMessage } from './live-messages.ts';

const progress: RunProgress = {
  runId: 'run_1',
  kind: 'live',
  canary: null,
  variantChoice: null,
  parentRunId: null,
  campaignId: 'cmp_1',
  campaignName: 'x',
  revision: 1,
  state: 'running',
  stateReason: null,
  scheduledFor: '',
  startedAt: null,
  endedAt: null,
  stateSince: null,
  deadlineAt: null,
  settings: { priority: 'normal', paceUsersPerSecond: null, pauseAtFailedPercent: null, pauseAtFailedMinUsers: 1000 },
  asOf: '',
  audience: { estimated: null, counted: 0, excluded: 0, complete: false },
  steps: [],
  countries: [],
  variants: [],
  undecidedUsers: 0,
  balanced: true,
  budgets: [],
  notes: [],
  stalled: null,
  stall: null,
  waitingSince: null,
  inFlight: 0,
  waitingForRetry: 0,
  usersPerSecond: { oneMinute: 0, tenMinutes: 0, fed: 0, through: 0 },
  eta: null,
  waits: [],
};
const counts = { all: 3, needsAttention: 1, running: 1, paused: 0, scheduled: 0, ended: 2, draft: 0, archived: 4 };

test('a progress event belongs to its run, an event with counts to the list, and other events to neither', () => {
  expect(parseLiveMessage('progress', progress, 'all')).toEqual({ topic: 'run_1', progress, isWhole: true });
  expect(parseLiveMessage('campaigns', counts, 'steps')).toEqual({ topic: 'campaigns', counts });
  expect(parseLiveMessage('end', progress, 'all')).toBeUndefined();
});

test('the progress of an ended run is final; the list has no final message', () => {
  const ended = { ...progress, endedAt: '2026-11-24T02:42:00.000Z' };
  expect(isFinalMessage({ topic: 'run_1', progress, isWhole: true })).toBe(false);
  expect(isFinalMessage({ topic: 'run_1', progress: ended, isWhole: true })).toBe(true);
  expect(isFinalMessage({ topic: 'campaigns', counts })).toBe(false);
});

test('a list requests progress without countries, the page of a run with them, and both are distinguished', () => {
  expect(parseLiveMessage('progress', progress, 'steps')).toEqual({ topic: 'run_1', progress, isWhole: false });
  expect(linesFor(['campaigns', 'run_1'])).toBe('steps');
  expect(linesFor(['run_1'])).toBe('all');
});
