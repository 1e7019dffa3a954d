import type { EndpointShape } from '../../../shared/contracts/jobs/client-endpoints.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { ClientEndpoint } from '../../../shared/ports/clients.ts';
import { clientAuthView } from './client-auth.ts';
import { clientKeyView } from './client-view.ts';

export function endpointView(clientId: string, endpoint: ClientEndpoint): EndpointShape {
  const { name, revision, enabled, disabledReason, url, terms, auth, keys, createdAt, updatedAt } = endpoint;
  const id = publicId('client', clientId);
  const client = `/v1/clients/${id}`;
  return {
    ...{ name, clientId: id, revision, enabled, disabledReason, url },
    ...terms,
    auth: auth && clientAuthView(auth),
    keys: keys.map(clientKeyView),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    links: { self: `${client}/endpoints/${name}`, client },
  };
}
