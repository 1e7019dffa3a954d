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

function linesOf(concurrency: number) {
  let started = 0;
  const lines = createClientLines({ concurrency: 500, concurrencyOf: () => concurrency, start: () => started++ });
  return { lines, started: () => started };
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
