import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { deleteClient, disableClient, enableClient } from '#client/sdk.gen.ts';
import type { Client } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { TextInput } from '../../parts/controls/controls.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';
import { Refused } from '../../parts/standing/refused.tsx';

export function ClientActions({ client }: { client: Client }) {
  const { id, name, enabled } = client;
  const [asked, setAsked] = useState<'pause' | 'resume' | 'delete'>();
  const refusal = useRefusal('operator');
  const navigate = useNavigate();
  const close = () => setAsked(undefined);
  return (
    <div className="row ml-auto flex-wrap">
      <Link className="btn" to="/jobs" search={{ client: name }}>
        Its jobs
      </Link>
      <Link className="btn" to="/schedules" search={{ client: name }}>
        Its schedules
      </Link>
      {enabled ? (
        <Button icon="pause" refusal={refusal} onClick={() => setAsked('pause')}>
          Pause client…
        </Button>
      ) : (
        <>
          <Button icon="play" refusal={refusal} onClick={() => setAsked('resume')}>
            Go on…
          </Button>
          <Button kind="bad" refusal={refusal} onClick={() => setAsked('delete')}>
            Delete…
          </Button>
        </>
      )}
      {asked === 'pause' && <PauseDialog client={client} onClose={close} />}
      {asked === 'resume' && (
        <VerbDialog
          title={`Let ${name} go on?`}
          lead="Jobs are accepted for it again, and called."
          verb="Let it go on"
          leave="Leave it paused"
          act={() => enableClient({ path: { id }, throwOnError: true })}
          onClose={close}
        >
          What was due meanwhile is called as fast as its limits allow; what has expired is not.
        </VerbDialog>
      )}
      {asked === 'delete' && (
        <VerbDialog
          title={`Delete ${name}?`}
          lead="For good, with its schedules. It must have no stored job any more."
          verb="Delete it"
          leave="Keep it"
          isGrave
          act={() => deleteClient({ path: { id }, throwOnError: true })}
          onDone={() => navigate({ to: '/clients' })}
          onClose={close}
        >
          What its jobs came to can be read as before, by their ids.
        </VerbDialog>
      )}
    </div>
  );
}

function PauseDialog({ client: { id, name }, onClose }: { client: Client; onClose: () => void }) {
  const queries = useQueryClient();
  const [reason, setReason] = useState('');
  const pause = useMutation({
    mutationFn: () =>
      disableClient({
        path: { id },
        body: reason.trim() === '' ? {} : { reason: reason.trim() },
        throwOnError: true,
      }),
    onSuccess: async () => {
      await queries.invalidateQueries();
      onClose();
    },
  });
  return (
    <Dialog
      title={`Pause ${name}?`}
      lead="Nothing is accepted for it and nothing is called; what is stored waits."
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose} data-autofocus>
            Let it go on
          </Button>
          <Button kind="solid-bad" disabled={pause.isPending} onClick={() => pause.mutate()}>
            Pause client
          </Button>
        </>
      }
    >
      <p className="t2">
        Its service is refused jobs meanwhile. Calls that are under way end as ever, and all other clients go on.
      </p>
      <FormField pointer="/reason" label="Why" hint="For whoever reads it later">
        {(control) => <TextInput {...control} value={reason} onText={setReason} />}
      </FormField>
      {pause.isError && <Refused error={pause.error} />}
    </Dialog>
  );
}
