import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { previewCampaign, startCampaign, submitCampaign } from '#client/sdk.gen.ts';
import { getCampaignQueryKey, listCampaignsQueryKey } from '#client/@tanstack/react-query.gen.ts';
import type { Campaign, CampaignDefinitionInput } from '#client/types.gen.ts';
import { bestOf, howManyOf } from '../../parts/audience/how-many.ts';
import { useApprovalAsk } from '../../parts/campaign/approval-ask.ts';
import { afterStart } from '../../parts/campaign/follow-start.ts';
import { formOf } from '../../parts/campaign/form-definition.ts';
import { startEffects } from '../../parts/campaign/start-effects.ts';
import { StartQuestion } from '../../parts/campaign/start-question.tsx';
import { useNewestReport } from '../../parts/campaign/use-newest-report.ts';
import { useZone } from '../../parts/times/zone.ts';
import { whenInWords } from '../../parts/when/when-words.ts';
import { sentence } from '../../parts/words/figures.ts';
import { withTitles } from '../../parts/words/action-titles.ts';

export function StartDraftDialog({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  const { zone } = useZone();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const path = { id: campaign.id };
  const preview = useQuery({
    queryKey: ['previewCampaign', campaign.id, campaign.revision],
    queryFn: async ({ signal }) =>
      (await previewCampaign({ body: definitionIn(campaign), signal, throwOnError: true })).data,
  });
  const dryRun = useNewestReport(campaign.id, 'dry-run');
  const known = preview.data && howManyOf(preview.data.users, preview.data.asOf);
  const size = known ? bestOf(known, dryRun.report, campaign.revision) : null;
  const ask = useApprovalAsk(campaign, size);
  const start = useMutation({
    mutationFn: async () => (await startCampaign({ path, throwOnError: true })).data,
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: getCampaignQueryKey({ path }) });
      void queries.invalidateQueries({ queryKey: listCampaignsQueryKey() });
      onClose();
      await navigate(afterStart(campaign));
    },
  });
  const submit = useMutation({
    mutationFn: () => submitCampaign({ path, body: {}, throwOnError: true }),
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  return (
    <StartQuestion
      verb={campaign.schedule.type === 'now' ? 'Start' : 'Schedule'}
      name={campaign.name}
      lead={whenInWords(formOf(campaign, [], zone), zone)}
      effects={startEffects(campaign, preview.isPending ? 'asking' : size, preview.data ?? null)}
      warnings={(preview.data?.warnings ?? []).map(({ detail }) => sentence(withTitles(detail)))}
      isWorking={start.isPending || submit.isPending}
      error={submit.error ?? start.error}
      onStart={() => start.mutate()}
      onSubmit={() => submit.mutate()}
      {...{ ask, onClose }}
    />
  );
}

function definitionIn(campaign: Campaign): CampaignDefinitionInput {
  const { name, countries, audience, chain, schedule, deadlineSeconds, priority, budgets, canary } = campaign;
  const { paceUsersPerSecond, pauseAtFailedPercent, pauseAtFailedMinUsers } = campaign;
  return {
    ...{ name, countries, audience, chain, schedule, deadlineSeconds, priority },
    ...(budgets && { budgets }),
    ...(canary && { canary }),
    ...(paceUsersPerSecond !== undefined && { paceUsersPerSecond }),
    ...(pauseAtFailedPercent !== undefined && { pauseAtFailedPercent }),
    ...(pauseAtFailedMinUsers !== undefined && { pauseAtFailedMinUsers }),
  };
}
