import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import {
  getRunProgressQueryKey,
  getRunReportOptions,
  listRunEventsOptions,
} from '#client/@tanstack/react-query.gen.ts';
import type { RunProgress } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import type { Standing } from '../../live/staleness.ts';
import { ExplainDialog } from '../../parts/overlays/explain-dialog.tsx';
import { StaleBanner, useIsStale } from '../../parts/standing/freshness.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { effectiveState } from '../../parts/standing/state-looks.ts';
import { StateBadge } from '../../parts/standing/state-badge.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';
import { CancelDialog } from './dialogs/cancel-dialog.tsx';
import { PauseDialog } from './dialogs/pause-dialog.tsx';
import { ResumeDialog } from './dialogs/resume-dialog.tsx';
import { byNeed } from '../../parts/money/budget-rows.ts';
import { askedBy, rateMarks } from '../../parts/words/event-words.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import { TestBanner } from '../../parts/campaign/test-banner.tsx';
import { CostPanel } from '../../parts/money/cost-panel.tsx';
import { BudgetPanel } from '../../parts/money/budget-panel.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { CauseBanner } from './cause-banner.tsx';
import { causesOf, troubledCountries } from './causes.ts';
import { SettleUnknown } from '../../parts/settle/settle-unknown.tsx';
import { EventsPanel } from './events-panel.tsx';
import { FailuresPanel } from './failures-panel.tsx';
import { LimitsDialog } from './limits/limits-dialog.tsx';
import { budgetLimit, type LimitName } from './limits/limits.ts';
import { PausedBanner } from './paused-banner.tsx';
import { RatePanel } from './rate-panel.tsx';
import { RunControls, type ControlDialog } from './run-controls.tsx';
import { RunFacts } from './run-facts.tsx';
import { RunKpis } from './run-kpis.tsx';
import { stallBadge, stallsOf } from './stall.ts';
import { StallBanner } from './stall-banner.tsx';
import { StallTag } from './stall-tag.tsx';
import { foldedAbove } from '../../parts/step-table/country-groups.ts';
import { StepsPanel } from './steps-panel.tsx';
import { useRates } from './use-rates.ts';

interface LiveRunProps {
  progress: RunProgress;
  standing: Standing;
}

/** So often failures and events are asked for: they are read, not watched. */
const askEveryMs = 5000;

export function LiveRun({ progress, standing }: LiveRunProps) {
  const isStale = useIsStale(standing);
  const refusal = useRefusal('manager');
  const [dialog, setDialog] = useState<ControlDialog | null>(null);
  const [limit, setLimit] = useState<LimitName>('pace');
  const close = () => setDialog(null);
  const open = (wanted: ControlDialog) => {
    setLimit('pace');
    setDialog(wanted);
  };
  const raise = (country: string) => {
    setLimit(budgetLimit(country));
    setDialog('limits');
  };
  const raiseMostNeeded = () => raise(byNeed(progress.budgets)[0]?.country ?? '');
  const queryClient = useQueryClient();
  const path = { id: progress.runId };
  const refetchInterval = progress.endedAt === null ? askEveryMs : (false as const);
  const report = useQuery({ ...getRunReportOptions({ path }), refetchInterval });
  const events = useQuery({ ...listRunEventsOptions({ path, query: { limit: 1000 } }), refetchInterval });
  const isOver = progress.endedAt !== null;
  const [wasOver] = useState(isOver);
  const [{ refetch: readReport }, { refetch: readEvents }] = [report, events];
  useEffect(() => {
    // What was asked for a moment before the end lacks what ended last.
    if (isOver && !wasOver) for (const read of [readReport, readEvents]) void read();
  }, [isOver, wasOver, readReport, readEvents]);
  const { series, lines, notedSince } = useRates(progress);
  const formatTime = useFormatTime();
  const stalls = stallsOf(progress);
  const isGoing = progress.state === 'running' || progress.state === 'preparing';
  const done = () => {
    close();
    void queryClient.invalidateQueries({ queryKey: getRunProgressQueryKey({ path }) });
    void events.refetch();
  };
  useKeys([
    ...(isGoing && refusal === undefined
      ? [{ keys: 'P', does: 'Pause the run', group: 'This page' as const, run: () => setDialog('pause') }]
      : []),
    { keys: 'E', does: 'Explain a user', group: 'This page', run: () => setDialog('explain') },
  ]);
  // A row for each of many countries needs the width of the page.
  const isFolded = progress.countries.length > foldedAbove;
  const troubled = isFolded && isGoing ? troubledCountries(progress) : [];
  const causes = isFolded ? causesOf(stalls, troubled, report.data?.failures ?? []) : [];
  const marks = rateMarks(events.data?.items ?? [], formatTime);
  const maySettle = isOver && report.data?.failuresKept === true && refusal === undefined;
  const failures = (
    <FailuresPanel
      runId={progress.runId}
      steps={progress.steps}
      query={report}
      isBrief={isFolded}
      remedy={maySettle && <SettleUnknown run={progress} />}
    />
  );
  const rate = <RatePanel progress={progress} series={series} rates={lines} marks={marks} notedSince={notedSince} />;
  const history = <EventsPanel query={events} />;
  const money = (
    <>
      <CostPanel run={progress} />
      <BudgetPanel
        budgets={progress.budgets}
        actions={
          progress.endedAt === null && (
            <Button small refusal={refusal} onClick={raiseMostNeeded}>
              Raise…
            </Button>
          )
        }
      />
    </>
  );
  return (
    <>
      <div className="head">
        <div className="min-w-0">
          <div className="row flex-wrap">
            <h1>{plainText(progress.campaignName)}</h1>
            <StateBadge state={effectiveState(progress)} tinted />
            <StallTag
              text={
                troubled.length > 0
                  ? `${troubled.length} of ${progress.countries.length} in trouble`
                  : stallBadge(stalls)
              }
            />
          </div>
          <RunFacts progress={progress} by={askedBy(events.data?.items ?? [])} />
        </div>
        <RunControls progress={progress} isStale={isStale} refusal={refusal} onOpen={open} />
      </div>
      <StaleBanner standing={standing} note="The run itself goes on; only this page waits." />
      <TestBanner run={progress} />
      <PausedBanner progress={progress} onRaise={raiseMostNeeded} refusal={refusal} />
      {causes.length > 0 ? (
        <CauseBanner causes={causes} onRaise={raise} refusal={refusal} />
      ) : (
        <StallBanner stalls={stalls} onRaise={raise} refusal={refusal} />
      )}
      <RunKpis progress={progress} failures={report.data?.failures} isOld={isStale} />
      {isFolded ? (
        <>
          <StepsPanel progress={progress} />
          <div className="cols grid-cols-[minmax(0,1.3fr)_minmax(0,1fr)_minmax(0,1fr)] max-[1100px]:grid-cols-1">
            {failures}
            {rate}
            {history}
          </div>
          <div className="cols grid-cols-2 max-[1100px]:grid-cols-1 empty:hidden">{money}</div>
        </>
      ) : (
        <div className="cols grid-cols-[minmax(0,1fr)_320px]">
          <div className="cols grid-cols-1">
            <StepsPanel progress={progress} />
            {failures}
          </div>
          <div className="cols grid-cols-1">
            {rate}
            {money}
            {history}
          </div>
        </div>
      )}
      {dialog === 'pause' && <PauseDialog progress={progress} onClose={close} onDone={done} />}
      {dialog === 'resume' && <ResumeDialog progress={progress} onClose={close} onDone={done} />}
      {dialog === 'limits' && <LimitsDialog progress={progress} first={limit} onClose={close} onDone={done} />}
      {dialog === 'cancel' && (
        <CancelDialog
          progress={progress}
          isStale={isStale}
          onClose={close}
          onDone={done}
          onPause={isGoing ? () => setDialog('pause') : undefined}
        />
      )}
      {dialog === 'explain' && <ExplainDialog runId={progress.runId} onClose={close} />}
    </>
  );
}
