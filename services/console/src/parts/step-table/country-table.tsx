import { useCallback, useState } from 'react';
import { countOf, formatCount } from '../words/numbers.ts';
import { codesOf, groupCountries, sumOfCountries, type CountryRow } from './country-groups.ts';
import { CountryLine, Row } from './country-row.tsx';
import type { StepTableProps } from './step-lines.ts';

/** Many countries: a row for each that is in trouble, the others folded; a row opens to its steps. */
export function CountryTable({ steps, countries, manner, markOf = () => null }: StepTableProps) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = useCallback((key: string) => setOpened((before) => before.symmetricDifference(new Set([key]))), []);
  const { trouble, underWay, done } = groupCountries(countries, markOf);
  // The worst one is open, until somebody closes it.
  const first = trouble[0]?.country;
  const isOpen = (key: string) => opened.has(key) !== (key === first);
  const columns = steps.length + 3;
  const rowOf = ({ country, steps: own, trouble: wrong }: CountryRow) => (
    <CountryLine
      key={country}
      {...{ country, manner, columns }}
      steps={own}
      trouble={wrong}
      waitsIn={own.flatMap(({ step }) => (markOf(country, step) === 'waits' ? [step] : []))}
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
            steps={steps}
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
