import { useState, type ReactNode } from 'react';
import { countryName } from '../campaign/country-names.ts';
import { Icon } from '../icon/icon.tsx';
import { OutcomeBar } from '../outcomes/outcome-bar.tsx';
import { formatFineShare } from '../words/figures.ts';
import { countOf, formatCount } from '../words/numbers.ts';
import { codesOf, groupCountries, sumOfCountries, type CountryRow } from './country-groups.ts';
import type { StepCounts, StepTableProps } from './step-lines.ts';
import { StepTable } from './step-table.tsx';

/** Many countries: a row for each that is in trouble, the others folded; a row opens to its steps. */
export function CountryTable({ steps, countries, manner, markOf = () => null }: StepTableProps) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const { trouble, underWay, done } = groupCountries(countries, markOf);
  // The worst one is open, until somebody closes it.
  const first = trouble[0]?.country;
  const isOpen = (key: string) => opened.has(key) !== (key === first);
  const toggle = (key: string) =>
    setOpened((before) => new Set(before.has(key) ? [...before].filter((each) => each !== key) : [...before, key]));
  const columns = steps.length + 3;
  const rowOf = (row: CountryRow) => (
    <Row
      key={row.country}
      {...{ steps: row.steps, manner, markOf, columns, country: row.country }}
      isOpen={isOpen(row.country)}
      onToggle={() => toggle(row.country)}
      note={row.trouble && <TroubleWords row={row} />}
      name={
        <>
          <span className="tag">{row.country}</span> {countryName(row.country)}
        </>
      }
    />
  );
  const groupOf = (key: string, words: string, rows: readonly CountryRow[]) =>
    rows.length === 0 ? null : (
      <tbody key={key}>
        <Row
          {...{ steps: sumOfCountries(rows, steps), manner, columns }}
          isOpen={isOpen(key)}
          onToggle={() => toggle(key)}
          name={words}
          note={<span className="t3">{codesOf(rows)}</span>}
        />
        {isOpen(key) && rows.map(rowOf)}
      </tbody>
    );
  return (
    <div className={steps.length > widestSteps ? 'scroll' : undefined}>
      <table className="countries">
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
                {step}&ensp;{action}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Row
            {...{ steps, manner, columns }}
            name={<b>All {countOf(countries.length, 'country', 'countries')}</b>}
            note={<span className="t3">{countOf(steps.length, 'step')} each</span>}
          />
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
        {trouble.length > 0 && underWay.length + done.length > 0 && (
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

/** More steps than these are scrolled to, and their heads do not stick. */
const widestSteps = 6;

function Head({ columns, words, note }: { columns: number; words: string; note: string }) {
  return (
    <tr className="bg-sunken">
      <th scope="rowgroup" colSpan={columns} className="font-semibold">
        {words} <span className="t3 sm font-normal">{note}</span>
      </th>
    </tr>
  );
}

function TroubleWords({ row: { trouble } }: { row: CountryRow }) {
  if (!trouble) return null;
  const words =
    trouble.waiting > 0 ? `${formatCount(trouble.waiting)} wait` : `${formatFineShare(trouble.failedShare, 1)} failed`;
  return (
    <span className="c-warn inline-flex items-center gap-1.25">
      <Icon name="warn" size={12} />
      {words}
    </span>
  );
}

interface RowProps extends Pick<StepTableProps, 'manner' | 'markOf'> {
  name: ReactNode;
  note?: ReactNode;
  steps: readonly StepCounts[];
  /** Of a country: what opens are its steps. */
  country?: string;
  columns: number;
  isOpen?: boolean;
  onToggle?: () => void;
}

function Row({ name, note, steps, country, manner, markOf, columns, isOpen = false, onToggle }: RowProps) {
  const last = steps.at(-1);
  const audience = last?.audience ?? 0;
  return (
    <>
      <tr className={isOpen && country !== undefined ? 'tall sel' : 'tall'}>
        <th scope="row" className="two min-w-46 phone:min-w-0">
          <div className="font-medium">
            {onToggle ? (
              <button
                type="button"
                className="inline-flex items-center gap-1.5 -ml-1 px-1 phone:min-h-10 text-left"
                aria-expanded={isOpen}
                onClick={onToggle}
              >
                <Icon name={isOpen ? 'down' : 'right'} size={12} />
                <span>{name}</span>
              </button>
            ) : (
              name
            )}
          </div>
          <div className={onToggle ? 'pl-4.5' : undefined}>{note}</div>
        </th>
        <td className="text-right wide">{formatCount(audience)}</td>
        <td>
          {last && (
            <>
              <div className="flex justify-between gap-2">
                <span className="font-medium">{formatCount(last.succeeded)}</span>
                <span className="t3 sm">{formatFineShare(last.succeeded, audience)}</span>
              </div>
              <OutcomeBar counts={last} audience={audience} />
            </>
          )}
        </td>
        {steps.map((line) => (
          <StepCell
            key={line.step}
            line={line}
            waits={country !== undefined && markOf?.(country, line.step) === 'waits'}
          />
        ))}
      </tr>
      {isOpen && country !== undefined && (
        <tr className="opened">
          <td colSpan={columns}>
            <StepTable steps={steps} countries={[]} manner={manner} />
          </td>
        </tr>
      )}
    </>
  );
}

function StepCell({ line: { succeeded, failed }, waits }: { line: StepCounts; waits: boolean }) {
  return (
    <td className="two text-right wide">
      <div>
        {waits && (
          <span className="c-warn mr-1.25">
            <Icon name="warn" size={12} />
          </span>
        )}
        {formatCount(succeeded)}
      </div>
      <div className="whitespace-nowrap">
        {waits ? 'waits' : `${failed === 0 ? 'none' : formatCount(failed)} failed`}
      </div>
    </td>
  );
}
