import { changeApiKey } from '#client/sdk.gen.ts';
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';

interface PersonDialogProps {
  id: string;
  name: string;
  onClose: () => void;
}

/** Confirmation that blocks a person until an operator permits access again. */
export function ShutOutDialog({ id, name, onClose }: PersonDialogProps) {
  return (
    <VerbDialog
      title={`Shut ${name} out?`}
      lead="Until somebody lets them in again."
      verb="Shut out"
      leave="Leave it"
      isGrave
      act={() => shutOut(id)}
      onClose={onClose}
    >
      Their sessions end within two seconds, and the issuer’s word opens nothing here. Keys that they made, and what
      they wrote, go on. Each time they try to come in is listed beneath the keys.
    </VerbDialog>
  );
}

export function LetInDialog({ id, name, onClose }: PersonDialogProps) {
  return (
    <VerbDialog
      title={`Let ${name} in again?`}
      lead="What they may is said by their issuer."
      verb="Let in"
      leave="Leave it"
      act={() => changeApiKey({ path: { id }, body: { expiresAt: null } })}
      onClose={onClose}
    >
      They sign in anew: sessions from before are over.
    </VerbDialog>
  );
}

async function shutOut(id: string): Promise<void> {
  const { data } = await changeApiKey({ path: { id }, body: { expiresAt: new Date().toISOString() } });
  // An expiry at the current time blocks the person. The database compares it with its own clock, which may be behind.
  if (data.state === 'active')
    throw new Error(`the clock of this computer is ahead: it ends at ${data.expiresAt ?? ''}`);
}
