import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { deleteClient } from '#client/sdk.gen.ts';
import type { Client } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { ConfirmDialog } from '../../parts/overlays/confirm-dialog.tsx';
import { EndpointVerbDialog } from './endpoint-verb-dialog.tsx';

/** Actions on a client. They pause and resume it through its endpoint `default`. */
export function ClientActions({ client }: { client: Client }) {
  const { id, name, endpoint } = client;
  const [command, setCommand] = useState<'pause' | 'resume' | 'delete'>();
  const refusal = useRefusal('operator');
  const navigate = useNavigate();
  const close = () => setCommand(undefined);
  return (
    <div className="row ml-auto flex-wrap">
      <Link className="btn" to="/jobs" search={{ client: name }}>
        Its jobs
      </Link>
      <Link className="btn" to="/schedules" search={{ client: name }}>
        Its schedules
      </Link>
      {endpoint.enabled ? (
        <Button icon="pause" refusal={refusal} onClick={() => setCommand('pause')}>
          Pause client…
        </Button>
      ) : (
        <>
          <Button icon="play" refusal={refusal} onClick={() => setCommand('resume')}>
            Resume…
          </Button>
          <Button kind="bad" refusal={refusal} onClick={() => setCommand('delete')}>
            Delete…
          </Button>
        </>
      )}
      {(command === 'pause' || command === 'resume') && (
        <EndpointVerbDialog client={client} command={{ verb: command, endpoint }} onClose={close} />
      )}
      {command === 'delete' && (
        <ConfirmDialog
          title={`Delete ${name}?`}
          lead="This deletes the client and its schedules for good. It must have no stored jobs."
          verb="Delete it"
          leave="Keep it"
          isGrave
          act={() => deleteClient({ path: { id }, throwOnError: true })}
          onDone={() => navigate({ to: '/clients' })}
          onClose={close}
        >
          Outcomes of its jobs can still be read by their ids.
        </ConfirmDialog>
      )}
    </div>
  );
}
