import type { UseQueryResult } from '@tanstack/react-query';
import type { ListRunEventsResponse, Problem, RunProgress, RunReport } from '#client/types.gen.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { BudgetPanel } from '../../../parts/money/budget-panel.tsx';
import { CostPanel } from '../../../parts/money/cost-panel.tsx';
import { RunNotePanel } from '../../../parts/run-note/run-note-panel.tsx';
import { SettleUnknown } from '../../../parts/settle/settle-unknown.tsx';
import { useFormatTime } from '../../../parts/times/zone.ts';
import { rateMarks } from '../../../parts/run-events/run-events.ts';
import { VariantsPanel } from '../../../parts/variants/variants-panel.tsx';
import { awaitsChoice } from '../figures/awaits-choice.ts';
import { EventsPanel } from './events-panel.tsx';
import { FailuresPanel } from './failures-panel.tsx';
import { RatePanel } from './rate-panel.tsx';
import { StepsPanel } from './steps-panel.tsx';
import { useRates } from './use-rates.ts';

interface RunPanelsProps {
  progress: RunProgress;
  report: UseQueryResult<RunReport, Problem>;
  events: UseQueryResult<ListRunEventsResponse, Problem>;
  /** True if there are many countries: a row for each needs the width of the page. */
  isFolded: boolean;
  refusal: string | undefined;
  onRaise: () => void;
}

export function RunPanels({ progress, report, events, isFolded, refusal, onRaise }: RunPanelsProps) {
  const { series, lines, recordedSince } = useRates(progress);
  const marks = rateMarks(events.data?.items ?? [], useFormatTime());
  const maySettle = progress.endedAt !== null && report.data?.failuresKept === true && refusal === undefined;
  const failures = (
    <FailuresPanel
      runId={progress.runId}
      steps={progress.steps}
      query={report}
      isBrief={isFolded}
      remedy={maySettle && <SettleUnknown run={progress} />}
    />
  );
  const rate = (
    <RatePanel progress={progress} series={series} rates={lines} marks={marks} recordedSince={recordedSince} />
  );
  // The differences are the basis of the choice. Before its time, they would invite an early verdict.
  const differences = awaitsChoice(progress) ? report.data?.differences : undefined;
  const variants = <VariantsPanel run={progress} differences={differences} />;
  const note = <RunNotePanel runId={progress.runId} refusal={refusal} />;
  const money = <MoneyPanels progress={progress} refusal={refusal} onRaise={onRaise} />;
  if (isFolded)
    return (
      <>
        <StepsPanel progress={progress} />
        {variants}
        <div className="cols grid-cols-[minmax(0,1.3fr)_minmax(0,1fr)_minmax(0,1fr)] max-[1100px]:grid-cols-1">
          {failures}
          {rate}
          <EventsPanel query={events} />
        </div>
        <div className="cols grid-cols-2 max-[1100px]:grid-cols-1">
          {money}
          {note}
        </div>
      </>
    );
  return (
    <div className="cols grid-cols-[minmax(0,1fr)_320px]">
      <div className="cols grid-cols-1">
        <StepsPanel progress={progress} />
        {variants}
        {failures}
      </div>
      <div className="cols grid-cols-1">
        {rate}
        {money}
        {note}
        <EventsPanel query={events} />
      </div>
    </div>
  );
}

function MoneyPanels({ progress, refusal, onRaise }: Pick<RunPanelsProps, 'progress' | 'refusal' | 'onRaise'>) {
  return (
    <>
      <CostPanel run={progress} />
      <BudgetPanel
        budgets={progress.budgets}
        actions={
          progress.endedAt === null && (
            <Button small refusal={refusal} onClick={onRaise}>
              Raise…
            </Button>
          )
        }
      />
    </>
  );
}
