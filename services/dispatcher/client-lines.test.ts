import { expect, it } from 'vitest';
import { createClientLines } from './client-lines.ts';
import { heldJobOf } from './held-job.ts';

const jobOf = (clientId: string, number: number) =>
  heldJobOf(
    {
      ...{ partition: 1, dueUs: number, jobId: `${clientId}-${number}`, clientId, epoch: 1, attempt: 1 },
      ...{
        scheduledForMs: 0,
        claimedAtMs: 0,
        expiresInMs: null,
        method: 'POST',
        url: 'https://shop.test/',
        headers: null,
        body: null,
      },
    },
    0,
    90_000,
  );
const jobsOf = (clientId: string, count: number) =>
  Array.from({ length: count }, (_, number) => jobOf(clientId, number));

function linesOf(concurrency: number, total = 500) {
  const begun: string[] = [];
  const lines = createClientLines({
    ...{ concurrency: total, maxWaiting: 600, concurrencyOf: () => concurrency },
    start: ({ clientId }) => begun.push(clientId),
  });
  return { lines, started: () => begun.length, startedOf: (id: string) => begun.filter((of) => of === id).length };
}

it('has room for two rounds of slots while calls take longer than claims', () => {
  const { lines, started } = linesOf(10);
  expect(lines.roomOf('a')).toBe(20);
  lines.add(jobsOf('a', 20));
  expect(started()).toBe(10);
  expect(lines.roomOf('a')).toBe(0);
  for (let ended = 0; ended < 4; ended++) lines.done('a');
  expect(lines.roomOf('a')).toBe(4);
});

it('has room for what quick calls will get through until the next claims come', () => {
  const { lines } = linesOf(10);
  lines.add(jobsOf('a', 20));
  for (let ended = 0; ended < 20; ended++) lines.done('a');
  expect(lines.roomOf('a')).toBe(50);
  lines.endRound();
  expect(lines.roomOf('a')).toBe(50);
});

it('forgets the pace of a client that had nothing to call for a round', () => {
  const { lines } = linesOf(10);
  lines.add(jobsOf('a', 20));
  for (let ended = 0; ended < 20; ended++) lines.done('a');
  lines.endRound();
  lines.endRound();
  expect(lines.roomOf('a')).toBe(20);
});

it('leaves slots and claims to whoever comes, however many clients have calls that hang', () => {
  const { lines, startedOf } = linesOf(100, 100);
  for (let client = 0; client < 30; client++) {
    const id = `hanging-${client}`;
    lines.add(jobsOf(id, lines.roomOf(id)));
  }
  // What they hold beyond the sum is one call and one claim of each.
  expect(lines.inFlight).toBeLessThanOrEqual(100 + 30);
  expect(lines.waiting).toBeLessThanOrEqual(600 + 30);
  expect(lines.roomOf('new')).toBe(1);
  lines.add(jobsOf('new', 1));
  expect(startedOf('new')).toBe(1);
});

it('shares claims that are made at once: what is for others is not free any more', () => {
  const { lines } = linesOf(1000, 1000);
  expect(lines.roomOf('a', 0)).toBe(300);
  expect(lines.roomOf('b', 300)).toBe(150);
});

it('gives a client that is alone half of all slots, and what another gives back to who waits', () => {
  const { lines, startedOf } = linesOf(100, 100);
  lines.add(jobsOf('a', 100));
  expect(startedOf('a')).toBe(50);
  lines.add(jobsOf('b', 100));
  expect(startedOf('b')).toBe(25);
  for (let ended = 0; ended < 20; ended++) lines.done('a');
  expect(startedOf('b')).toBeGreaterThan(30);
});
