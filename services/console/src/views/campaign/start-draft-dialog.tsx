import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { estimateCampaign, startCampaign } from '#client/sdk.gen.ts';
import { getCampaignQueryKey, listCampaignsQueryKey } from '#client/@tanstack/react-query.gen.ts';
import type { Campaign } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Icon } from '../../parts/icon/icon.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Effects } from '../../parts/overlays/effects.tsx';
import { useZone } from '../../parts/times/zone.ts';
import { boundsText, servedBounds } from '../../parts/campaign/arithmetic.ts';
import { capitalOf } from '../../parts/words/figures.ts';
import { afterStart } from '../../parts/campaign/follow-start.ts';
import { formOf } from '../../parts/campaign/form-definition.ts';
import { whenInWords } from '../../parts/when/when-words.ts';

/** Starts a draft from its page: whom it reaches is asked first. */
export function StartDraftDialog({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  const { zone } = useZone();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const path = { id: campaign.id };
  const estimate = useQuery({
    queryKey: ['estimateCampaign', campaign.id, campaign.revision],
    queryFn: async ({ signal }) => (await estimateCampaign({ path, signal, throwOnError: true })).data,
  });
  const start = useMutation({
    mutationFn: async () => (await startCampaign({ path, throwOnError: true })).data,
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: getCampaignQueryKey({ path }) });
      void queries.invalidateQueries({ queryKey: listCampaignsQueryKey() });
      onClose();
      await navigate(afterStart(campaign));
    },
  });
  const verb = campaign.schedule.type === 'now' ? 'Start' : 'Schedule';
  const value = estimate.data ? boundsText(servedBounds(estimate.data)) : estimate.isError ? 'not known' : 'asking…';
  const steps = campaign.chain.map(({ action }) => action).join(', then ');
  return (
    <Dialog
      title={`${verb} “${campaign.name}”?`}
      lead={whenInWords(formOf(campaign, [], zone), zone)}
      onClose={onClose}
      actions={
        <span className="ml-auto row">
          <Button onClick={onClose} data-autofocus>
            Not yet
          </Button>
          <Button kind="ink" disabled={start.isPending} onClick={() => start.mutate()}>
            {verb} it
          </Button>
        </span>
      }
    >
      <Effects
        effects={[{ value, unit: 'users', isHot: true, children: `in ${campaign.countries.join(', ')} get ${steps}.` }]}
      />
      {estimate.data?.warnings.map(({ pointer, detail }) => (
        <p key={`${pointer} ${detail}`} className="c-warn sm row gap-1.5 items-start">
          <Icon name="warn" size={14} />
          <span>{capitalOf(detail)}.</span>
        </p>
      ))}
      {start.isError && (
        <p className="c-bad sm" role="alert">
          {[problemOf(start.error).detail, ...problemOf(start.error).errors.map(({ detail }) => detail)].join('; ')}
        </p>
      )}
    </Dialog>
  );
}
