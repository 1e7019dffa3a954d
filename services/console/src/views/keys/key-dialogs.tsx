import { useMutation, useQueryClient } from '@tanstack/react-query';
import { revokeApiKey, rotateApiKey } from '#client/sdk.gen.ts';
import type { ApiKey } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Issued } from '../../parts/controls/issued.tsx';

interface KeyDialogProps {
  apiKey: ApiKey;
  onClose: () => void;
}

const overlapSeconds = 86_400;

/** Dialog that rotates the secret. The old secret stays valid for a day. */
export function RotateDialog({ apiKey, onClose }: KeyDialogProps) {
  const queries = useQueryClient();
  const rotate = useMutation({
    mutationFn: async () => (await rotateApiKey({ path: { id: apiKey.id }, body: { overlapSeconds } })).data,
    onSuccess: () => queries.invalidateQueries(),
  });
  const issued = rotate.data;
  return (
    <Dialog
      title={`Rotate ${apiKey.name}`}
      onClose={onClose}
      actions={
        issued ? (
          <Button kind="ink" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose} data-autofocus>
              Leave it
            </Button>
            <Button kind="ink" disabled={rotate.isPending} onClick={() => rotate.mutate()}>
              Rotate
            </Button>
          </>
        )
      }
    >
      {issued ? (
        <Issued what="key" name={issued.key.name} secret={issued.secret} />
      ) : (
        <p>
          It gets another secret now. The one before, and sessions that it opened, go on for a day, so that its service
          can change over. Where others know it, use <code>muster api-keys rotate {apiKey.id} --overlap 0</code>.
        </p>
      )}
      {rotate.isError && <Refused error={rotate.error} />}
    </Dialog>
  );
}

export function RevokeDialog({ apiKey, onClose }: KeyDialogProps) {
  const queries = useQueryClient();
  const revoke = useMutation({
    mutationFn: () => revokeApiKey({ path: { id: apiKey.id } }),
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  return (
    <Dialog
      title={`Revoke ${apiKey.name}?`}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose} data-autofocus>
            Leave it
          </Button>
          <Button kind="solid-bad" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
            Revoke
          </Button>
        </>
      }
    >
      <p>
        It is refused within two seconds, with every session that it opened. There is no way back: what uses it needs
        another key. Keys that it made go on.
      </p>
      {revoke.isError && <Refused error={revoke.error} />}
    </Dialog>
  );
}

function Refused({ error }: { error: Error }) {
  return (
    <p className="c-bad sm" role="alert">
      {problemOf(error).detail}
    </p>
  );
}
