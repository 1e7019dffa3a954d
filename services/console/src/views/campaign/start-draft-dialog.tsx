import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { previewCampaign, startCampaign, submitCampaign } from '#client/sdk.gen.ts';
import { getCampaignQueryKey, listCampaignsQueryKey } from '#client/@tanstack/react-query.gen.ts';
import type { Campaign, CampaignDefinitionInput } from '#client/types.gen.ts';
import { bestKnownCount, userCountOf } from '../../parts/audience/user-count.ts';
import { useApprovalNeed } from '../../parts/campaign/approval-need.ts';
import { linkAfterStart } from '../../parts/campaign/follow-start.ts';
import { CanaryThenField } from '../../parts/campaign/canary-then-field.tsx';
import type { CanaryThen } from '../../parts/campaign/form.ts';
import { canaryOf, formOf, offersChoice } from '../../parts/campaign/form-definition.ts';
import type { LocalProblem } from '../../parts/forms/schema-values.ts';
import { startEffects } from '../../parts/campaign/start-effects.ts';
import { StartQuestion } from '../../parts/campaign/start-question.tsx';
import { useNewestReport } from '../../parts/trials/use-newest-report.ts';
import { TextInput } from '../../parts/controls/controls.tsx';
import { FormField, FormProblemsContext } from '../../parts/forms/form-field.tsx';
import { splitOf } from '../../parts/campaign/variant-words.ts';
import { useZone } from '../../parts/times/zone.ts';
import { describeWhen } from '../../parts/when/when-words.ts';
import { formatSentence } from '../../parts/words/figures.ts';
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
  const known = preview.data && userCountOf(preview.data.users, preview.data.asOf);
  const size = known ? bestKnownCount(known, dryRun.report, campaign.revision) : null;
  const ask = useApprovalNeed(campaign, size);
  const canary = useCanary(splitOf(campaign.chain).length > 0);
  const start = useMutation({
    mutationFn: async () => (await startCampaign({ path, body: canary.body, throwOnError: true })).data,
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: getCampaignQueryKey({ path }) });
      void queries.invalidateQueries({ queryKey: listCampaignsQueryKey() });
      onClose();
      await navigate(linkAfterStart(campaign));
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
      lead={describeWhen(formOf(campaign, [], zone), zone)}
      effects={startEffects({ ...campaign, ...canary.body }, preview.isPending ? 'asking' : size, preview.data ?? null)}
      warnings={(preview.data?.warnings ?? []).map(({ detail }) => formatSentence(withTitles(detail)))}
      isWorking={start.isPending || submit.isPending}
      error={submit.error ?? start.error}
      onStart={() => start.mutate()}
      onSubmit={() => submit.mutate()}
      isReady={canary.isReady}
      ask={ask}
      onClose={onClose}
    >
      {ask !== 'yes' && campaign.canary === undefined && campaign.schedule.type === 'now' && canary.field}
    </StartQuestion>
  );
}

/**
 * Field for a canary of this start only. A campaign that already defines a canary was approved with it, so it gets no
 * other canary.
 */
function useCanary(hasVariants: boolean) {
  const [text, setText] = useState('');
  const [then, setThen] = useState<CanaryThen>('pause');
  const problems: LocalProblem[] = [];
  const form = { canary: text, canaryThen: then, canaryMaxFailedPercent: '' };
  const body = canaryOf(form, hasVariants, problems);
  const at = (pointer: string) =>
    problems.filter((each) => each.pointer === pointer).map(({ detail }) => ({ detail, tone: 'bad' as const }));
  const field = (
    <FormProblemsContext value={{ at, onLeave: () => undefined }}>
      <FormField pointer="/canary" label="Canary, first" hint="1000 or 5 %. Then the run pauses until you resume it">
        {(control) => <TextInput {...control} placeholder="none" value={text} onText={setText} />}
      </FormField>
      {offersChoice(form, hasVariants) && <CanaryThenField value={then} onChoose={setThen} />}
    </FormProblemsContext>
  );
  return { body, field, isReady: problems.length === 0 };
}

function definitionIn(campaign: Campaign): CampaignDefinitionInput {
  const { name, countries, audience, chain, schedule, deadlineSeconds, priority, budgets, canary } = campaign;
  const { paceUsersPerSecond, pauseAtFailedPercent, pauseAtFailedMinUsers } = campaign;
  return {
    name,
    countries,
    audience,
    chain,
    schedule,
    deadlineSeconds,
    priority,
    ...(budgets && { budgets }),
    ...(canary && { canary }),
    ...(paceUsersPerSecond !== undefined && { paceUsersPerSecond }),
    ...(pauseAtFailedPercent !== undefined && { pauseAtFailedPercent }),
    ...(pauseAtFailedMinUsers !== undefined && { pauseAtFailedMinUsers }),
  };
}
