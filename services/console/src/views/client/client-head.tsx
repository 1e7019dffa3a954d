import type { Client } from '#client/types.gen.ts';
import { CopyableId } from '../../parts/controls/copy-button.tsx';
import { clientLook } from '../../parts/jobs/client-look.ts';
import { LookBadge } from '../../parts/standing/state-badge.tsx';
import { Time } from '../../parts/times/time.tsx';
import { countOf } from '../../parts/words/numbers.ts';
import { ClientActions } from './client-actions.tsx';

interface ClientHeadProps {
  client: Client;
  sidelinedHosts: number;
}

export function ClientHead({ client, sidelinedHosts }: ClientHeadProps) {
  const { id, name, createdAt, endpoint } = client;
  return (
    <div className="head">
      <div className="min-w-0">
        <div className="row flex-wrap">
          <h1 className="truncate">{name}</h1>
          <LookBadge look={clientLook(endpoint, sidelinedHosts)} tinted />
        </div>
        <div className="meta">
          <CopyableId id={id} what="id of the client" />
          <span>
            Since{' '}
            <b>
              <Time instant={createdAt} />
            </b>
          </span>
          <span>
            Signs with <b>{countOf(endpoint.keys.length, 'key')}</b>
          </span>
        </div>
      </div>
      <ClientActions client={client} />
    </div>
  );
}
