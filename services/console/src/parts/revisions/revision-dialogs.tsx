import { useQuery } from '@tanstack/react-query';
import { problemOf } from '../../api/problems.ts';
import { DifferencesTable } from '../campaign/differences-table.tsx';
import { Button } from '../controls/button.tsx';
import { Dialog } from '../overlays/dialog.tsx';
import { ConfirmDialog } from '../overlays/confirm-dialog.tsx';
import { callsOf, differencesQuery, type RevisedObject } from './revised-object.ts';

interface RevisionDialogProps {
  revised: RevisedObject;
  revision: number;
  onClose: () => void;
}

export function RevisionDialog({ revised, revision, onClose }: RevisionDialogProps) {
  return (
    <Dialog
      title={`Changes in revision ${revision}`}
      onClose={onClose}
      actions={
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      }
    >
      <Differences revised={revised} from={revision - 1} to={revision} />
    </Dialog>
  );
}

interface RestoreDialogProps extends RevisionDialogProps {
  onRestored: (() => void) | undefined;
}

/** Confirmation that shows the differences before a revision is restored. */
export function RestoreDialog({ revised, revision, onClose, onRestored }: RestoreDialogProps) {
  const { id, revision: newest, name } = revised;
  const { restore, leaves } = callsOf(revised);
  return (
    <ConfirmDialog
      title={`Restore revision ${revision} of “${name}”?`}
      lead={`It becomes revision ${newest + 1}. The revisions in between stay. ${leaves}`}
      verb="Restore"
      leave="Cancel"
      act={async () => {
        await restore({ path: { id, revision }, throwOnError: true });
        onRestored?.();
      }}
      onClose={onClose}
    >
      <Differences revised={revised} from={newest} to={revision} />
    </ConfirmDialog>
  );
}

function Differences({ revised, from, to }: { revised: RevisedObject; from: number; to: number }) {
  const diff = useQuery(differencesQuery(revised, from, to));
  if (diff.error) {
    return (
      <p className="c-bad sm" role="alert">
        {problemOf(diff.error).detail}
      </p>
    );
  }
  if (!diff.data) return <p className="t3">asking…</p>;
  return <DifferencesTable diff={diff.data} {...(revised.placeOf && { placeOf: revised.placeOf })} />;
}
