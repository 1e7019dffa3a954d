import { changeApiKey } from '#client/sdk.gen.ts';
import { ConfirmDialog } from '../../parts/overlays/confirm-dialog.tsx';

interface PersonDialogProps {
  id: string;
  name: string;
  onClose: () => void;
}

/** Confirmation that blocks a person until an operator permits access again. */
export function ShutOutDialog({ id, name, onClose }: PersonDialogProps) {
  return (
    <ConfirmDialog
      title={`Shut ${name} out?`}
      lead="Until an operator lets them in again."
      verb="Shut out"
      leave="Cancel"
      isGrave
      act={() => shutOutPerson(id)}
      onClose={onClose}
    >
      Their sessions end within two seconds, and they can no longer log in. Keys and campaigns that they created stay.
      Attempts to log in are listed below the keys.
    </ConfirmDialog>
  );
}

export function LetInDialog({ id, name, onClose }: PersonDialogProps) {
  return (
    <ConfirmDialog
      title={`Let ${name} in again?`}
      lead="Their permissions come from their identity provider."
      verb="Let in"
      leave="Cancel"
      act={() => changeApiKey({ path: { id }, body: { expiresAt: null } })}
      onClose={onClose}
    >
      They have to log in again: earlier sessions have ended.
    </ConfirmDialog>
  );
}

async function shutOutPerson(id: string): Promise<void> {
  const { data } = await changeApiKey({ path: { id }, body: { expiresAt: new Date().toISOString() } });
  // An expiry at the current time blocks the person. The database compares the expiry with its own clock. If that clock
  // is behind this computer's, the person is not blocked yet.
  if (data.state === 'active')
    throw new Error(`the clock of this computer is ahead: it ends at ${data.expiresAt ?? ''}`);
}
