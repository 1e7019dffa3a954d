import type { ClientShape } from '../../../shared/contracts/jobs/clients.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { clientAuthView } from './client-auth.ts';
import type { Client, ClientKey } from '../../../shared/ports/clients.ts';

export function clientView(client: Client): ClientShape {
  const { clientId, name, revision, enabled, disabledReason, definition, auth, keys, createdAt, updatedAt } = client;
  const id = publicId('client', clientId);
  return {
    id,
    name,
    revision,
    enabled,
    disabledReason,
    ...definition,
    auth: auth && clientAuthView(auth),
    keys: keys.map(clientKeyView),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    links: { self: `/v1/clients/${id}`, ledger: `/v1/clients/${id}/ledger` },
  };
}

export function clientKeyView({ keyId, createdAt, expiresAt }: ClientKey): ClientShape['keys'][number] {
  const id = publicId('clientKey', keyId);
  return { id, createdAt: createdAt.toISOString(), expiresAt: expiresAt?.toISOString() ?? null };
}
