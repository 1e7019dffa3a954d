import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Values that a sign-in needs again when the browser returns from the issuer. Each is derived from the secret in the
 * browser's cookie, so none is stored or reveals the others.
 */
export interface SignInSecrets {
  /** Returned with the code: proves that the browser that began the sign-in ends it. */
  state: string;
  /** Returned inside the ID token: proves that the token was made for this sign-in. */
  nonce: string;
  /** Verifier of PKCE: sent with the code, so an intercepted code is useless. */
  verifier: string;
}

export function signInSecretsOf(secret: string): SignInSecrets {
  const derived = (purpose: string) => createHmac('sha256', secret).update(`sign-in ${purpose}`).digest('base64url');
  return { state: derived('state'), nonce: derived('nonce'), verifier: derived('verifier') };
}

/** Implements RFC 7636, section 4.2. */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

export function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
