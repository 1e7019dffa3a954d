import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryDatabase, type MemoryDatabase } from '../../test/support/memory/memory-database.ts';
import { createMemoryLeases } from '../../test/support/memory/leases.ts';
import { passTime } from '../../test/support/pass-time.ts';
import { createSettableClock, type SettableClock } from '../../test/support/settable-clock.ts';
import { createLedgerChecker, type LedgerChecker } from './ledger-checker.ts';
import type { CheckedLedger } from './ports/ledger-check.ts';

const clientId = '01890a5d-ac96-774b-bcce-b302099a8057';

describe('the check of the ledger', () => {
  let clock: SettableClock;
  let database: MemoryDatabase;
  let errors: object[];
  let asked: number[][];
  let jobs: number;
  let found: CheckedLedger[];
  beforeEach(() => {
    clock = createSettableClock();
    database = createMemoryDatabase(clock);
    [errors, asked, jobs, found] = [[], [], 0, []];
  });

  function checkerOf(owner: string): LedgerChecker {
    const logger = pino({ level: 'silent' });
    logger.error = (facts: object) => void errors.push(facts);
    const ledger = {
      expectedInAll: () => Promise.resolve(jobs),
      check: (partitions: readonly number[]) => {
        asked.push([...partitions]);
        return Promise.resolve(found);
      },
    };
    return createLedgerChecker({ ledger, leases: createMemoryLeases({ database }), owner, clock, logger });
  }

  it('counts everything once a minute, and says nothing of what balances', async () => {
    const checker = checkerOf('one');
    found = [{ clientId, expected: 5, counted: 5 }];
    checker.start();
    await passTime(clock, 130_000);
    await checker.stop();
    expect(asked.map(({ length }) => length)).toEqual([64, 64, 64]);
    expect(errors).toEqual([]);
  });

  it('names a client of which a job is missing', async () => {
    const checker = checkerOf('one');
    found = [{ clientId, expected: 5, counted: 4 }];
    checker.start();
    await passTime(clock, 10);
    await checker.stop();
    expect(errors).toMatchObject([{ expected: 5, counted: 4, partitions: 64 }]);
  });

  it('counts a part of many jobs, and another part each time', async () => {
    const checker = checkerOf('one');
    jobs = 16_000_000;
    checker.start();
    await passTime(clock, 70_000);
    await checker.stop();
    expect(asked).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
    ]);
  });

  it('is made by one process of several, and by another when that has stopped', async () => {
    const [one, other] = [checkerOf('one'), checkerOf('other')];
    one.start();
    await passTime(clock, 10);
    other.start();
    await passTime(clock, 50_000);
    expect(asked).toHaveLength(1);
    await one.stop();
    await passTime(clock, 60_000);
    await other.stop();
    expect(asked).toHaveLength(2);
  });
});
