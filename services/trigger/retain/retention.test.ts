import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import type { Retention } from './retention-store.port.ts';
import { createRetention, type RetentionDays } from './retention.ts';

const hourMs = 3_600_000;

/** A retention that writes down what it is asked for, and finds as many runs as the test says. */
function createFixture(days: RetentionDays, runsToDelete: number[] = []) {
  const asked: string[] = [];
  const ask = (what: string, found = 0) => {
    asked.push(what);
    return Promise.resolve(found);
  };
  const heldUp = { weeks: 0, counted: 0 };
  const change = async (what: string) => ({ weeks: await ask(what), heldUp: heldUp.weeks });
  const retention: Retention = {
    makeAhead: () => change('makeAhead'),
    dropWeeks: (kind, after) => change(`drop ${kind} after ${after}`),
    deleteStrays: (kind, after) => ask(`strays ${kind} after ${after}`),
    deleteRuns: (after) => ask(`runs after ${after}`, runsToDelete.shift() ?? 0),
    deleteDryRows: (after) => ask(`dry rows after ${after}`),
    deleteAudiences: (after) => ask(`lists after ${after}`),
    deleteReplacedPeople: () => ask('replaced people'),
    failLostUploads: () => Promise.resolve(0),
    deleteAnswers: (after) => ask(`answers after ${after}`),
    deleteDeadLetters: (after) => ask(`dead letters after ${after}`),
    deleteChanges: (after) => ask(`changes after ${after}`),
    deleteSessions: () => ask('sessions that are over'),
  };
  const clock = createSettableClock();
  let isSweeper = true;
  const logger = pino({ level: 'silent' });
  const figures = { heldUp: (weeks: number) => void (heldUp.counted += weeks) };
  const turn = createRetention({ retention, days, isSweeper: () => isSweeper, figures, clock, logger });
  return { asked, clock, turn, heldUp, resign: () => (isSweeper = false) };
}

const usual = { users: 14, steps: 30, failures: 90, runs: 400, audiences: 45 };

describe('retention', () => {
  it('makes room first, then drops users before steps before failures, then deletes in chunks', async () => {
    const { asked, turn } = createFixture(usual);
    expect(await turn()).toBe(hourMs);
    expect(asked).toEqual([
      'makeAhead',
      'drop users after 14',
      'drop steps after 30',
      'drop failures after 90',
      'strays users after 14',
      'strays steps after 30',
      'strays failures after 90',
      'dry rows after 1',
      'runs after 400',
      'changes after 400',
      'lists after 45',
      'replaced people',
      'answers after 1',
      'sessions that are over',
      'dead letters after 30',
    ]);
  });

  it('keeps for ever what is to be kept for 0 days, and with it its run', async () => {
    const { asked, turn } = createFixture({ ...usual, failures: 0 });
    await turn();
    expect(asked.filter((what) => /failures|runs|changes/.test(what))).toEqual([]);
  });

  it('keeps lists for ever where they are to be kept for 0 days, and no longer for runs', async () => {
    const { asked, turn } = createFixture({ ...usual, audiences: 0 });
    await turn();
    expect(asked.filter((what) => /lists|runs/.test(what))).toEqual(['runs after 400']);
  });

  it('keeps runs as long as anything of theirs', async () => {
    const { asked, turn } = createFixture({ ...usual, runs: 20 });
    await turn();
    expect(asked).toContain('runs after 90');
  });

  it('goes on soon while there is more to delete, and looks at weeks once an hour', async () => {
    const { asked, clock, turn } = createFixture(usual, [50, 3]);
    expect(await turn()).toBe(1000);
    clock.advance(1000);
    expect(await turn()).toBe(hourMs - 1000);
    expect(asked.filter((what) => what === 'makeAhead')).toHaveLength(1);
    clock.advance(hourMs);
    await turn();
    expect(asked.filter((what) => what === 'makeAhead')).toHaveLength(2);
  });

  it('tries again in minutes what readers held up, counts it, and deletes meanwhile', async () => {
    const { asked, clock, turn, heldUp } = createFixture(usual);
    heldUp.weeks = 1;
    const againInMs = await turn();
    expect(againInMs).toBe(300_000);
    expect(heldUp.counted).toBe(4);
    expect(asked).toContain('runs after 400');
    heldUp.weeks = 0;
    clock.advance(againInMs);
    expect(await turn()).toBe(hourMs);
    expect(asked.filter((what) => what === 'makeAhead')).toHaveLength(2);
  });

  it('is done by the sweeper alone', async () => {
    const { asked, turn, resign } = createFixture(usual);
    resign();
    await turn();
    expect(asked).toEqual([]);
  });
});
