import { useQueryClient } from '@tanstack/react-query';
import { getRunProgressQueryKey } from '#client/@tanstack/react-query.gen.ts';
import type { RunProgress } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import type { Standing } from '../../live/staleness.ts';
import { TestBanner } from '../../parts/campaign/test-banner.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { StaleBanner, useIsStale } from '../../parts/standing/freshness.tsx';
import { foldedAbove } from '../../parts/step-table/country-groups.ts';
import { CauseBanner } from './cause-banner.tsx';
import { causesOf, troubledCountries } from './causes.ts';
import { PausedBanner } from './paused-banner.tsx';
import { isGoing } from './run-controls.tsx';
import { RunDialogs } from './run-dialogs.tsx';
import { RunHead } from './run-head.tsx';
import { RunKpis } from './run-kpis.tsx';
import { RunPanels } from './run-panels.tsx';
import { stallBadge, stallsOf } from './stall.ts';
import { StallBanner } from './stall-banner.tsx';
import { useRunDialog, type RunDialog } from './use-run-dialog.ts';
import { useRunHistory } from './use-run-history.ts';

interface LiveRunProps {
  progress: RunProgress;
  standing: Standing;
}

export function LiveRun({ progress, standing }: LiveRunProps) {
  const isStale = useIsStale(standing);
  const refusal = useRefusal('manager');
  const dialog = useRunDialog(progress);
  const { report, events } = useRunHistory(progress);
  const queryClient = useQueryClient();
  useRunKeys(progress, refusal, dialog);
  const isFolded = progress.countries.length > foldedAbove;
  const troubled = isFolded && isGoing(progress) ? troubledCountries(progress) : [];
  const stalls = stallsOf(progress);
  const causes = isFolded ? causesOf(stalls, troubled, report.data?.failures ?? []) : [];
  const tag =
    troubled.length > 0 ? `${troubled.length} of ${progress.countries.length} in trouble` : stallBadge(stalls);
  const { raise, raiseMostNeeded } = dialog;
  const onDone = () => {
    dialog.close();
    void queryClient.invalidateQueries({ queryKey: getRunProgressQueryKey({ path: { id: progress.runId } }) });
    void events.refetch();
  };
  return (
    <>
      <RunHead
        progress={progress}
        events={events.data?.items ?? []}
        tag={tag}
        isStale={isStale}
        refusal={refusal}
        onOpen={dialog.open}
      />
      <StaleBanner standing={standing} note="The run itself goes on; only this page waits." />
      <TestBanner run={progress} />
      <PausedBanner progress={progress} onRaise={raiseMostNeeded} refusal={refusal} />
      {causes.length > 0 ? (
        <CauseBanner causes={causes} onRaise={raise} refusal={refusal} />
      ) : (
        <StallBanner stalls={stalls} onRaise={raise} refusal={refusal} />
      )}
      <RunKpis progress={progress} failures={report.data?.failures} isOld={isStale} />
      <RunPanels
        progress={progress}
        report={report}
        events={events}
        isFolded={isFolded}
        refusal={refusal}
        onRaise={raiseMostNeeded}
      />
      <RunDialogs progress={progress} dialog={dialog} isStale={isStale} onDone={onDone} />
    </>
  );
}

function useRunKeys(progress: RunProgress, refusal: string | undefined, { open }: RunDialog): void {
  useKeys([
    ...(isGoing(progress) && refusal === undefined
      ? [{ keys: 'P', does: 'Pause the run', group: 'This page' as const, run: () => open('pause') }]
      : []),
    { keys: 'E', does: 'Explain a user', group: 'This page', run: () => open('explain') },
  ]);
}
