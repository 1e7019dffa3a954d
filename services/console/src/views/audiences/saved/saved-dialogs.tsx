import { deleteSavedAudience } from '#client/sdk.gen.ts';
import type { SavedAudience } from '#client/types.gen.ts';
import { VerbDialog } from '../../../parts/overlays/verb-dialog.tsx';
import { countOf } from '../../../parts/words/numbers.ts';

interface DialogProps {
  saved: SavedAudience;
  onClose: () => void;
}

export function DeleteSavedDialog({ saved, onClose, onGone }: DialogProps & { onGone: () => Promise<void> }) {
  const { id, name, usedBy, latestUse } = saved;
  return (
    <VerbDialog
      title={`Delete “${name}”?`}
      lead="For good, with all of its revisions."
      verb="Delete it"
      leave="Keep it"
      isGrave
      act={() => deleteSavedAudience({ path: { id }, throwOnError: true })}
      onDone={onGone}
      onClose={onClose}
    >
      {usedBy === 0
        ? 'No campaign took it.'
        : `${countOf(usedBy, 'campaign')} took it${latestUse === null ? '' : `, at last “${latestUse.name}”`}: they stay as they are, with copies of its sources, and say that it is gone.`}
    </VerbDialog>
  );
}
