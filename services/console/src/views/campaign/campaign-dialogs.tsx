import { useNavigate } from '@tanstack/react-router';
import { archiveCampaign, deleteCampaign, unarchiveCampaign, unscheduleCampaign } from '#client/sdk.gen.ts';
import type { Campaign } from '#client/types.gen.ts';
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';

export type CampaignVerb = keyof typeof dialogs;

interface CampaignDialogProps {
  campaign: Campaign;
  onClose: () => void;
}

export function CampaignDialog({ verb, ...rest }: CampaignDialogProps & { verb: CampaignVerb }) {
  const Chosen = dialogs[verb];
  return <Chosen {...rest} />;
}

const dialogs = {
  unschedule: TakeBackDialog,
  archive: ArchiveDialog,
  unarchive: TakeOutDialog,
  delete: DeleteDialog,
} as const;

function TakeBackDialog({ campaign: { id, name }, onClose }: CampaignDialogProps) {
  return (
    <VerbDialog
      title={`Take “${name}” back?`}
      lead="It is a draft again, and can be changed and started anew."
      verb="Take it back"
      leave="Leave it scheduled"
      isGrave
      act={() => unscheduleCampaign({ path: { id }, throwOnError: true })}
      onClose={onClose}
    >
      Nobody has been called for it yet: no user is half-way.
    </VerbDialog>
  );
}

function ArchiveDialog({ campaign: { id, name }, onClose }: CampaignDialogProps) {
  return (
    <VerbDialog
      title={`Archive “${name}”?`}
      lead="Lists leave it out, and it is neither changed nor started."
      verb="Archive it"
      leave="Leave it"
      act={() => archiveCampaign({ path: { id }, throwOnError: true })}
      onClose={onClose}
    >
      Its runs and reports stay, and it can be taken out again at any time.
    </VerbDialog>
  );
}

function TakeOutDialog({ campaign: { id, name }, onClose }: CampaignDialogProps) {
  return (
    <VerbDialog
      title={`Take “${name}” out of the archive?`}
      lead="It stands in lists again."
      verb="Take it out"
      leave="Leave it archived"
      act={() => unarchiveCampaign({ path: { id }, throwOnError: true })}
      onClose={onClose}
    >
      It is what it was before: nothing starts by that.
    </VerbDialog>
  );
}

function DeleteDialog({ campaign: { id, name, revision }, onClose }: CampaignDialogProps) {
  const navigate = useNavigate();
  return (
    <VerbDialog
      title={`Delete “${name}”?`}
      lead={revision === 1 ? 'For good.' : `For good, with its ${revision} revisions.`}
      verb="Delete it"
      leave="Keep it"
      isGrave
      act={() => deleteCampaign({ path: { id }, throwOnError: true })}
      onDone={() => navigate({ to: '/campaigns' })}
      onClose={onClose}
    >
      It never ran: nobody was called for it. Only its line in the audit log is left.
    </VerbDialog>
  );
}
