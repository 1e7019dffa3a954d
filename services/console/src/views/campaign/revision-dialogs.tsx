import { useQuery } from '@tanstack/react-query';
import { diffCampaignRevisionsOptions } from '#client/@tanstack/react-query.gen.ts';
import { restoreCampaignRevision } from '#client/sdk.gen.ts';
import type { Campaign } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../../parts/controls/button.tsx';
import { DifferencesTable } from '../../parts/campaign/differences-table.tsx';
import { usePlaceNames } from '../../parts/campaign/parameters.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';

interface RevisionDialogProps {
  campaign: Campaign;
  revision: number;
  onClose: () => void;
}

export function RevisionDialog({ campaign, revision, onClose }: RevisionDialogProps) {
  return (
    <Dialog
      title={`What changed in revision ${revision}`}
      onClose={onClose}
      actions={
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      }
    >
      <Differences {...{ campaign }} from={revision - 1} to={revision} />
    </Dialog>
  );
}

/** Confirmation that shows the differences before a revision is restored. */
export function RestoreDialog({ campaign, revision, onClose }: RevisionDialogProps) {
  const { id, revision: newest, name } = campaign;
  return (
    <VerbDialog
      title={`Restore revision ${revision} of “${name}”?`}
      lead={`It becomes revision ${newest + 1}. Those between stay, and nothing starts by that.`}
      verb="Restore it"
      leave="Leave it"
      act={() => restoreCampaignRevision({ path: { id, revision }, throwOnError: true })}
      onClose={onClose}
    >
      <Differences {...{ campaign }} from={newest} to={revision} />
    </VerbDialog>
  );
}

function Differences({ campaign: { id, chain }, from, to }: { campaign: Campaign; from: number; to: number }) {
  const placeOf = usePlaceNames(chain);
  const diff = useQuery(diffCampaignRevisionsOptions({ path: { id, revision: from }, query: { to } }));
  if (diff.error) {
    return (
      <p className="c-bad sm" role="alert">
        {problemOf(diff.error).detail}
      </p>
    );
  }
  return diff.data ? <DifferencesTable diff={diff.data} placeOf={placeOf} /> : <p className="t3">asking…</p>;
}
