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
    warnings: warningsOf(id, keys),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    links: { self: `/v1/clients/${id}`, ledger: `/v1/clients/${id}/ledger` },
  };
}

export function clientKeyView({ keyId, createdAt, expiresAt }: ClientKey): ClientShape['keys'][number] {
  const id = publicId('clientKey', keyId);
  return { id, createdAt: createdAt.toISOString(), expiresAt: expiresAt?.toISOString() ?? null };
}

/** Warns about unsigned calls, because receivers cannot distinguish them from calls by others. */
function warningsOf(id: string, keys: readonly ClientKey[]): ClientShape['warnings'] {
  const ends = keys.map(({ expiresAt }) => expiresAt?.getTime() ?? Infinity);
  const lastEnd = Math.max(0, ...ends);
  if (lastEnd === Infinity) return [];
  const since = keys.length === 0 ? '' : ` from ${new Date(lastEnd).toISOString()} on`;
  const detail = `its calls are not signed${since}, so that receivers cannot tell them from others: POST /v1/clients/${id}/keys makes a key`;
  return [{ pointer: '/keys', code: 'unsigned', detail }];
}
