import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ClientDefinition } from '../../../shared/contracts/jobs/clients.ts';
import type { Client } from '../../../shared/ports/clients.ts';
import { clientOf, newClientOf } from '../../../test/support/clients.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import { createSettableClock, type SettableClock } from '../../../test/support/settable-clock.ts';
import { createClientUsage, type ClientUsage, type JobCounts } from './client-usage.ts';

const limited = (definition: Partial<ClientDefinition>) => clientOf(newClientOf('orders', { definition }));

describe('the check of a client’s limits', () => {
  let clock: SettableClock;
  /** Counts of the jobs of all processes together. */
  let counts: JobCounts;
  let usage: ClientUsage;
  beforeEach(() => {
    clock = createSettableClock();
    counts = { accepted: 0, stored: 0 };
    const figures = {
      counts: (ids: readonly string[]) => Promise.resolve(new Map(ids.map((id) => [id, { ...counts }]))),
    };
    usage = createClientUsage({ figures, clock, logger: pino({ level: 'silent' }) });
    usage.start();
  });

  function taken(client: Client, wanted: number): number {
    return Array.from({ length: wanted }, () => usage.reserve(client)).filter(({ kind }) => kind === 'room').length;
  }

  it('allows the jobs of one second at once, and as many again each second', async () => {
    const client = limited({ acceptPerSecond: 100 });
    expect(taken(client, 300)).toBe(100);
    expect(usage.reserve(client)).toEqual({ kind: 'rate', retryAfterSeconds: 1 });
    await passTime(clock, 500);
    expect(taken(client, 300)).toBe(50);
    await usage.stop();
  });

  it('allows a smaller share of the rate while other processes also accept jobs of the client', async () => {
    const client = limited({ acceptPerSecond: 100 });
    taken(client, 10);
    await passTime(clock, 1000);
    counts = { accepted: 10, stored: 10 };
    await passTime(clock, 1000);
    counts = { accepted: 80, stored: 80 };
    await passTime(clock, 1000);
    expect(taken(client, 300)).toBeLessThanOrEqual(100);
    await passTime(clock, 1000);
    expect(taken(client, 300)).toBeLessThanOrEqual(100);
    await usage.stop();
  });

  it('refuses jobs at the maximum of stored jobs, and allows jobs again when some have ended', async () => {
    const client = limited({ maxStoredJobs: 30 });
    expect(taken(client, 50)).toBe(30);
    expect(usage.reserve(client)).toEqual({ kind: 'quota', stored: 30 });
    counts = { accepted: 30, stored: 10 };
    await passTime(clock, 2000);
    expect(taken(client, 50)).toBe(20);
    await usage.stop();
  });

  it('does not count jobs that turned out to be stored already', async () => {
    const client = limited({ maxStoredJobs: 1 });
    expect(taken(client, 2)).toBe(1);
    usage.release(client, 1);
    expect(taken(client, 2)).toBe(1);
    await usage.stop();
  });

  it('allows any number of jobs without a limit', async () => {
    expect(taken(limited({}), 5000)).toBe(5000);
    await usage.stop();
  });
});
