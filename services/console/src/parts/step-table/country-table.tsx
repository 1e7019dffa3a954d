import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import { useIsNarrow } from '../browser/narrow.ts';
import { Button } from '../controls/button.tsx';
import { countOf, formatCount } from '../words/numbers.ts';
import { formatCountryCodes, groupCountries, sumOfCountries, type CountryRow } from './country-groups.ts';
import { CountryLine, Row } from './country-row.tsx';
import type { StepTableProps } from './step-lines.ts';
import { StepTable } from './step-table.tsx';
import { titleOf } from '../words/action-titles.ts';

export interface Picked {
  /** Codes of the countries that the user searched for, the latest first. */
  picked: readonly string[];
  onClear: () => void;
}

/**
 * Table of many countries. Only countries with a problem, and countries that the user searched for, have a row of their
 * own. All others are folded into groups.
 */
export function CountryTable({ picked, onClear, ...props }: StepTableProps & Picked) {
  const { steps, countries, markOf = () => null } = props;
  const table = useFocusOn(picked);
  const { trouble, underWay, done } = groupCountries(countries, markOf);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((key: string) => setOpened((before) => before.symmetricDifference(new Set([key]))), []);
  // The country with the worst problem is open until the user closes it.
  const first = trouble[0]?.country;
  const isOpen = (key: string) => opened.has(key) !== (key === first || picked.includes(key));
  const found = [...underWay, ...done]
    .filter(({ country }) => picked.includes(country))
    .sort((a, b) => picked.indexOf(a.country) - picked.indexOf(b.country));
  const folded = underWay.length + done.length;
  const columns = steps.length + 3;
  const shared = { ...props, columns, isOpen, toggle };
  return (
    <div className={steps.length > widestSteps ? 'scroll' : undefined}>
      <table className="countries" ref={table}>
        <caption className="sr-only">Countries, those with problems first. Each row opens to its steps.</caption>
        <Columns steps={steps} />
        <AllCountries {...props} columns={columns} />
        {trouble.length > 0 && (
          <tbody>
            <Head
              columns={columns}
              words="Trouble"
              note={`${countOf(trouble.length, 'country', 'countries')}, most users waiting first`}
            />
            <CountryLines {...shared} rows={trouble} />
          </tbody>
        )}
        {found.length > 0 && (
          <tbody>
            <Head
              columns={columns}
              words="Found"
              note={countOf(found.length, 'country', 'countries')}
              action={
                <Button small kind="ghost" onClick={onClear}>
                  Fold again
                </Button>
              }
            />
            <CountryLines {...shared} rows={found} />
          </tbody>
        )}
        {trouble.length + found.length > 0 && folded > 0 && (
          <tbody>
            <Head columns={columns} words="The others" note={`${countOf(folded, 'country', 'countries')}, folded`} />
          </tbody>
        )}
        <Group {...shared} name="under way" rows={underWay} picked={picked} />
        <Group {...shared} name="done" rows={done} picked={picked} />
      </table>
    </div>
  );
}

function Columns({ steps }: Pick<StepTableProps, 'steps'>) {
  return (
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
  );
}

function AllCountries({ steps, countries, manner, columns }: StepTableProps & { columns: number }) {
  // Narrow screens have no space for a column per step, so the steps of all countries are below their row.
  const isNarrow = useIsNarrow();
  return (
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
  );
}

interface LinesProps extends Pick<StepTableProps, 'manner' | 'markOf' | 'waitOf'> {
  rows: readonly CountryRow[];
  columns: number;
  /** Returns true if a row or a group is open. The key is a country code, or the name of the group. */
  isOpen: (key: string) => boolean;
  toggle: (key: string) => void;
}

function CountryLines({ rows, manner, columns, isOpen, toggle, markOf, waitOf }: LinesProps) {
  return rows.map(({ country, steps, trouble }) => (
    <CountryLine
      key={country}
      country={country}
      manner={manner}
      columns={columns}
      steps={steps}
      trouble={trouble}
      waits={steps.flatMap(({ step }) =>
        markOf?.(country, step) === 'waits'
          ? [waitOf?.(country, step) ?? { step, words: 'waits', isStopped: false }]
          : [],
      )}
      isOpen={isOpen(country)}
      onToggle={toggle}
    />
  ));
}

interface GroupProps extends LinesProps {
  name: string;
  steps: StepTableProps['steps'];
  picked: readonly string[];
}

/**
 * Sum of several countries in one row. The row opens to its countries, except those that already have a row because the
 * user searched for them.
 */
function Group({ name, rows, steps, picked, ...lines }: GroupProps) {
  if (rows.length === 0) return null;
  return (
    <tbody>
      <Row
        steps={sumOfCountries(rows, steps)}
        isOpen={lines.isOpen(name)}
        onToggle={() => lines.toggle(name)}
        name={`${formatCount(rows.length)} ${name}`}
        note={<span className="t3">{formatCountryCodes(rows)}</span>}
      />
      {lines.isOpen(name) && <CountryLines {...lines} rows={rows.filter(({ country }) => !picked.includes(country))} />}
    </tbody>
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
