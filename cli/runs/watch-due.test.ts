import { expect, test } from 'vitest';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { createTestTerminal } from '../frame/test-terminal.ts';
import { campaign } from '../campaigns/sample-campaign.ts';
import { createDueDisplay } from './watch-due.ts';

const hourMs = 3_600_000;

/** Returns a campaign that is due this many hours after 1 January 2026. */
function campaignDueIn(hours: number) {
  const nextRunAt = new Date(Date.UTC(2026, 0, 1) + hours * hourMs).toISOString();
  return { ...campaign, nextRunAt, schedule: { type: 'at' as const, time: 'x', zone: 'Asia/Singapore' } };
}

test('without a terminal, the countdown to the start is printed repeatedly, less often while the start is far off', () => {
  const clock = createSettableClock();
  const terminal = createTestTerminal();
  const due = createDueDisplay(campaignDueIn(10), terminal, clock);

  for (let second = 0; second < 10 * 3600; second += 5) {
    due.show();
    clock.advance(5000);
  }

  const lines = terminal.written.notes.trimEnd().split('\n');
  expect(lines[0]).toBe('due 2026-01-01 18:00 Asia/Singapore, in 10 h 00 min');
  expect(lines[1]).toBe('due 2026-01-01 18:00 Asia/Singapore, in 9 h 00 min');
  expect(lines.length).toBeGreaterThan(20);
  expect(lines.length).toBeLessThan(60);
});

test('on a terminal, the countdown to the start is overwritten, and erased when the run begins', () => {
  const clock = createSettableClock();
  const terminal = createTestTerminal({ live: true });
  const due = createDueDisplay(campaignDueIn(1), terminal, clock);

  due.show();
  clock.advance(60_000);
  due.show();
  due.end();

  expect(terminal.written.pictures).toEqual([
    ['  due 2026-01-01 09:00 Asia/Singapore, in 1 h 00 min'],
    ['  due 2026-01-01 09:00 Asia/Singapore, in 59 min 00 s'],
    [],
  ]);
});

test('the countdown is refreshed frequently only shortly before the start', () => {
  const clock = createSettableClock();
  const due = createDueDisplay(campaignDueIn(1), createTestTerminal(), clock);
  expect(due.show()).toBe(5000);
  clock.advance(hourMs - 5000);
  expect(due.show()).toBe(250);
  clock.advance(6000);
  expect(due.show()).toBe(250);
});
