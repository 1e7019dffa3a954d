import { authPlace, type StoredClientAuth } from '../../shared/contracts/jobs/client-auth.ts';
import type { SecretBox } from '../../shared/runtime/configuration/secret-box.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { createAccessTokens } from './access-tokens.ts';
import type { CallbackEndpoint, CallLimits } from './ports/callback-endpoint.ts';
import type { Authorization, CallAuth } from './ports/client-terms.ts';

export interface ClientAuthDeps {
  secretBox: Pick<SecretBox, 'open'>;
  /** Where tokens are asked for: its answers are whole. */
  tokenEndpoint: CallbackEndpoint;
  clock: Clock;
}

/** @throws {SecretBoxError} where its secrets do not open here */
export function openClientAuth(
  auth: StoredClientAuth,
  limits: CallLimits,
  { secretBox, tokenEndpoint, clock }: ClientAuthDeps,
): CallAuth {
  const open = (name: string, { sealed }: { sealed: string }, sentTo = auth.origins) =>
    secretBox.open(sealed, authPlace(limits.clientId, name, sentTo));
  const origins = new Set(auth.origins);
  switch (auth.kind) {
    case 'bearer':
      return always(origins, `Bearer ${open('token', auth.token)}`);
    case 'basic': {
      const password = open('password', auth.password);
      return always(origins, `Basic ${Buffer.from(`${auth.username}:${password}`).toString('base64')}`, password);
    }
    case 'oauth2': {
      const { tokenUrl, clientId: id, scope } = auth;
      const secret = open('clientSecret', auth.clientSecret, [tokenUrl, ...auth.origins]);
      const terms = { limits: { ...limits, concurrency: 1 }, tokenUrl, id, secret, scope };
      return { origins, ...createAccessTokens(terms, { endpoint: tokenEndpoint, clock }) };
    }
  }
}

/** For credentials that are there and cannot be used: calls without them would be refused, or worse, not. */
export function unusableAuth(auth: StoredClientAuth, cause: string): CallAuth {
  const authorization: Authorization = { kind: 'unsent', cause };
  return { origins: new Set(auth.origins), authorization: () => authorization, refused: () => undefined };
}

function always(origins: ReadonlySet<string>, value: string, ...others: readonly string[]): CallAuth {
  const [, credentials = ''] = value.split(' ');
  const authorization: Authorization = { kind: 'header', value, secrets: [credentials, ...others] };
  return { origins, authorization: () => authorization, refused: () => undefined };
}
