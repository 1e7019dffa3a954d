import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { deleteClient } from '#client/sdk.gen.ts';
import type { Client } from '#client/types.gen.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/controls/button.tsx';
import { VerbDialog } from '../../parts/overlays/verb-dialog.tsx';
import { EndpointVerbDialog } from './endpoint-verb-dialog.tsx';

/** Actions on a client. It is paused, and goes on, by its endpoint `default`. */
export function ClientActions({ client }: { client: Client }) {
  const { id, name, endpoint } = client;
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
      {endpoint.enabled ? (
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
      {(asked === 'pause' || asked === 'resume') && (
        <EndpointVerbDialog client={client} asked={{ verb: asked, endpoint }} onClose={close} />
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
