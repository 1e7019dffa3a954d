import type { ReactNode } from 'react';
import { formatCount } from '../words/numbers.ts';

export interface Column<Row> {
  /** Text of the header. It is unique within the table, because it identifies the column too. */
  header: string;
  /** Replaces the text of the header, such as a box that selects all rows. */
  head?: ReactNode;
  hint?: string;
  /** Hides the header visually, but not from screen readers. For columns of buttons, bars or row numbers. */
  isHeaderHidden?: boolean;
  /** Order of the rows, if they are sorted by this column. */
  sorted?: 'ascending' | 'descending';
  onSort?: () => void;
  cell: (row: Row) => ReactNode;
  below?: (row: Row) => ReactNode;
  /** Full text of a truncated cell. */
  title?: (row: Row) => string | null | undefined;
  /** Alignment of numbers and buttons; text is aligned to the left. */
  align?: 'right';
  /** Classes such as `w-20 phone:w-30`. Columns without a width share the remaining width. */
  width?: string;
  /** The widest screen that hides the column: 720 px for a phone, 960 px for a tablet. */
  hideBelow?: 'phone' | 'tablet';
  /** True if the column names the row: screen readers read it before the other cells. */
  isRowHeader?: boolean;
  look?: string | ((row: Row) => string | undefined);
}

export function actionsColumn<Row>(buttons: (row: Row) => ReactNode): Column<Row> {
  return {
    header: 'Actions',
    isHeaderHidden: true,
    align: 'right',
    cell: (row) => <span className="row justify-end flex-wrap phone:py-1">{buttons(row)}</span>,
  };
}

export function countColumn<Row>(
  header: string,
  countOf: (row: Row) => number,
  more?: Partial<Column<Row>>,
): Column<Row> {
  return { header, align: 'right', cell: (row) => formatCount(countOf(row)), ...more };
}

const hiddenBelow = { phone: 'wide', tablet: 'wide max-[960px]:hidden' } as const;

/** Returns the classes that the header and the cells of a column share; undefined if there are none. */
export function columnClasses<Row>({ align, hideBelow }: Column<Row>, ...more: (string | undefined)[]) {
  const all = [align && 'text-right', hideBelow && hiddenBelow[hideBelow], ...more];
  const classes = all.filter((each) => each !== undefined && each !== '');
  return classes.length === 0 ? undefined : classes.join(' ');
}
