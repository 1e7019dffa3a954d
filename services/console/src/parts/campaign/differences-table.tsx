import type { RevisionDiff } from '#client/types.gen.ts';
import { titleOf } from '../words/action-titles.ts';
import { placeInWords } from './places.ts';

interface DifferencesTableProps {
  diff: RevisionDiff;
  /** Which part a JSON pointer means; of a campaign unless given. */
  placeOf?: (pointer: string) => string;
}

/** What differs between two revisions: what was, struck, beside what is. */
export function DifferencesTable({ diff, placeOf = placeInWords }: DifferencesTableProps) {
  const { from, to, differences } = diff;
  if (differences.length === 0) return <p className="t2">Nothing differs.</p>;
  return (
    <table className="table-fixed">
      <thead>
        <tr>
          <th scope="col" className="w-32">
            What
          </th>
          <th scope="col">Revision {from}</th>
          <th scope="col">Revision {to}</th>
        </tr>
      </thead>
      <tbody>
        {differences.map(({ pointer, before, after }) => (
          <tr key={`${pointer} ${before === undefined}`} className="align-top">
            <th scope="row" className="t2 font-normal wrap-anywhere text-left">
              {placeOf(pointer)}
            </th>
            <td className="t2 wrap-anywhere whitespace-pre-wrap">
              {before === undefined ? <NotThere /> : <del>{wordsAt(pointer, before)}</del>}
            </td>
            <td className="font-medium wrap-anywhere whitespace-pre-wrap">
              {after === undefined ? <NotThere /> : <ins className="no-underline">{wordsAt(pointer, after)}</ins>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NotThere() {
  return <span className="t3">not there</span>;
}

/** Names of action types as their titles, all else by its kind. */
function wordsAt(pointer: string, value: unknown): string {
  const isAction = /\/chain\/\d+\/(action|check\/type)$/.test(pointer);
  return isAction && typeof value === 'string' ? titleOf(value) : valueInWords(value);
}

/** Texts as they are, lists of texts with commas, all else as JSON. */
export function valueInWords(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ');
  return JSON.stringify(value);
}
