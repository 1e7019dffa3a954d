import { memo } from 'react';
import type { RunProgress } from '#client/types.gen.ts';
import { formatAbout } from '../../../parts/audience/user-count.ts';
import { AddsUp } from '../../../parts/outcomes/equation.tsx';
import { OutcomeKey } from '../../../parts/outcomes/outcome-bar.tsx';
import { outcomesIn } from '../../../parts/outcomes/outcomes.ts';
import { formatCount } from '../../../parts/words/numbers.ts';
import { Panel } from '../../../parts/panels/panel.tsx';
import { describeZeroColumns } from '../../../parts/step-table/step-columns.ts';
import { stepColumns } from '../../../parts/step-table/step-table.tsx';
import { UsersTable, useUsersTable } from '../../../parts/step-table/users-table.tsx';
import { OutcomeMeaningsButton } from '../../../parts/outcomes/outcome-meanings-button.tsx';
import { createMarkLookup, computeRunFigures, createWaitLookup } from '../figures/run-figures.ts';

/**
 * All numbers by step and country. Memoized, because it is the largest part of the page: it renders when its figures
 * change, not with every message or every second.
 */
export const StepsPanel = memo(function StepsPanel({ progress }: { progress: RunProgress }) {
  const { steps, countries, balanced, notes } = progress;
  const table = { steps, countries, manner: 'live' as const };
  const columns = stepColumns(table);
  const { choice, ...tableState } = useUsersTable(countries);
  const { of, isEstimated } = computeRunFigures(progress);
  return (
    <Panel
      title={tableState.turn === 'steps' ? 'Users by step and country' : 'Users by country and step'}
      note={choice}
      actions={
        <span className="row gap-3 flex-wrap wide">
          {outcomesIn(steps, columns).map((outcome) => (
            <OutcomeKey key={outcome} outcome={outcome} />
          ))}
        </span>
      }
      footer={
        <span className="row flex-wrap">
          <AddsUp isRight={balanced} />
          <span>
            in every line. {describeZeroColumns(columns)} <OutcomeMeaningsButton />
          </span>
          {isEstimated && (
            <span>
              The audience is still being read: {formatCount(progress.audience.counted)} of {formatAbout(of)} users so
              far.
            </span>
          )}
          {notes.map((note) => (
            <span key={note}>{note}</span>
          ))}
        </span>
      }
    >
      <UsersTable {...table} {...tableState} markOf={createMarkLookup(progress)} waitOf={createWaitLookup(progress)} />
    </Panel>
  );
});
