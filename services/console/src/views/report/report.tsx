import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { RunReport } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { TestBanner } from '../../parts/trials/test-banner.tsx';
import { CostPanel } from '../../parts/money/cost-panel.tsx';
import { BudgetPanel } from '../../parts/money/budget-panel.tsx';
import { Equation } from '../../parts/outcomes/equation.tsx';
import { ExplainDialog } from '../../parts/overlays/explain-dialog.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { countOf } from '../../parts/words/numbers.ts';
import { Panel } from '../../parts/panels/panel.tsx';
import { hasEnded } from '../../parts/standing/state-looks.ts';
import { Time } from '../../parts/times/time.tsx';
import { RunNotePanel } from '../../parts/run-note/run-note-panel.tsx';
import { UsersTable, useUsersTable } from '../../parts/step-table/users-table.tsx';
import { OutcomeMeaningsButton } from '../../parts/outcomes/outcome-meanings-button.tsx';
import { ComparisonPanel } from './comparison-panel.tsx';
import { ForecastPanel } from './forecast-panel.tsx';
import { RateHistory } from './rate-history.tsx';
import { ReasonsPanel } from './reasons-panel.tsx';
import { ReceiptSentence } from './receipt-sentence.tsx';
import { ReportHead } from './report-head.tsx';
import { RetriesPanel } from './retries-panel.tsx';
import { VariantsPanel } from '../../parts/variants/variants-panel.tsx';
import { quotedTitleOf } from '../../parts/words/action-titles.ts';

export function Report({ report }: { report: RunReport }) {
  const [isExplaining, setExplaining] = useState(false);
  const refusal = useRefusal('manager');
  const { steps, countries, batches, runId, state, notes } = report;
  const last = steps.at(-1);
  const { choice, ...tableState } = useUsersTable(countries);
  useKeys([{ keys: 'E', does: 'Explain a user', group: 'This page', run: () => setExplaining(true) }]);
  return (
    <>
      <ReportHead report={report} onExplain={() => setExplaining(true)} />
      <TestBanner run={report} />
      {!hasEnded(state) && <RunningNotice runId={runId} />}
      {last && (
        <Equation line={last}>
          Users at the last step, {quotedTitleOf(last.action)}; counted over {countOf(batches.fed, 'batch', 'batches')}.
          {steps.length > 1 && ' Skipped: an earlier step did not succeed.'} <OutcomeMeaningsButton />
        </Equation>
      )}
      <Panel title="Users by step and country" note={choice} footer={<TableFooter report={report} notes={notes} />}>
        <UsersTable {...tableState} steps={steps} countries={countries} manner="report" />
      </Panel>
      <VariantsPanel run={report} differences={report.differences} />
      <div className="cols grid-cols-[minmax(0,1fr)_360px] max-[1100px]:grid-cols-1 print:grid-cols-1 print:gap-2.5 print:[&_header_a]:hidden print:[&_input]:hidden">
        <ReasonsPanel report={report} />
        <div className="cols grid-cols-1">
          <RunNotePanel runId={runId} refusal={refusal} />
          <ForecastPanel report={report} />
          <ComparisonPanel report={report} />
          <RetriesPanel report={report} />
          <CostPanel run={report} />
          <BudgetPanel budgets={report.budgets} />
          <RateHistory key={runId} report={report} />
        </div>
      </div>
      {isExplaining && <ExplainDialog runId={runId} onClose={() => setExplaining(false)} />}
    </>
  );
}

function RunningNotice({ runId }: { runId: string }) {
  return (
    <div className="banner info" role="status">
      <Icon name="running" />
      <div>
        <b>This run is still running.</b>{' '}
        <span className="t2">The figures are from when you opened this page; the sum includes pending users.</span>
      </div>
      <div className="acts">
        <Link className="btn s" to="/runs/$runId" params={{ runId }}>
          Watch it live
        </Link>
      </div>
    </div>
  );
}

function TableFooter({ report, notes }: { report: RunReport; notes: readonly string[] }) {
  const excluded = report.audience.excluded;
  return (
    <>
      {report.kind !== 'dry-run' &&
        report.steps.map((line) => line.receipts && <ReceiptSentence key={line.step} line={line} />)}
      {report.receiptsDeletedAt !== null && report.steps.some(({ receipts }) => receipts !== undefined) && (
        <p>
          Receipts per user were deleted on <Time instant={report.receiptsDeletedAt} withDay />; these figures remain.
        </p>
      )}
      {excluded > 0 && <p>{countOf(excluded, 'user')} were excluded, and are not in the audience.</p>}
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      {report.settled !== undefined && <p>{countOf(report.settled, 'unknown outcome')} settled since the run ended.</p>}
      <p>Percentages refer to the audience.</p>
    </>
  );
}
