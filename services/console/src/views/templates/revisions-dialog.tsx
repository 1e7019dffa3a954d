import type { Template } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { RevisionList } from '../../parts/revisions/revision-list.tsx';
import { describePlace } from './template-places.ts';

/** Earlier revisions of a template. A restore closes the dialog, because the template has another revision then. */
export function RevisionsDialog({ template, onClose }: { template: Template; onClose: () => void }) {
  const { id, name, revision } = template;
  const refusal = useRefusal('manager');
  return (
    <Dialog
      isWide
      title={`Revisions of “${name}”`}
      lead="Campaigns created from a revision do not change."
      onClose={onClose}
      actions={
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      }
    >
      <RevisionList
        revised={{ kind: 'template', id, name, revision, placeOf: describePlace, refusal }}
        onRestored={onClose}
      />
    </Dialog>
  );
}
