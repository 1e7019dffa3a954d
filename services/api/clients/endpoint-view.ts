import type { EndpointShape } from '../../../shared/contracts/jobs/client-endpoints.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { ClientKey } from '../../../shared/ports/clients.ts';
import { clientAuthView } from './client-auth.ts';
import type { OwnedEndpoint } from './postgres/endpoint-store.ts';

export function endpointView({ client: { clientId, endpoints }, endpoint }: OwnedEndpoint): EndpointShape {
  const { name, revision, enabled, disabledReason, url, terms, auth, keys, createdAt, updatedAt } = endpoint;
  const id = publicId('client', clientId);
  const client = `/v1/clients/${id}`;
  const self = `${client}/endpoints/${name}`;
  return {
    name,
    clientId: id,
    revision,
    enabled,
    disabledReason,
    url,
    ...terms,
    auth: auth && clientAuthView(auth),
    keys: keys.map(clientKeyView),
    warnings: warningsOf(self, [...keys, ...endpoints[0].keys]),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    links: { self, client },
  };
}

export function clientKeyView({ keyId, createdAt, expiresAt }: ClientKey): EndpointShape['keys'][number] {
  const id = publicId('clientKey', keyId);
  return { id, createdAt: createdAt.toISOString(), expiresAt: expiresAt?.toISOString() ?? null };
}

/** Returns a warning if calls are not signed: their receiver cannot tell them from calls of other senders. */
function warningsOf(self: string, keys: readonly ClientKey[]): EndpointShape['warnings'] {
  const ends = keys.map(({ expiresAt }) => expiresAt?.getTime() ?? Infinity);
  const lastEnd = Math.max(0, ...ends);
  if (lastEnd === Infinity) return [];
  const since = keys.length === 0 ? '' : ` from ${new Date(lastEnd).toISOString()} on`;
  const detail = `its calls are not signed${since}, so receivers cannot distinguish them from others: POST ${self}/keys creates a key`;
  return [{ pointer: '/keys', code: 'unsigned', detail }];
}
