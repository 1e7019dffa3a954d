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
  /** What the table can be turned to, and which of its rows one looks for; null where all of it is in sight. */
  choice: ReactNode;
}

/** Few countries stand below each step; many are rows of their own, one of them can be found, and the table turned. */
export function useUsersTable(countries: readonly Pick<CountryCounts, 'country'>[]): UsersTableState {
  const [turn, setTurn] = useState<Turn>('countries');
  const [picked, setPicked] = useState<readonly string[]>([]);
  const onClear = useCallback(() => setPicked([]), []);
  if (countries.length <= foldedAbove) return { turn: 'steps', choice: null, picked: [], onClear };
  const choices = [
    { value: 'countries', label: 'Countries' },
    { value: 'steps', label: 'Steps' },
  ] as const;
  // The one that was found last is first, and found again where it stands already.
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
 * On paper nothing opens, so all lines are there. Made once the page stands, and in slices: hundreds of them at once
 * would hold up who reads already.
 */
function OnPaper(props: StepTableProps) {
  const isMade = useDeferredValue(true, false);
  return <div className="hidden print:block">{isMade && <StepLines {...props} />}</div>;
}
