import { describe, expect, it } from 'vitest';
import { readCron } from './cron.ts';
import { instantsFrom, nextInstantMs, type Recurrence } from './recurrence.ts';

const atMs = (text: string) => Date.parse(`2026-03-01T${text}Z`);

/** Returns only the first times, because a recurrence without an end has no last one. */
function times(recurrence: Recurrence, from: string): string[] {
  const found: string[] = [];
  for (const { atMs: eachMs } of instantsFrom(recurrence, atMs(from))) {
    found.push(new Date(eachMs).toISOString().slice(11, 16));
    if (found.length === 5) break;
  }
  return found;
}

const hourly = readCron('0 * * * *');
if (!hourly.ok) throw new Error(hourly.detail);

describe('a recurrence with an end', () => {
  const range = { fromMs: atMs('09:00'), untilMs: atMs('11:00') };

  it.each<[string, Recurrence]>([
    ['interval', { kind: 'interval', everyMs: 3_600_000, ...range }],
    ['cron', { kind: 'cron', cron: hourly.cron, zone: 'UTC', ...range }],
  ])('fires at its end and not after it: %s', (_kind, recurrence) => {
    expect(times(recurrence, '00:00')).toEqual(['09:00', '10:00', '11:00']);
    expect(times(recurrence, '10:30')).toEqual(['11:00']);
    expect(nextInstantMs(recurrence, atMs('11:00'))).toBeNull();
  });
});
