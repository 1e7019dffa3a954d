import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { createMemoryDatabase, type MemoryDatabase } from '../../test/support/memory/memory-database.ts';
import { createMemoryLeases } from '../../test/support/memory/leases.ts';
import { passTime } from '../../test/support/pass-time.ts';
import { createSettableClock, type SettableClock } from '../../test/support/settable-clock.ts';
import { createLedgerChecker, type LedgerChecker } from './ledger-checker.ts';
import { createPrometheusMeter } from '../../shared/runtime/meter/prometheus-meter.ts';
import type { Meter } from '../../shared/ports/meter.ts';
import type { CheckedLedger } from './ports/ledger-check.ts';

const clientId = '01890a5d-ac96-774b-bcce-b302099a8057';

describe('the ledger check of the scheduler', () => {
  let clock: SettableClock;
  let database: MemoryDatabase;
  let errors: object[];
  let requested: number[][];
  let jobs: number;
  let found: CheckedLedger[];
  const names = new Map([[clientId, 'orders']]);
  beforeEach(() => {
    clock = createSettableClock();
    database = createMemoryDatabase(clock);
    [errors, requested, jobs, found] = [[], [], 0, []];
  });

  const lines = { blocked: 0, blockedKeys: 0, oldestBlockedMs: 0 };
  const nothing = { due: 0, oldestDueMs: 0, sidelined: 0, ...lines, dead: 0, hosts: 0 };

  function checkerOf(owner: string, meter?: Meter): LedgerChecker {
    const logger = pino({ level: 'silent' });
    logger.error = (facts: object) => void errors.push(facts);
    const ledger = {
      expectedInAll: () => Promise.resolve(jobs),
      check: (partitions: readonly number[]) => {
        requested.push([...partitions]);
        return Promise.resolve(found);
      },
    };
    const nameOf = (id: string) => names.get(id);
    return createLedgerChecker({
      ledger,
      leases: createMemoryLeases({ database }),
      nameOf,
      owner,
      clock,
      logger,
      meter,
    });
  }

  it('counts all jobs once a minute, and logs nothing if they balance', async () => {
    const checker = checkerOf('one');
    found = [{ ...nothing, clientId, expected: 5, counted: 5 }];
    checker.start();
    await passTime(clock, 130_000);
    await checker.stop();
    expect(requested.map(({ length }) => length)).toEqual([64, 64, 64]);
    expect(errors).toEqual([]);
  });

  it('logs a client with a missing job', async () => {
    const checker = checkerOf('one');
    found = [{ ...nothing, clientId, expected: 5, counted: 4 }];
    checker.start();
    await passTime(clock, 10);
    await checker.stop();
    expect(errors).toMatchObject([{ expected: 5, counted: 4, partitions: 64 }]);
  });

  it('counts only some partitions if there are many jobs, and other partitions at each check', async () => {
    const checker = checkerOf('one');
    jobs = 16_000_000;
    checker.start();
    await passTime(clock, 70_000);
    await checker.stop();
    expect(requested).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
    ]);
  });

  it('reports the waiting jobs of the 20 clients with the most of them, and the sum of all other clients', async () => {
    const meter = createPrometheusMeter({ logger: pino({ level: 'silent' }) });
    jobs = 16_000_000;
    const few = Array.from(
      { length: 25 },
      (_, index) => `0189${String(index).padStart(4, '0')}-ac96-774b-bcce-b302099a8057`,
    );
    const figures = { ...lines, expected: 0, counted: 0, due: 2, oldestDueMs: 5000, sidelined: 1, dead: 3, hosts: 1 };
    found = [
      {
        ...figures,
        clientId,
        due: 100,
        oldestDueMs: 90_000,
        blockedKeys: 3,
        oldestBlockedMs: 7000,
        hosts: 7,
        dead: 44,
      },
      ...few.map((each) => ({ ...figures, clientId: each })),
      { ...nothing, clientId: 'well', expected: 0, counted: 0 },
    ];
    const checker = checkerOf('one', meter);
    checker.start();
    await passTime(clock, 10);
    const { text } = await meter.expose();
    const linesOf = (name: string) => text.split('\n').filter((line) => line.startsWith(`${name}{`));
    // The check counted a sixteenth of the partitions, so it multiplies its counts by 16.
    expect(text).toContain('muster_client_due_jobs{client="orders"} 1600\n');
    expect(text).toContain('muster_client_due_jobs{client="(others)"} 192\n');
    expect(linesOf('muster_client_due_jobs')).toHaveLength(21);
    expect(text).toContain('muster_client_oldest_due_seconds{client="orders"} 90\n');
    expect(text).toContain('muster_client_oldest_due_seconds{client="(others)"} 5\n');
    expect(text).toContain('muster_client_open_hosts{client="orders"} 7\n');
    // The check counts blocked keys, dead jobs and sidelined jobs in all partitions.
    expect(text).toContain('muster_client_blocked_keys{client="orders"} 3\n');
    expect(text).toContain('muster_client_oldest_blocked_seconds{client="orders"} 7\n');
    expect(text).toContain('muster_client_dead_jobs{client="(others)"} 18\n');
    expect(text).toContain('muster_client_sidelined_jobs{client="(others)"} 96\n');
    await checker.stop();
  });

  it('is made by one of several processes, and by another after the first one stops', async () => {
    const [one, other] = [checkerOf('one'), checkerOf('other')];
    one.start();
    await passTime(clock, 10);
    other.start();
    await passTime(clock, 50_000);
    expect(requested).toHaveLength(1);
    await one.stop();
    await passTime(clock, 60_000);
    await other.stop();
    expect(requested).toHaveLength(2);
  });
});
