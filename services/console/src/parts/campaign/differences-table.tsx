import type { RevisionDiff } from '#client/types.gen.ts';
import type { Column } from '../data-table/columns.tsx';
import { DataTable } from '../data-table/data-table.tsx';
import { titleOf } from '../words/action-titles.ts';
import { formatPlace } from './places.ts';

interface DifferencesTableProps {
  diff: RevisionDiff;
  /** Returns the name of the part at a JSON pointer. Default: the parts of a campaign. */
  placeOf?: (pointer: string) => string;
}

/** Differences between two revisions: the old value, struck through, beside the new value. */
export function DifferencesTable({ diff, placeOf = formatPlace }: DifferencesTableProps) {
  const { from, to, differences } = diff;
  if (differences.length === 0) return <p className="t2">No differences.</p>;
  const columns: readonly Column<RevisionDiff['differences'][number]>[] = [
    {
      header: 'Field',
      isRowHeader: true,
      width: 'w-32',
      look: 't2 font-normal wrap-anywhere text-left',
      cell: ({ pointer }) => placeOf(pointer),
    },
    {
      header: `Revision ${from}`,
      look: 't2 wrap-anywhere whitespace-pre-wrap',
      cell: ({ pointer, before }) => (before === undefined ? <NotThere /> : <del>{wordsAt(pointer, before)}</del>),
    },
    {
      header: `Revision ${to}`,
      look: 'font-medium wrap-anywhere whitespace-pre-wrap',
      cell: ({ pointer, after }) =>
        after === undefined ? <NotThere /> : <ins className="no-underline">{wordsAt(pointer, after)}</ins>,
    },
  ];
  return (
    <DataTable
      caption="Differences between the revisions"
      className="table-fixed [&>tbody>tr]:align-top"
      columns={columns}
      rows={differences}
      keyOf={({ pointer, before }) => `${pointer} ${before === undefined}`}
    />
  );
}

function NotThere() {
  return <span className="t3">not set</span>;
}

/** Formats action types as their titles, all other values by their type. */
function wordsAt(pointer: string, value: unknown): string {
  const isAction = /\/chain\/\d+\/(action|check\/type)$/.test(pointer);
  return isAction && typeof value === 'string' ? titleOf(value) : formatValue(value);
}

/** Formats texts unchanged, lists of texts with commas, all other values as JSON. */
export function formatValue(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ');
  return JSON.stringify(value);
}
