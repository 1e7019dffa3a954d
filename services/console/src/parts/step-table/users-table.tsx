import { useState, type ReactNode } from 'react';
import { Segments } from '../controls/controls.tsx';
import { CountryTable } from './country-table.tsx';
import { foldedAbove } from './country-groups.ts';
import type { StepTableProps } from './step-lines.ts';
import { StepTable } from './step-table.tsx';

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
  if (turn === 'steps') return <StepTable {...props} />;
  return (
    <>
      <div className="print:hidden">
        <CountryTable {...props} />
      </div>
      {/* On paper nothing opens. */}
      {props.manner === 'report' && (
        <div className="hidden print:block">
          <StepTable {...props} />
        </div>
      )}
    </>
  );
}
