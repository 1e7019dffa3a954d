import { expect, it } from 'vitest';
import { summaryOf } from './summary.ts';

it('the summary names the machine, prints every table and names each benchmark that failed', () => {
  const at = '2026-01-02T03:04:05.000Z';
  const page = summaryOf(
    {
      startedAt: new Date(at),
      foreignLoad: 0.034,
      failures: [{ question: 'peers', cause: 'there is no redis-server' }],
    },
    [
      {
        name: 'scaling',
        result: {
          question: 'Do more workers do more?',
          machine: 'm',
          at,
          tables: [{ title: 'Equal workers', rows: [{ workers: 1, 'batches/s': 1234.5, note: null }] }],
        },
      },
      {
        name: 'chain',
        result: {
          question: 'What does a batch cost?',
          machine: 'm',
          at,
          cases: [
            { case: 'bare', unit: 'batches/s', median: 3, min: 2, max: 4, ratio: null, cpuMicrosPerBatch: { loop: 7 } },
          ],
        },
      },
    ],
  );
  expect(page).toContain(`Node ${process.version}. Begun ${at}; others on this machine took 3 % of its cores`);
  expect(page).toContain('**Equal workers**\n\n| workers | batches/s | note |\n|---:|---:|---:|\n| 1 | 1,234.5 | – |');
  expect(page).toContain('| bare | batches/s | 3 | 2 to 4 | – | loop 7 |');
  expect(page).toContain('## peers\n\nNo answer: there is no redis-server');
});
