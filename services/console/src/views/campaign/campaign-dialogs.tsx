import { useNavigate } from '@tanstack/react-router';
import { archiveCampaign, deleteCampaign, unarchiveCampaign, unscheduleCampaign } from '#client/sdk.gen.ts';
import type { Campaign } from '#client/types.gen.ts';
import { ConfirmDialog } from '../../parts/overlays/confirm-dialog.tsx';

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
  unschedule: UnscheduleDialog,
  archive: ArchiveDialog,
  unarchive: UnarchiveDialog,
  delete: DeleteDialog,
} as const;

function UnscheduleDialog({ campaign: { id, name }, onClose }: CampaignDialogProps) {
  return (
    <ConfirmDialog
      title={`Unschedule “${name}”?`}
      lead="It becomes a draft again, which you can change and start."
      verb="Unschedule it"
      leave="Keep it scheduled"
      isGrave
      act={() => unscheduleCampaign({ path: { id }, throwOnError: true })}
      onClose={onClose}
    >
      No user has been called for it yet.
    </ConfirmDialog>
  );
}

function ArchiveDialog({ campaign: { id, name }, onClose }: CampaignDialogProps) {
  return (
    <ConfirmDialog
      title={`Archive “${name}”?`}
      lead="It is hidden from lists, and can no longer be changed or started."
      verb="Archive it"
      leave="Cancel"
      act={() => archiveCampaign({ path: { id }, throwOnError: true })}
      onClose={onClose}
    >
      Its runs and reports stay. You can unarchive it at any time.
    </ConfirmDialog>
  );
}

function UnarchiveDialog({ campaign: { id, name }, onClose }: CampaignDialogProps) {
  return (
    <ConfirmDialog
      title={`Unarchive “${name}”?`}
      lead="It appears in lists again."
      verb="Unarchive it"
      leave="Keep it archived"
      act={() => unarchiveCampaign({ path: { id }, throwOnError: true })}
      onClose={onClose}
    >
      Its state is the same as before. Nothing starts.
    </ConfirmDialog>
  );
}

function DeleteDialog({ campaign: { id, name, revision }, onClose }: CampaignDialogProps) {
  const navigate = useNavigate();
  return (
    <ConfirmDialog
      title={`Delete “${name}”?`}
      lead={
        revision === 1
          ? 'This deletes the draft for good.'
          : `This deletes the draft and its ${revision} revisions for good.`
      }
      verb="Delete it"
      leave="Keep it"
      isGrave
      act={() => deleteCampaign({ path: { id }, throwOnError: true })}
      onDone={() => navigate({ to: '/campaigns' })}
      onClose={onClose}
    >
      It never ran, so no user was called. Only its entry in the audit log remains.
    </ConfirmDialog>
  );
}
