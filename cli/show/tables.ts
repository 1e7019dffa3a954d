import Table from 'cli-table3';
import type { Paint } from './paint.ts';
import { count } from './numbers.ts';
import { cellsOf, cutTo, oneLine, padTo } from './text.ts';

export interface Column {
  title: string;
  align: 'left' | 'right';
  /** Cells are truncated if the table is wider than the terminal. They must not be painted. */
  cut?: true;
}

/** Blanks on both sides of each cell, and between two cells. */
const spacings = [
  { padding: 1, middle: ' ' },
  { padding: 0, middle: '  ' },
  { padding: 0, middle: ' ' },
] as const;

type Spacing = (typeof spacings)[number];

const leastCells = 8;

/**
 * Renders columns separated by blanks, with a line under the head and without a box.
 * @param width terminal width in cells; the table fits into it if possible
 */
export function renderTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  paint: Paint,
  width = Infinity,
): string {
  const spacing = spacings.find((each) => widthOf(columns, rows, each) <= width) ?? spacings[2];
  const fitting = cutRows(columns, rows, widthOf(columns, rows, spacing) - width);
  const nothing = '';
  const table = new Table({
    head: columns.map(({ title }) => paint.faint(title)),
    colAligns: columns.map(({ align }) => align),
    style: { head: [], border: [], 'padding-left': spacing.padding, 'padding-right': spacing.padding },
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
      middle: spacing.middle,
    },
  });
  table.push(...fitting.map((row) => [...row]));
  return `${table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')}\n`;
}

function columnWidths(columns: readonly Column[], rows: readonly (readonly string[])[]): number[] {
  return columns.map(({ title }, index) => Math.max(cellsOf(title), ...rows.map((row) => cellsOf(row[index] ?? ''))));
}

function widthOf(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  { padding, middle }: Spacing,
): number {
  const texts = columnWidths(columns, rows).reduce((sum, cells) => sum + cells, 0);
  // The blanks after the last column are not printed.
  return 1 + texts + columns.length * 2 * padding + (columns.length - 1) * middle.length - padding;
}

/** Truncates the columns that permit it by the excess width, the widest first. */
function cutRows(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  tooMuch: number,
): readonly (readonly string[])[] {
  if (tooMuch <= 0 || !Number.isFinite(tooMuch)) return rows;
  const widths = columnWidths(columns, rows);
  let missing = tooMuch;
  const order = columns.map((_, index) => index).filter((index) => columns[index]?.cut);
  order.sort((a, b) => (widths[b] ?? 0) - (widths[a] ?? 0));
  for (const index of order) {
    const before = widths[index] ?? 0;
    const after = Math.min(before, Math.max(leastCells, before - missing));
    widths[index] = after;
    missing -= before - after;
  }
  return rows.map((row) => row.map((cell, index) => (columns[index]?.cut ? cutTo(cell, widths[index] ?? 0) : cell)));
}

export interface ItemColumn<Item> extends Column {
  of: (item: Item) => string;
  tone?: (item: Item) => keyof Paint | undefined;
  /** The column is left out if no item has a value. */
  isOptional?: true;
}

type More<Item> = Pick<ItemColumn<Item>, 'tone'>;

export function left<Item>(title: string, of: (item: Item) => string, more: More<Item> = {}): ItemColumn<Item> {
  return { title, align: 'left', of, ...more };
}

/** Returns a left-aligned column that is truncated if the table is wider than the terminal. */
export function cut<Item>(title: string, of: (item: Item) => string): ItemColumn<Item> {
  return { title, align: 'left', cut: true, of };
}

/** Returns a left-aligned column that is left out if no item has a value. */
export function optional<Item>(title: string, of: (item: Item) => string | null | undefined): ItemColumn<Item> {
  return { title, align: 'left', isOptional: true, of: (item) => of(item) ?? '' };
}

/** Returns a right-aligned column of numbers or preformatted texts. */
export function right<Item>(
  title: string,
  of: (item: Item) => string | number,
  more: More<Item> = {},
): ItemColumn<Item> {
  const textOf = (item: Item) => {
    const value = of(item);
    return typeof value === 'number' ? count(value) : value;
  };
  return { title, align: 'right', of: textOf, ...more };
}

/** Renders a line for each item. Control characters in texts are replaced, as they could steer the terminal. */
export function renderItems<Item>(
  items: readonly Item[],
  columns: readonly ItemColumn<Item>[],
  { paint, width }: { paint: Paint; width: number },
): string {
  const cellOf = (item: Item, { of, tone }: ItemColumn<Item>) => {
    const text = oneLine(of(item));
    const painted = tone?.(item);
    return painted === undefined ? text : paint[painted](text);
  };
  const used = columns.filter(({ isOptional, of }) => isOptional !== true || items.some((item) => of(item) !== ''));
  const rows = items.map((item) => used.map((column) => cellOf(item, column)));
  return renderTable(used, rows, paint, width);
}

/**
 * Returns a renderer for a list of items.
 * @param none text for an empty list
 */
export function tableOf<Item>(none: string, columns: readonly ItemColumn<Item>[]) {
  return ({ items }: { items: readonly Item[] }, view: { paint: Paint; width: number }): string =>
    items.length === 0 && none !== '' ? `${none}\n` : renderItems(items, columns, view);
}

/** Renders a name with a line of facts, followed by a line for each labelled fact. Undefined and null are omitted. */
export function renderFacts(
  head: { name: string; facts?: readonly string[] },
  facts: readonly (readonly [label: string, text: string | readonly string[] | null | undefined])[],
  { paint }: { paint: Paint },
): string {
  const rows = facts.flatMap(([label, text]) => {
    const texts = [text ?? []].flat();
    return texts.map((each, index) => ({ label: index === 0 ? label : '', text: oneLine(each) }));
  });
  const width = Math.max(0, ...rows.map(({ label }) => cellsOf(label)));
  const below = head.facts ? `  ${paint.faint(oneLine(head.facts.join(' · ')))}\n` : '';
  const lines = rows.map(({ label, text }) => `  ${paint.faint(padTo(oneLine(label), width))}  ${text}\n`);
  return `  ${paint.strong(oneLine(head.name))}\n${below}\n${lines.join('')}`;
}
