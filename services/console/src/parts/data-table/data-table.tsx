import { Fragment, useMemo, type ReactNode } from 'react';
import { Icon } from '../icon/icon.tsx';
import { useRowKeys } from '../keys/use-row-keys.ts';
import { SkeletonBar, useHasWaited } from '../standing/skeleton.tsx';
import { columnClasses, type Column } from './columns.tsx';

interface DataTableProps<Row> {
  /** Describes the table and the order of its rows for screen readers. */
  caption: string;
  /** Classes of the caption. Without them, the caption is hidden visually. */
  captionLook?: string;
  columns: readonly Column<Row>[];
  /** Rows of the table. While they are loaded, the value is undefined and grey bars replace them. */
  rows: readonly Row[] | undefined;
  keyOf: (row: Row) => string | number;
  /** Number of grey bars while the table is loaded. */
  loadingRows?: number;
  isTall?: boolean;
  isHeadHidden?: boolean;
  /** Classes of the table, such as its layout, minimum width and height of rows. */
  className?: string;
  isChosen?: (row: Row) => boolean;
  /**
   * True if J, K and the arrows move between rows. In each row, the link carries `data-row-link`, and the checkbox
   * `data-row-select`. `around`: a list around the table handles these keys, for its cards too.
   */
  hasRowKeys?: boolean | 'around';
  /** Content below an open row, as wide as the table; false if the row is closed. */
  detail?: (row: Row) => ReactNode;
}

/** A table whose columns are data. The server sorts and pages: rows are shown in their given order. */
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

/** Widths of the columns, for tables without visible headers: a visually hidden header has no width. */
function Widths<Row>({ columns }: Pick<DataTableProps<Row>, 'columns'>) {
  return (
    <colgroup>
      {columns.map((column) => (
        <col key={column.header} className={columnClasses(column, column.width)} />
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
    <th scope="col" className={columnClasses(column, width)} title={hint} aria-sort={sorted}>
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

/** Body of a table whose rows are reachable by keyboard. */
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

/** A row that renders again only if the row or the columns have changed: an update changes few of many rows. */
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
  const className = columnClasses(column, below && 'two', own);
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

/** Widths of the grey bars in pixels: names are longer than numbers. */
const barOf = { first: 160, text: 100, number: 40 } as const;

/** Grey bars as high as real rows, so that the page does not move when the rows arrive. */
function LoadingRows<Row>({ columns, loadingRows = 4, isTall }: DataTableProps<Row>) {
  const hasBars = useHasWaited();
  return Array.from({ length: loadingRows }, (_, row) => (
    <tr key={row} className={isTall ? 'tall' : undefined} aria-hidden="true">
      {columns.map((column, place) => {
        const width = barOf[place === 0 ? 'first' : column.align === 'right' ? 'number' : 'text'];
        return (
          <td key={column.header} className={columnClasses(column)}>
            {hasBars && <SkeletonBar width={width - ((row * 13 + place * 7) % 24)} />}
          </td>
        );
      })}
    </tr>
  ));
}
