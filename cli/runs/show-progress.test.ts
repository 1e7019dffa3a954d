import { expect, test } from 'vitest';
import { cellsOf } from '../show/text.ts';
import { lineOf, progressOf } from './sample-run.ts';
import { createTestTerminal, type TestTerminal } from '../frame/test-terminal.ts';
import { createProgressDisplay } from './show-progress.ts';

/** Shows a run that ends ten users every quarter of a second. */
function watch(terminal: TestTerminal): void {
  let nowMs = 0;
  const display = createProgressDisplay(terminal, () => nowMs);
  for (let succeeded = 0; succeeded <= 100; succeeded += 10, nowMs += 250) {
    display.show(progressOf({ steps: [lineOf({ succeeded })] }));
  }
  display.end();
}

test('on a terminal, showProgress overwrites the bars at every update', () => {
  const terminal = createTestTerminal({ live: true });
  watch(terminal);
  expect(terminal.written.pictures).toHaveLength(11);
  expect(terminal.written.pictures[5]?.[0]).toContain('50 of 100       40/s 2 s left');
  expect(terminal.written.pictures.at(-1)?.[0]).toContain('100 %  100 of 100    done');
  expect(terminal.written.notes).toBe('');
});

test('in a narrow terminal, showProgress prints no line that wraps', () => {
  const terminal = createTestTerminal({ live: true, columns: 40, colours: { out: true, notes: true } });
  watch(terminal);
  expect(terminal.written.pictures.flat().filter((line) => cellsOf(line) > 40)).toEqual([]);
});

test('without a terminal, showProgress prints one line per second and always the last state', () => {
  const terminal = createTestTerminal();
  watch(terminal);
  expect(terminal.written.notes.trimEnd().split('\n')).toEqual([
    '00:00  running  award-reward 0 % (0, 0/s)',
    '00:01  running  award-reward 40 % (40, 40/s)',
    '00:02  running  award-reward 80 % (80, 40/s)',
    '00:02  running  award-reward 100 % (100, 40/s)',
  ]);
});
