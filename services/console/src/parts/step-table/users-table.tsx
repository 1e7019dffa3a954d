import { useCallback, useDeferredValue, useState, type ReactNode } from 'react';
import { Segments } from '../controls/controls.tsx';
import { CountryPicker } from './country-picker.tsx';
import { CountryTable, type Picked } from './country-table.tsx';
import { foldedAbove } from './country-groups.ts';
import type { CountryCounts, StepTableProps } from './step-lines.ts';
import { StepLines, StepTable } from './step-table.tsx';

type Turn = 'countries' | 'steps';

interface UsersTableState extends Picked {
  turn: Turn;
  /**
   * Control that switches between rows by country and by step, and searches for a country. Null if all rows are
   * visible.
   */
  choice: ReactNode;
}

/**
 * Chooses the layout of the table. With many countries, the user can switch between rows by country and by step, and
 * search for a country.
 */
export function useUsersTable(countries: readonly Pick<CountryCounts, 'country'>[]): UsersTableState {
  const [turn, setTurn] = useState<Turn>('countries');
  const [picked, setPicked] = useState<readonly string[]>([]);
  const onClear = useCallback(() => setPicked([]), []);
  if (countries.length <= foldedAbove) return { turn: 'steps', choice: null, picked: [], onClear };
  const choices = [
    { value: 'countries', label: 'Countries' },
    { value: 'steps', label: 'Steps' },
  ] as const;
  // The country found last comes first, even if the user had found it before.
  const pick = (country: string) => setPicked((before) => [country, ...before.filter((each) => each !== country)]);
  const choice = (
    <span className="row flex-wrap">
      <Segments label="Rows" value={turn} choices={choices} onChoose={setTurn} />
      {turn === 'countries' && <CountryPicker countries={countries.map(({ country }) => country)} onPick={pick} />}
    </span>
  );
  return { turn, choice, picked, onClear };
}

export function UsersTable({ turn, picked, onClear, ...props }: StepTableProps & Omit<UsersTableState, 'choice'>) {
  const isFolded = props.countries.length > foldedAbove;
  const table =
    turn === 'steps' ? <StepTable {...props} /> : <CountryTable {...props} picked={picked} onClear={onClear} />;
  if (!isFolded || props.manner === 'live') return table;
  return (
    <>
      <div className="print:hidden">{table}</div>
      <OnPaper {...props} />
    </>
  );
}

/**
 * The table for print, with all lines. It renders with low priority, because rendering hundreds of lines at once would
 * block the page.
 */
function OnPaper(props: StepTableProps) {
  const isMade = useDeferredValue(true, false);
  return <div className="hidden print:block">{isMade && <StepLines {...props} />}</div>;
}
