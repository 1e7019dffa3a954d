import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { unscheduleCampaign } from '#client/sdk.gen.ts';
import { getCampaignQueryKey, listCampaignsQueryKey } from '#client/@tanstack/react-query.gen.ts';
import type { Campaign } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { hasEnded } from '../../parts/standing/state-looks.ts';
import { StartDraftDialog } from './start-draft-dialog.tsx';

/** What can be done with a campaign as it stands. */
export function CampaignActions({ campaign }: { campaign: Campaign }) {
  const { id, state, links } = campaign;
  const [open, setOpen] = useState<'start' | 'unschedule' | null>(null);
  const runId = links.latestRun?.split('/').at(-1);
  const isUnderWay = runId !== undefined && !hasEnded(state);
  const refusal = useRefusal('manager');
  return (
    <div className="row ml-auto">
      {refusal === undefined ? (
        <Link className="btn" to="/campaigns/new" search={{ copy: id }}>
          Duplicate
        </Link>
      ) : (
        <Button refusal={refusal}>Duplicate</Button>
      )}
      {state === 'draft' && (
        <>
          {refusal === undefined ? (
            <Link className="btn" to="/campaigns/$campaignId/edit" params={{ campaignId: id }}>
              Edit
            </Link>
          ) : (
            <Button refusal={refusal}>Edit</Button>
          )}
          <Button kind="ink" refusal={refusal} onClick={() => setOpen('start')}>
            {campaign.schedule.type === 'now' ? 'Start…' : 'Schedule…'}
          </Button>
        </>
      )}
      {state === 'scheduled' && (
        <Button kind="bad" refusal={refusal} onClick={() => setOpen('unschedule')}>
          Take back…
        </Button>
      )}
      {isUnderWay && (
        <Link className="btn ink" to="/runs/$runId" params={{ runId }}>
          Watch the run
        </Link>
      )}
      {open === 'start' && <StartDraftDialog campaign={campaign} onClose={() => setOpen(null)} />}
      {open === 'unschedule' && <TakeBackDialog campaign={campaign} onClose={() => setOpen(null)} />}
    </div>
  );
}

function TakeBackDialog({ campaign, onClose }: { campaign: Campaign; onClose: () => void }) {
  const queries = useQueryClient();
  const takeBack = useMutation({
    mutationFn: () => unscheduleCampaign({ path: { id: campaign.id }, throwOnError: true }),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: getCampaignQueryKey({ path: { id: campaign.id } }) });
      void queries.invalidateQueries({ queryKey: listCampaignsQueryKey() });
      onClose();
    },
  });
  return (
    <Dialog
      title={`Take “${campaign.name}” back?`}
      lead="It is a draft again, and can be changed and started anew."
      onClose={onClose}
      actions={
        <span className="ml-auto row">
          <Button onClick={onClose} data-autofocus>
            Leave it scheduled
          </Button>
          <Button kind="solid-bad" disabled={takeBack.isPending} onClick={() => takeBack.mutate()}>
            Take it back
          </Button>
        </span>
      }
    >
      <p className="t2">Nobody has been called for it yet: no user is half-way.</p>
      {takeBack.isError && (
        <p className="c-bad sm" role="alert">
          {problemOf(takeBack.error).detail}
        </p>
      )}
    </Dialog>
  );
}
