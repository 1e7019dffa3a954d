import { useState } from 'react';
import type { RunProgress } from '#client/types.gen.ts';
import { sortByNeed } from '../../parts/money/budget-rows.ts';
import { budgetLimit, type LimitName } from './limits/limits.ts';
import type { ControlDialog } from './run-controls.tsx';

export interface RunDialog {
  name: ControlDialog | null;
  /** The limit that has the focus when the dialog of limits opens. */
  limit: LimitName;
  open: (name: ControlDialog) => void;
  raise: (country: string) => void;
  /** Opens the limits at the budget with the highest usage. */
  raiseMostNeeded: () => void;
  close: () => void;
}

export function useRunDialog({ budgets }: Pick<RunProgress, 'budgets'>): RunDialog {
  const [name, setName] = useState<ControlDialog | null>(null);
  const [limit, setLimit] = useState<LimitName>('pace');
  const openAt = (wanted: ControlDialog, at: LimitName) => {
    setLimit(at);
    setName(wanted);
  };
  const raise = (country: string) => openAt('limits', budgetLimit(country));
  return {
    name,
    limit,
    open: (wanted) => openAt(wanted, 'pace'),
    raise,
    raiseMostNeeded: () => raise(sortByNeed(budgets)[0]?.country ?? ''),
    close: () => setName(null),
  };
}
