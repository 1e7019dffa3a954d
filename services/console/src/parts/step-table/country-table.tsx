import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { useIsNarrow } from '../browser/narrow.ts';
import { Button } from '../controls/button.tsx';
import { countOf, formatCount } from '../words/numbers.ts';
import { codesOf, groupCountries, sumOfCountries, type CountryRow } from './country-groups.ts';
import { CountryLine, Row } from './country-row.tsx';
import type { StepTableProps } from './step-lines.ts';
import { StepTable } from './step-table.tsx';
import { titleOf } from '../words/action-titles.ts';

export interface Picked {
  /** Country codes, the latest first. */
  picked: readonly string[];
  onClear: () => void;
}

/** Table of many countries. Only countries with a problem, or searched for, have rows; others are folded. */
export function CountryTable({ picked, onClear, ...props }: StepTableProps & Picked) {
  const { steps, countries, manner, markOf = () => null, waitOf = () => null } = props;
  const table = useFocusOn(picked);
  // A phone has no room for a column per step: the steps of all countries are below their row.
  const isNarrow = useIsNarrow();
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((key: string) => setOpened((before) => before.symmetricDifference(new Set([key]))), []);
  const { trouble, underWay, done } = groupCountries(countries, markOf);
  // The country with the worst problem is open until the user closes it.
  const first = trouble[0]?.country;
  const isOpen = (key: string) => opened.has(key) !== (key === first || picked.includes(key));
  const isPicked = ({ country }: CountryRow) => picked.includes(country);
  const found = [...underWay, ...done]
    .filter(isPicked)
    .sort((a, b) => picked.indexOf(a.country) - picked.indexOf(b.country));
  const columns = steps.length + 3;
  const rowOf = ({ country, steps: own, trouble: wrong }: CountryRow) => (
    <CountryLine
      key={country}
      {...{ country, manner, columns }}
      steps={own}
      trouble={wrong}
      waits={own.flatMap(({ step }) =>
        markOf(country, step) === 'waits' ? [waitOf(country, step) ?? { step, words: 'waits', isStopped: false }] : [],
      )}
      isOpen={isOpen(country)}
      onToggle={toggle}
    />
  );
  const groupOf = (key: string, words: string, rows: readonly CountryRow[]) =>
    rows.length === 0 ? null : (
      <tbody key={key}>
        <Row
          steps={sumOfCountries(rows, steps)}
          isOpen={isOpen(key)}
          onToggle={() => toggle(key)}
          name={words}
          note={<span className="t3">{codesOf(rows)}</span>}
        />
        {isOpen(key) && rows.filter((row) => !isPicked(row)).map(rowOf)}
      </tbody>
    );
  return (
    <div className={steps.length > widestSteps ? 'scroll' : undefined}>
      <table className="countries" ref={table}>
        <caption className="sr-only">Countries, those in trouble first; a row opens to its steps</caption>
        <thead>
          <tr>
            <th scope="col">Country</th>
            <th scope="col" className="text-right wide">
              Audience
            </th>
            <th scope="col">Through the chain</th>
            {steps.map(({ step, action }) => (
              <th key={step} scope="col" className="text-right wide">
                {step}&ensp;{titleOf(action)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Row
            steps={steps}
            name={<b>All {countOf(countries.length, 'country', 'countries')}</b>}
            note={<span className="t3">{countOf(steps.length, 'step')} each</span>}
          />
          {isNarrow && (
            <tr className="opened">
              <td colSpan={columns}>
                <StepTable steps={steps} countries={[]} manner={manner} />
              </td>
            </tr>
          )}
        </tbody>
        {trouble.length > 0 && (
          <tbody>
            <Head
              columns={columns}
              words="Trouble"
              note={`${countOf(trouble.length, 'country', 'countries')}, most users waiting first`}
            />
            {trouble.map(rowOf)}
          </tbody>
        )}
        {found.length > 0 && (
          <tbody>
            <Head
              columns={columns}
              words="Looked for"
              note={countOf(found.length, 'country', 'countries')}
              action={
                <Button small kind="ghost" onClick={onClear}>
                  Fold again
                </Button>
              }
            />
            {found.map(rowOf)}
          </tbody>
        )}
        {trouble.length + found.length > 0 && underWay.length + done.length > 0 && (
          <tbody>
            <Head
              columns={columns}
              words="The others"
              note={`${countOf(underWay.length + done.length, 'country', 'countries')}, folded`}
            />
          </tbody>
        )}
        {groupOf('under way', `${formatCount(underWay.length)} under way`, underWay)}
        {groupOf('done', `${formatCount(done.length)} done`, done)}
      </table>
    </div>
  );
}

/** Number of steps above which the table scrolls, and its header is not sticky. */
const widestSteps = 6;

interface HeadProps {
  columns: number;
  words: string;
  note: string;
  action?: ReactNode;
}

function Head({ columns, words, note, action }: HeadProps) {
  return (
    <tr className="bg-sunken">
      <th scope="rowgroup" colSpan={columns} className="font-semibold">
        {words} <span className="t3 sm font-normal">{note}</span>
        {action}
      </th>
    </tr>
  );
}

/** Scrolls to the row of a country that the user has searched for, and focuses it. */
function useFocusOn(picked: readonly string[]) {
  const table = useRef<HTMLTableElement>(null);
  useEffect(() => {
    const [country] = picked;
    if (country === undefined) return;
    table.current?.querySelector<HTMLElement>(`[data-country="${country}"] button`)?.focus();
  }, [picked]);
  return table;
}
