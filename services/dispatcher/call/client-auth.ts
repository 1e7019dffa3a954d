import { createSecureContext } from 'node:tls';
import { authPlace, type StoredClientAuth } from '../../../shared/contracts/jobs/client-auth.ts';
import type { SecretBox } from '../../../shared/runtime/configuration/secret-box.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { createAccessTokens } from './access-tokens.ts';
import type { CallbackEndpoint, CallLimits, ClientTls } from '../ports/callback-endpoint.ts';
import type { Authorization, CallAuth } from '../ports/client-terms.ts';

export interface ClientAuthDeps {
  secretBox: Pick<SecretBox, 'open'>;
  /** Endpoint for token requests. Unlike the endpoint for jobs, it returns complete response bodies. */
  tokenEndpoint: CallbackEndpoint;
  clock: Clock;
}

/** @throws {SecretBoxError} if this process cannot decrypt a secret */
export function openClientAuth(
  auth: Exclude<StoredClientAuth, StoredCertificate>,
  clientId: string,
  limits: CallLimits,
  { secretBox, tokenEndpoint, clock }: ClientAuthDeps,
): CallAuth {
  const open = (name: string, { sealed }: { sealed: string }, sentTo = auth.origins) =>
    secretBox.open(sealed, authPlace(clientId, name, sentTo));
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
      return { origins, isForAll: false, ...createAccessTokens(terms, { endpoint: tokenEndpoint, clock }) };
    }
  }
}

/** @throws if this process cannot decrypt or parse the client certificate or its private key */
export function openClientTls(auth: StoredCertificate, clientId: string, box: Pick<SecretBox, 'open'>): ClientTls {
  const { origins, certificate, ca } = auth;
  const key = box.open(auth.key.sealed, authPlace(clientId, 'key', origins));
  // Validates the certificate and the key here, so that a fault affects only this client.
  createSecureContext({ cert: certificate, key, ...(ca === null ? {} : { ca }) });
  return { origins: new Set(origins), certificate, key, ca };
}

type StoredCertificate = Extract<StoredClientAuth, { kind: 'mtls' }>;

/**
 * Returns an authorization that prevents all calls, for credentials that this process cannot use. Without credentials,
 * receivers would refuse the calls or, worse, accept them.
 */
export function unusableAuth(auth: StoredClientAuth, cause: string): CallAuth {
  const authorization: Authorization = { kind: 'unsent', cause };
  const isForAll = auth.kind === 'mtls';
  return { origins: new Set(auth.origins), isForAll, authorization: () => authorization, refused: () => undefined };
}

function always(origins: ReadonlySet<string>, value: string, ...others: readonly string[]): CallAuth {
  const [, credentials = ''] = value.split(' ');
  const authorization: Authorization = { kind: 'header', value, secrets: [credentials, ...others] };
  return { origins, isForAll: false, authorization: () => authorization, refused: () => undefined };
}
