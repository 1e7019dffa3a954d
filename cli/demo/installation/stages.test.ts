import { expect, test } from 'vitest';
import { createTestTerminal } from '../../frame/test-terminal.ts';
import { createStages } from './stages.ts';

test('a finished stage prints one line with its outcome and duration', async () => {
  const terminal = createTestTerminal();
  let nowMs = 0;
  const stages = createStages(terminal, () => nowMs);
  const result = await stages.run('services', (report) => {
    report('fetching Kafka');
    nowMs = 3000;
    return Promise.resolve({ result: 7, outcome: 'all five' });
  });
  expect(result).toBe(7);
  expect(terminal.written.notes).toBe(
    '  … services               fetching Kafka\n  ✔ services               all five (3 s)\n',
  );
});

test('a failed stage is marked as failed and rethrows its cause', async () => {
  const terminal = createTestTerminal();
  const stages = createStages(terminal, () => 0);
  await expect(stages.run('services', () => Promise.reject(new Error('no Java')))).rejects.toThrow('no Java');
  expect(terminal.written.notes).toBe('  ✖ services\n');
});

test('a stage in progress overwrites its line on a terminal, never wraps and is erased at the end', async () => {
  const terminal = createTestTerminal({ live: true, columns: 40 });
  await createStages(terminal, () => 0).run('services', (report) => {
    report('x'.repeat(100));
    return Promise.resolve({ result: undefined, outcome: 'done' });
  });
  const { pictures, notes } = terminal.written;
  expect(pictures.flat().filter((line) => line.length >= 40)).toEqual([]);
  expect(pictures).toHaveLength(3);
  expect(pictures.at(-1)).toEqual([]);
  expect(notes).toBe('  ✔ services               done (0 s)\n');
});
