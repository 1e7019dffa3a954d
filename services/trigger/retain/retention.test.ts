import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import type { FailedCount, KeptKind, Retention } from '../ports/retention-store.ts';
import { createRetention, type RetentionDays } from './retention.ts';

const hourMs = 3_600_000;

/**
 * Creates a retention that records its statements.
 * @param runsToDelete numbers of runs that successive statements find
 */
function createFixture(days: RetentionDays, runsToDelete: number[] = []) {
  /**
   * Numbers of rows that successive chunks find: rows of each kind, rows of dry runs, and runs whose receipts are
   * closed or counted.
   */
  const rows: Partial<Record<KeptKind | 'dry' | 'closing' | 'counting', number[]>> = {};
  const requested: string[] = [];
  const ask = (what: string, found = 0) => {
    requested.push(what);
    return Promise.resolve(found);
  };
  const heldUp = { weeks: 0, counted: 0 };
  const change = async (what: string) => ({ weeks: await ask(what), heldUp: heldUp.weeks });
  const failed: FailedCount[] = [];
  const effects = { days: 1 };
  const retention: Retention = {
    makeAhead: () => change('makeAhead'),
    effectDays: () => Promise.resolve(effects.days),
    dropWeeks: (kind, after) => change(`drop ${kind} after ${after}`),
    closeReceipts: (after) => ask(`close receipts after ${after}`, rows.closing?.shift()),
    countReceipts: async () => ({ runs: await ask('count receipts', rows.counting?.shift()), failed }),
    deleteStrays: (kind, after) => ask(`strays ${kind} after ${after}`, rows[kind]?.shift()),
    deleteRuns: (after) => ask(`runs after ${after}`, runsToDelete.shift() ?? 0),
    deleteDryRows: (after) => ask(`dry rows after ${after}`, rows.dry?.shift()),
    deleteAudiences: (after) => ask(`lists after ${after}`),
    deleteSuppressionUploads: (after) => ask(`uploads of opt-outs after ${after}`),
    deleteReplacedPeople: () => ask('replaced people'),
    failLostUploads: () => Promise.resolve(0),
    deleteAnswers: (after) => ask(`answers after ${after}`),
    deleteDeadLetters: (after) => ask(`dead letters after ${after}`),
    deleteChanges: (after) => ask(`changes after ${after}`),
    deleteSessions: () => ask('sessions that are over'),
  };
  const clock = createSettableClock();
  let isSweeper = true;
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line) => void lines.push(line) });
  const figures = { heldUp: (weeks: number) => void (heldUp.counted += weeks) };
  const turn = createRetention({ retention, days, isSweeper: () => isSweeper, figures, clock, logger });
  return { request: requested, clock, turn, heldUp, rows, failed, effects, lines, resign: () => (isSweeper = false) };
}

const usual = { users: 14, receipts: 7, steps: 30, failures: 90, runs: 400, audiences: 45 };

describe('the retention', () => {
  it('creates partitions first, then drops users, receipts, steps, failures and effects, and then deletes other rows in chunks', async () => {
    const { request, turn } = createFixture(usual);
    expect(await turn()).toBe(hourMs);
    expect(request).toEqual([
      'makeAhead',
      'drop users after 14',
      'drop receipts after 7',
      'drop steps after 30',
      'drop failures after 90',
      'drop effects after 1',
      'close receipts after 7',
      'count receipts',
      'strays users after 14',
      'strays receipts after 7',
      'strays steps after 30',
      'strays failures after 90',
      'strays effects after 1',
      'dry rows after 1',
      'runs after 400',
      'changes after 400',
      'lists after 45',
      'uploads of opt-outs after 45',
      'replaced people',
      'answers after 1',
      'sessions that are over',
      'dead letters after 30',
    ]);
  });

  it('keeps rows for ever if their retention is 0 days, and their runs as well', async () => {
    const { request, turn } = createFixture({ ...usual, failures: 0 });
    await turn();
    expect(request.filter((what) => /failures|runs|changes/.test(what))).toEqual([]);
  });

  it.each([
    [{ receipts: 7, failures: 90 }, 7],
    [{ receipts: 120, failures: 90 }, 90],
    [{ receipts: 0, failures: 90 }, 90],
    [{ receipts: 7, failures: 0 }, 7],
  ])('closes and counts receipts before it deletes receipts or failures: %o', async (days, after) => {
    const { request, turn } = createFixture({ ...usual, ...days });
    await turn();
    expect(request.filter((what) => what.startsWith('close'))).toEqual([`close receipts after ${after}`]);
    expect(request.indexOf('count receipts')).toBeLessThan(request.indexOf('strays users after 14'));
  });

  it('accepts receipts for ever if both receipts and failures are kept for ever', async () => {
    const { request, turn } = createFixture({ ...usual, receipts: 0, failures: 0 });
    await turn();
    expect(request.filter((what) => /receipts|failures|runs/.test(what))).toEqual([]);
  });

  it.each(['closing', 'counting'] as const)(
    'continues after a second while there are more runs whose receipts need %s',
    async (step) => {
      const { request, turn, rows } = createFixture(usual);
      rows[step] = [50, 49];
      expect(await turn()).toBe(1000);
      expect(request).not.toContain('runs after 400');
      expect(await turn()).toBe(hourMs);
    },
  );

  it('makes the other deletions and logs a warning if the receipts of a run cannot be counted', async () => {
    const { request, turn, failed, lines } = createFixture(usual);
    failed.push({ runId: 'run-a', err: new Error('canceling statement due to statement timeout') });
    await turn();
    expect(request).toContain('runs after 400');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('run-a');
    expect(lines[0]).toContain('canceling statement');
  });

  it.each([
    [{ users: 14, receipts: 14 }, false],
    [{ users: 14, receipts: 30 }, true],
    [{ users: 14, receipts: 30, failures: 10 }, false],
    [{ users: 14, receipts: 0, failures: 0 }, true],
    [{ users: 0, receipts: 30 }, false],
  ])('warns at its start if users are kept for fewer days than receipts are accepted: %o', (days, isWarned) => {
    const { lines } = createFixture({ ...usual, ...days });
    expect(lines.filter((line) => line.includes('only as long as users are kept'))).toHaveLength(isWarned ? 1 : 0);
  });

  it('keeps lists for ever if their retention is 0 days, and still deletes runs', async () => {
    const { request, turn } = createFixture({ ...usual, audiences: 0 });
    await turn();
    expect(request.filter((what) => /lists|runs/.test(what))).toEqual(['runs after 400']);
  });

  it('keeps a run as long as some of its rows are kept', async () => {
    const { request, turn } = createFixture({ ...usual, runs: 20 });
    await turn();
    expect(request).toContain('runs after 90');
  });

  it('keeps effects, and their runs, as long as the caps in force may count them', async () => {
    const { request, clock, turn, effects } = createFixture({ ...usual, failures: 10, steps: 10, runs: 20 });
    effects.days = 31;
    await turn();
    expect(request).toEqual(
      expect.arrayContaining(['drop effects after 31', 'strays effects after 31', 'runs after 31', 'changes after 31']),
    );
    effects.days = 8;
    clock.advance(hourMs);
    await turn();
    expect(request).toEqual(
      expect.arrayContaining(['drop effects after 8', 'strays effects after 8', 'runs after 20']),
    );
  });

  it('keeps runs for ever if the retention of their rows is 0 days, and still deletes effects', async () => {
    const { request, turn, effects } = createFixture({ ...usual, runs: 0 });
    effects.days = 31;
    await turn();
    expect(request).toContain('strays effects after 31');
    expect(request.filter((what) => /^(runs|changes)/.test(what))).toEqual([]);
  });

  it('continues after a second while more rows remain, and checks weekly partitions once an hour', async () => {
    const { request, clock, turn } = createFixture(usual, [50, 3]);
    expect(await turn()).toBe(1000);
    clock.advance(1000);
    expect(await turn()).toBe(hourMs - 1000);
    expect(request.filter((what) => what === 'makeAhead')).toHaveLength(1);
    clock.advance(hourMs);
    await turn();
    expect(request.filter((what) => what === 'makeAhead')).toHaveLength(2);
  });

  it.each(['users', 'receipts', 'steps', 'failures', 'effects', 'dry'] as const)(
    'deletes no run while rows of runs may be left: %s',
    async (kind) => {
      const { request, turn, rows } = createFixture(usual);
      rows[kind] = [5000, 4999];
      expect(await turn()).toBe(1000);
      expect(request).not.toContain('runs after 400');
      expect(request).toContain('changes after 400');
      expect(await turn()).toBe(hourMs);
      expect(request).toContain('runs after 400');
    },
  );

  it('tries again after five minutes to drop partitions that readers blocked, and deletes other rows meanwhile', async () => {
    const { request, clock, turn, heldUp } = createFixture(usual);
    heldUp.weeks = 1;
    const againInMs = await turn();
    expect(againInMs).toBe(300_000);
    expect(heldUp.counted).toBe(6);
    expect(request).toContain('runs after 400');
    heldUp.weeks = 0;
    clock.advance(againInMs);
    expect(await turn()).toBe(hourMs);
    expect(request.filter((what) => what === 'makeAhead')).toHaveLength(2);
  });

  it('runs only in the sweeper', async () => {
    const { request, turn, resign } = createFixture(usual);
    resign();
    await turn();
    expect(request).toEqual([]);
  });
});
