import { authPlace, type StoredClientAuth } from '../../shared/contracts/jobs/client-auth.ts';
import type { SecretBox } from '../../shared/runtime/configuration/secret-box.ts';
import type { Authorization, CallAuth } from './ports/client-terms.ts';

/** @throws {SecretBoxError} where its secrets do not open here */
export function openClientAuth(auth: StoredClientAuth, clientId: string, box: Pick<SecretBox, 'open'>): CallAuth {
  const open = (name: string, { sealed }: { sealed: string }) =>
    box.open(sealed, authPlace(clientId, name, auth.origins));
  const origins = new Set(auth.origins);
  switch (auth.kind) {
    case 'bearer':
      return always(origins, `Bearer ${open('token', auth.token)}`);
    case 'basic': {
      const password = open('password', auth.password);
      return always(origins, `Basic ${Buffer.from(`${auth.username}:${password}`).toString('base64')}`, password);
    }
  }
}

/** For credentials that are there and cannot be used: calls without them would be refused, or worse, not. */
export function unusableAuth(auth: StoredClientAuth, cause: string): CallAuth {
  const authorization: Authorization = { kind: 'unsent', cause };
  return { origins: new Set(auth.origins), authorization: () => authorization };
}

function always(origins: ReadonlySet<string>, value: string, ...others: readonly string[]): CallAuth {
  const [, credentials = ''] = value.split(' ');
  const authorization: Authorization = { kind: 'header', value, secrets: [credentials, ...others] };
  return { origins, authorization: () => authorization };
}
