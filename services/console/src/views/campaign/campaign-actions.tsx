import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Campaign } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Menu, MenuItem } from '../../parts/overlays/menu.tsx';
import { hasEnded, isDraft } from '../../parts/standing/state-looks.ts';
import { CampaignDialog, type CampaignVerb } from './campaign-dialogs.tsx';
import { StartDraftDialog } from './start-draft-dialog.tsx';

export function CampaignActions({ campaign }: { campaign: Campaign }) {
  const { id, state, links, archivedAt } = campaign;
  const [open, setOpen] = useState<'start' | CampaignVerb | null>(null);
  const runId = links.latestRun?.split('/').at(-1);
  const isUnderWay = runId !== undefined && !hasEnded(state);
  const refusal = useRefusal('manager');
  const close = () => setOpen(null);
  return (
    <div className="row ml-auto">
      {refusal === undefined ? (
        <Link className="btn" to="/campaigns/new" search={{ copy: id }}>
          Duplicate
        </Link>
      ) : (
        <Button refusal={refusal}>Duplicate</Button>
      )}
      {archivedAt !== null && (
        <Button refusal={refusal} onClick={() => setOpen('unarchive')}>
          Unarchive…
        </Button>
      )}
      {isDraft(state) && archivedAt === null && (
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
          Unschedule…
        </Button>
      )}
      {isUnderWay && (
        <Link className="btn ink" to="/runs/$runId" params={{ runId }}>
          Watch the run
        </Link>
      )}
      {refusal === undefined && <MoreMenu campaign={campaign} onChoose={setOpen} />}
      {open === 'start' && <StartDraftDialog campaign={campaign} onClose={close} />}
      {open !== null && open !== 'start' && <CampaignDialog verb={open} campaign={campaign} onClose={close} />}
    </div>
  );
}

interface MoreMenuProps {
  campaign: Campaign;
  onChoose: (verb: CampaignVerb) => void;
}

/** Menu that archives or deletes a campaign; hidden while a start is planned or a run is under way. */
function MoreMenu({ campaign: { state, archivedAt }, onChoose }: MoreMenuProps) {
  const mayArchive = archivedAt === null && (isDraft(state) || hasEnded(state));
  const mayDelete = isDraft(state);
  if (!mayArchive && !mayDelete) return null;
  return (
    <Menu target={(target) => <Button {...target} icon="more" label="More" />}>
      {mayArchive && <MenuItem onClick={() => onChoose('archive')}>Archive…</MenuItem>}
      {mayDelete && <MenuItem onClick={() => onChoose('delete')}>Delete the draft…</MenuItem>}
    </Menu>
  );
}
