import { Fragment, useMemo, type ReactNode } from 'react';
import { Icon } from '../icon/icon.tsx';
import { useRowKeys } from '../keys/use-row-keys.ts';
import { SkeletonBar, usePatience } from '../standing/skeleton.tsx';
import { columnLook, type Column } from './columns.tsx';

interface DataTableProps<Row> {
  /** Names the table, and the order of its rows, to screen readers. */
  caption: string;
  /** Classes of the caption, which is hidden from sight without them. */
  captionLook?: string;
  columns: readonly Column<Row>[];
  /** Undefined while they are loaded: grey bars stand in for them. */
  rows: readonly Row[] | undefined;
  keyOf: (row: Row) => string | number;
  /** Rows of grey bars while the table is loaded. */
  loadingRows?: number;
  /** Rows of two lines. */
  isTall?: boolean;
  /** Hides all headers from sight. */
  isHeadHidden?: boolean;
  /** Classes of the table: its layout, its least width, the height of its rows. */
  className?: string;
  /** Highlights rows that are chosen or open. */
  isChosen?: (row: Row) => boolean;
  /**
   * J, K and the arrows go from row to row. In each row, what opens it carries `data-row-link`, and what selects it
   * `data-row-select`. `around`: a list around the table has these keys, for its cards too.
   */
  hasRowKeys?: boolean | 'around';
  /** Content below an open row, in the width of all columns; false for a row that is closed. */
  detail?: (row: Row) => ReactNode;
}

/** A table with its columns as data. Sorting and paging are the server's: the rows come in their order. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { caption, captionLook = 'sr-only', columns, rows, className, isHeadHidden, hasRowKeys = false } = props;
  return (
    <table className={className}>
      <caption className={captionLook}>{caption}</caption>
      {isHeadHidden && <Widths columns={columns} />}
      <thead className={isHeadHidden ? 'sr-only' : undefined}>
        <tr>
          {columns.map((column) => (
            <Head key={column.header} column={column} />
          ))}
        </tr>
      </thead>
      {hasRowKeys === true ? (
        <BodyWithKeys>{rows ? <Rows {...props} rows={rows} /> : <LoadingRows {...props} />}</BodyWithKeys>
      ) : (
        <tbody>{rows ? <Rows {...props} rows={rows} /> : <LoadingRows {...props} />}</tbody>
      )}
    </table>
  );
}

/** Widths of columns without visible headers: a header that is hidden from sight has no width. */
function Widths<Row>({ columns }: Pick<DataTableProps<Row>, 'columns'>) {
  return (
    <colgroup>
      {columns.map((column) => (
        <col key={column.header} className={columnLook(column, column.width)} />
      ))}
    </colgroup>
  );
}

function Head<Row>({ column }: { column: Column<Row> }) {
  const { header, head = header, hint, isHeaderHidden, sorted, onSort, width } = column;
  const words = sorted ? (
    <span className="inline-flex items-center gap-1.25">
      {header} <Icon name="dn" size={12} />
    </span>
  ) : (
    head
  );
  return (
    <th scope="col" className={columnLook(column, width)} title={hint} aria-sort={sorted}>
      {isHeaderHidden ? (
        <span className="sr-only">{header}</span>
      ) : onSort ? (
        <button type="button" className="hover:text-main" onClick={onSort}>
          {words}
        </button>
      ) : (
        words
      )}
    </th>
  );
}

/** The body of a table whose rows the keyboard goes through. */
function BodyWithKeys({ children }: { children: ReactNode }) {
  const body = useRowKeys<HTMLTableSectionElement>();
  return <tbody ref={body}>{children}</tbody>;
}

function Rows<Row>(props: DataTableProps<Row> & { rows: readonly Row[] }) {
  const { columns, rows, keyOf, isTall, isChosen, hasRowKeys, detail } = props;
  return rows.map((row) => {
    const opened = detail?.(row) ?? false;
    return (
      <Fragment key={keyOf(row)}>
        <BodyRow
          columns={columns}
          row={row}
          hasKeys={hasRowKeys !== undefined && hasRowKeys !== false}
          look={classesOf(isTall && 'tall', isChosen?.(row) && 'sel')}
        />
        {opened !== false && (
          <tr className="opened">
            <td colSpan={columns.length}>{opened}</td>
          </tr>
        )}
      </Fragment>
    );
  });
}

function classesOf(...classes: (string | false | undefined)[]): string | undefined {
  const given = classes.filter((each) => typeof each === 'string');
  return given.length === 0 ? undefined : given.join(' ');
}

interface BodyRowProps<Row> {
  columns: readonly Column<Row>[];
  row: Row;
  hasKeys: boolean;
  look: string | undefined;
}

/** A row that is drawn again only if it or the columns have changed: a reading changes a few of many rows. */
function BodyRow<Row>({ columns, row, hasKeys, look }: BodyRowProps<Row>) {
  return useMemo(
    () => (
      <tr className={look} data-row={hasKeys ? true : undefined}>
        {columns.map((column) => (
          <Cell key={column.header} column={column} row={row} />
        ))}
      </tr>
    ),
    [columns, row, hasKeys, look],
  );
}

function Cell<Row>({ column, row }: { column: Column<Row>; row: Row }) {
  const { cell, below, title, look, isRowHeader } = column;
  const own = typeof look === 'function' ? look(row) : look;
  const className = columnLook(column, below && 'two', own);
  const content = below ? (
    <>
      <div>{cell(row)}</div>
      <div>{below(row)}</div>
    </>
  ) : (
    cell(row)
  );
  const shared = { className, title: title?.(row) ?? undefined };
  return isRowHeader ? (
    <th scope="row" {...shared}>
      {content}
    </th>
  ) : (
    <td {...shared}>{content}</td>
  );
}

/** Widths of the bars in pixels: names are longer than numbers. */
const barOf = { first: 160, text: 100, number: 40 } as const;

/** Rows of grey bars, as high as real rows, so that nothing moves when those arrive. */
function LoadingRows<Row>({ columns, loadingRows = 4, isTall }: DataTableProps<Row>) {
  const hasBars = usePatience();
  return Array.from({ length: loadingRows }, (_, row) => (
    <tr key={row} className={isTall ? 'tall' : undefined} aria-hidden="true">
      {columns.map((column, place) => {
        const width = barOf[place === 0 ? 'first' : column.align === 'right' ? 'number' : 'text'];
        return (
          <td key={column.header} className={columnLook(column)}>
            {hasBars && <SkeletonBar width={width - ((row * 13 + place * 7) % 24)} />}
          </td>
        );
      })}
    </tr>
  ));
}
