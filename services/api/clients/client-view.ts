import type { ClientShape } from '../../../shared/contracts/jobs/clients.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { Client } from '../../../shared/ports/clients.ts';
import { endpointView } from './endpoint-view.ts';

export function clientView(client: Client): ClientShape {
  const { clientId, name, revision, definition, endpoints, createdAt, updatedAt } = client;
  const id = publicId('client', clientId);
  const self = `/v1/clients/${id}`;
  return {
    id,
    name,
    revision,
    ...definition,
    endpoint: { ...endpointView({ client, endpoint: endpoints[0] }), ...endpoints[0].terms },
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    links: { self, endpoints: `${self}/endpoints`, ledger: `${self}/ledger` },
  };
}
