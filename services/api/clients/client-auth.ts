import { createPrivateKey, X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import {
  authPlace,
  newClientAuth,
  type ClientAuthShape,
  type NewClientAuth,
  type StoredClientAuth,
} from '../../../shared/contracts/jobs/client-auth.ts';
import type { SecretBox } from '../../../shared/runtime/configuration/secret-box.ts';
import { invalidRequest, type HttpProblem } from '../frame/http-problem.ts';
import { sealing } from '../frame/sealing.ts';
import type { ClientEgress, EgressRules } from './client-egress.ts';
import { codeOf } from '../frame/server/check-shape.ts';
import { pointerOf } from '../frame/server/json-pointer.ts';

/**
 * Reads the credentials from a body.
 * @throws {HttpProblem} 422, whose text never quotes a value
 */
export function readClientAuth(body: unknown): NewClientAuth {
  const read = newClientAuth.safeParse(body);
  if (read.success) return read.data;
  const problems = read.error.issues.slice(0, 20).map((issue) => {
    return { pointer: pointerOf(issue.path), code: codeOf(issue), detail: issue.message };
  });
  throw invalidRequest(problems);
}

/**
 * Checks the address of the token server, because Muster itself sends requests to it. The URL of each call is checked
 * with its job.
 * @throws {HttpProblem} 422 for an address that may not be called
 */
export function checkAddressesOfAuth(auth: NewClientAuth, rules: EgressRules, egress: ClientEgress): void {
  const forbidden = auth.kind === 'oauth2' ? egress.problemOf(rules, auth.tokenUrl, '/tokenUrl') : null;
  if (forbidden) throw invalidRequest([forbidden]);
}

/**
 * Encrypts the secrets of the credentials.
 * @throws {HttpProblem} 409 if this process cannot store secrets
 */
export function sealClientAuth(auth: NewClientAuth, clientId: string, now: Date, box: SecretBox): StoredClientAuth {
  const kept = { origins: auth.origins, changedAt: now.toISOString() };
  const sealed = (name: string, plain: string, sentTo = auth.origins) => ({
    ...sealing(() => box.seal(plain, authPlace(clientId, name, sentTo))),
    length: plain.length,
  });
  switch (auth.kind) {
    case 'bearer':
      return { kind: auth.kind, ...kept, token: sealed('token', auth.token) };
    case 'basic':
      return { kind: auth.kind, ...kept, username: auth.username, password: sealed('password', auth.password) };
    case 'oauth2': {
      const { tokenUrl, clientId: id, scope = null } = auth;
      // The secret is sent only to the token server. The tokens obtained with it are sent to the other origins.
      const clientSecret = sealed('clientSecret', auth.clientSecret, [tokenUrl, ...auth.origins]);
      return { kind: auth.kind, ...kept, tokenUrl, clientId: id, scope, clientSecret };
    }
    case 'mtls': {
      const { certificate, ca = null } = auth;
      const validUntil = validUntilOf(auth).toISOString();
      return { kind: auth.kind, ...kept, certificate, ca, validUntil, key: sealed('key', auth.key) };
    }
  }
}

/**
 * Returns the time until which the certificate is valid.
 * @throws {HttpProblem} 422 if key and certificate do not match, or if an origin does not use HTTPS
 */
function validUntilOf({ origins, certificate, key, ca }: Extract<NewClientAuth, { kind: 'mtls' }>): Date {
  const plain = origins.findIndex((origin) => !origin.startsWith('https:'));
  if (plain >= 0) throw wrong(`/origins/${plain}`, 'has to be an https:// server');
  const read = unlessWrong('/certificate', () => new X509Certificate(certificate));
  const own = unlessWrong('/key', () => createPrivateKey(key));
  if (!read.checkPrivateKey(own)) throw wrong('/key', 'is not the key of the certificate');
  if (ca !== undefined) unlessWrong('/ca', () => new X509Certificate(ca));
  unlessWrong('/certificate', () => createSecureContext({ cert: certificate, key, ca }));
  return new Date(read.validTo);
}

/** Runs the work, and replaces errors of the parser, because they may quote the key. */
function unlessWrong<Result>(pointer: string, work: () => Result): Result {
  try {
    return work();
  } catch {
    throw wrong(pointer, 'cannot be read');
  }
}

function wrong(pointer: string, detail: string): HttpProblem {
  return invalidRequest([{ pointer, code: unusable, detail }]);
}

const unusable = 'unusable-certificate';

export const clientAuthRefusals = {
  'forbidden-address': '`tokenUrl` is an address that may not be called',
  [unusable]: 'a certificate or its key cannot be read, they are no pair, or they are for a server without https',
};

export function clientAuthView(auth: StoredClientAuth): ClientAuthShape {
  const kept = { origins: auth.origins, changedAt: auth.changedAt };
  const masked = ({ length }: { length: number }) => ({ set: true, length }) as const;
  switch (auth.kind) {
    case 'bearer':
      return { kind: auth.kind, ...kept, token: masked(auth.token) };
    case 'basic':
      return { kind: auth.kind, ...kept, username: auth.username, password: masked(auth.password) };
    case 'oauth2': {
      const { tokenUrl, clientId, scope, clientSecret } = auth;
      return { kind: auth.kind, ...kept, tokenUrl, clientId, scope, clientSecret: masked(clientSecret) };
    }
    case 'mtls': {
      const { certificate, ca, validUntil, key } = auth;
      return { kind: auth.kind, ...kept, certificate, ca, validUntil, key: masked(key) };
    }
  }
}
