import { useDeferredValue, useState, type ReactNode } from 'react';
import { Segments } from '../controls/controls.tsx';
import { CountryTable } from './country-table.tsx';
import { foldedAbove } from './country-groups.ts';
import type { StepTableProps } from './step-lines.ts';
import { StepLines, StepTable } from './step-table.tsx';

type Turn = 'countries' | 'steps';

/** Few countries stand below each step; many are rows of their own, and the table can be turned. */
export function useUsersTable(countries: number): { turn: Turn; choice: ReactNode } {
  const [turn, setTurn] = useState<Turn>('countries');
  if (countries <= foldedAbove) return { turn: 'steps', choice: null };
  const choices = [
    { value: 'countries', label: 'Countries' },
    { value: 'steps', label: 'Steps' },
  ] as const;
  return { turn, choice: <Segments label="Rows" value={turn} choices={choices} onChoose={setTurn} /> };
}

export function UsersTable({ turn, ...props }: StepTableProps & { turn: Turn }) {
  const isFolded = props.countries.length > foldedAbove;
  const table = turn === 'steps' ? <StepTable {...props} /> : <CountryTable {...props} />;
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
