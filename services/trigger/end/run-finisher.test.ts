import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { RunTally } from '../ports/run-store.ts';
import { createRunFinisher, isOver } from './run-finisher.ts';
import type { EndedSteps } from '../ports/step-endings.ts';

const fed = {
  fedUsers: 100,
  heldOutUsers: 0,
  canaryUsers: null,
  fedBatches: 1,
  fromStep: 1,
  complete: true,
  stalled: null,
  totals: [],
  flow: [],
};

/** A run that is being cancelled, with one feed and one batch that has not ended. */
const cancelling: RunTally = {
  runId: 'run',
  campaignId: 'campaign',
  chain: [{ action: 'award-reward' }],
  state: 'cancelling',
  stateReason: null,
  pauseAtFailed: null,
  failureBaseline: [],
  overdueMs: -1000,
  hasBudgets: false,
  canary: null,
  feeds: [{ feedId: 'feed', country: 'SG', ...fed }],
};

/**
 * Creates a finisher.
 * @param answers results of successive statements; the last result is repeated
 */
function setUp(answers: readonly EndedSteps[]) {
  const froms: number[] = [];
  const unused = () => Promise.reject(new Error('not used'));
  const finisher = createRunFinisher({
    runStore: { end: () => Promise.resolve(null) },
    stepEndings: {
      endOpen: (_feed, _outcome, { from }) => {
        froms.push(from);
        const answer = answers[froms.length - 1] ?? answers.at(-1);
        return answer ? Promise.resolve(answer) : unused();
      },
      endQuarantined: unused,
    },
    graceMs: 1000,
    figures: { ended: () => undefined },
    logger: pino({ level: 'silent' }),
  });
  return { finisher, froms };
}

const nothing = (next: number | null): EndedSteps => ({ ended: 0, passed: 0, next });

describe('a poll of a cancelled run', () => {
  it('makes 20 statements for a feed without steps to end, and continues after these windows at the next poll', async () => {
    const answers = Array.from({ length: 100 }, (_, nth) => nothing(nth + 2));
    const { finisher, froms } = setUp(answers);
    expect(await finisher.finish(cancelling)).toBe('waits');
    expect(froms).toEqual(Array.from({ length: 20 }, (_, nth) => nth + 1));
    await finisher.finish(cancelling);
    expect(froms.slice(20)).toEqual(Array.from({ length: 20 }, (_, nth) => nth + 21));
  });

  it('stops after the first window with ended steps, and requests the next poll at once', async () => {
    const { finisher, froms } = setUp([nothing(2001), { ended: 5, passed: 0, next: 4001 }]);
    expect(await finisher.finish(cancelling)).toBe('more');
    await finisher.finish(cancelling);
    expect(froms).toEqual([1, 2001, 4001]);
  });

  it('requests the next poll at once if it only deleted agenda entries of finished steps, because further entries may follow', async () => {
    const { finisher } = setUp([{ ended: 0, passed: 3, next: null }]);
    expect(await finisher.finish(cancelling)).toBe('more');
  });

  it('starts at the first batch again after the last window of batches', async () => {
    const { finisher, froms } = setUp([nothing(2001), nothing(null)]);
    await finisher.finish(cancelling);
    await finisher.finish(cancelling);
    expect(froms).toEqual([1, 2001, 1]);
  });

  it('forgets the windows of runs that have ended', async () => {
    const { finisher, froms } = setUp([{ ended: 5, passed: 0, next: 4001 }]);
    await finisher.finish(cancelling);
    finisher.keepOnly(new Set());
    await finisher.finish(cancelling);
    expect(froms).toEqual([1, 1]);
  });
});

describe('a run with a deadline', () => {
  const running: RunTally = { ...cancelling, state: 'running' };

  it.each([
    [-1, false],
    [0, true],
    [1, true],
  ])('is over %d ms after its deadline: %s', (overdueMs, expected) => {
    expect(isOver({ ...running, overdueMs })).toBe(expected);
  });

  it('is over before its deadline if it is cancelled', () => {
    expect(isOver(cancelling)).toBe(true);
  });

  it.each([
    [999, 0],
    [1000, 1],
  ])(
    'makes, %d ms after its deadline with a grace of 1000 ms, %d statements that end steps',
    async (overdueMs, statements) => {
      const { finisher, froms } = setUp([nothing(null)]);
      await finisher.finish({ ...running, overdueMs });
      expect(froms).toHaveLength(statements);
    },
  );
});
