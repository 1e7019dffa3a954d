import { useQueryClient } from '@tanstack/react-query';
import { getRunProgressQueryKey } from '#client/@tanstack/react-query.gen.ts';
import type { RunProgress } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import type { UpdateStatus } from '../../live/update-status.ts';
import { TestBanner } from '../../parts/trials/test-banner.tsx';
import { useKeys } from '../../parts/keys/use-keys.ts';
import { StaleBanner, useIsStale } from '../../parts/standing/freshness.tsx';
import { foldedAbove } from '../../parts/step-table/country-groups.ts';
import { CauseBanner } from './banners/cause-banner.tsx';
import { groupCauses, findTroubledCountries } from './figures/causes.ts';
import { PausedBanner } from './banners/paused-banner.tsx';
import { isPausable } from './run-controls.tsx';
import { RunDialogs } from './run-dialogs.tsx';
import { RunHead } from './run-head.tsx';
import { RunKpis } from './run-kpis.tsx';
import { RunPanels } from './panels/run-panels.tsx';
import { formatStallBadge, findStalls } from './figures/stall.ts';
import { StallBanner } from './banners/stall-banner.tsx';
import { useRunDialog, type RunDialog } from './use-run-dialog.ts';
import { useRunHistory } from './use-run-history.ts';

interface LiveRunProps {
  progress: RunProgress;
  standing: UpdateStatus;
}

export function LiveRun({ progress, standing }: LiveRunProps) {
  const isStale = useIsStale(standing);
  const refusal = useRefusal('manager');
  const dialog = useRunDialog(progress);
  const { report, events } = useRunHistory(progress);
  const queryClient = useQueryClient();
  useRunKeys(progress, refusal, dialog);
  const isFolded = progress.countries.length > foldedAbove;
  const troubled = isFolded && isPausable(progress) ? findTroubledCountries(progress) : [];
  const stalls = findStalls(progress);
  const causes = isFolded ? groupCauses(stalls, troubled, report.data?.failures ?? []) : [];
  const tag =
    troubled.length > 0 ? `${troubled.length} of ${progress.countries.length} in trouble` : formatStallBadge(stalls);
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
      <StaleBanner standing={standing} note="The run continues; only this page is outdated." />
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
    ...(isPausable(progress) && refusal === undefined
      ? [{ keys: 'P', does: 'Pause the run', group: 'This page' as const, run: () => open('pause') }]
      : []),
    { keys: 'E', does: 'Explain a user', group: 'This page', run: () => open('explain') },
  ]);
}
