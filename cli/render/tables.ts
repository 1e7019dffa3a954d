import Table from 'cli-table3';
import type { Paint } from './paint.ts';

export interface Column {
  title: string;
  align: 'left' | 'right';
}

/** Columns apart by blanks, one line under the head, no box. */
export function renderTable(columns: readonly Column[], rows: readonly (readonly string[])[], paint: Paint): string {
  const nothing = '';
  const table = new Table({
    head: columns.map(({ title }) => paint.faint(title)),
    colAligns: columns.map(({ align }) => align),
    style: { head: [], border: [], 'padding-left': 1, 'padding-right': 1 },
    chars: {
      top: nothing,
      'top-mid': nothing,
      'top-left': nothing,
      'top-right': nothing,
      bottom: nothing,
      'bottom-mid': nothing,
      'bottom-left': nothing,
      'bottom-right': nothing,
      left: ' ',
      'left-mid': nothing,
      mid: nothing,
      'mid-mid': nothing,
      right: nothing,
      'right-mid': nothing,
      middle: ' ',
    },
  });
  table.push(...rows.map((row) => [...row]));
  return `${table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}
