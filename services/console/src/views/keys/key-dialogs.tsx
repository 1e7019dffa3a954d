import { useMutation, useQueryClient } from '@tanstack/react-query';
import { revokeApiKey, rotateApiKey } from '#client/sdk.gen.ts';
import type { ApiKey } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { IssuedSecret } from '../../parts/controls/issued-secret.tsx';

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
              Cancel
            </Button>
            <Button kind="ink" disabled={rotate.isPending} onClick={() => rotate.mutate()}>
              Rotate
            </Button>
          </>
        )
      }
    >
      {issued ? (
        <IssuedSecret what="key" name={issued.key.name} secret={issued.secret} />
      ) : (
        <p>
          The key gets a new secret now. The old secret and its sessions stay valid for a day, so that the service can
          switch. If the old secret has leaked, use <code>muster api-keys rotate {apiKey.id} --overlap 0</code>.
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
            Cancel
          </Button>
          <Button kind="solid-bad" disabled={revoke.isPending} onClick={() => revoke.mutate()}>
            Revoke
          </Button>
        </>
      }
    >
      <p>
        The key and all its sessions are refused within two seconds. This cannot be undone: services that use the key
        need another one. Keys that it created stay valid.
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
