import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * Values that a sign-in needs again when the browser returns from the issuer. Each is derived from the secret in the
 * browser's cookie. So none of them is stored, and none reveals the others.
 */
export interface SignInSecrets {
  /** Value that the issuer returns with the code. It proves that the sign-in ends in the browser in which it began. */
  state: string;
  /** Value that the issuer returns in the ID token. It proves that the token was issued for this sign-in. */
  nonce: string;
  /** PKCE verifier. It is sent with the code, so that an intercepted code is useless. */
  verifier: string;
}

export function signInSecretsOf(secret: string): SignInSecrets {
  const derived = (purpose: string) => createHmac('sha256', secret).update(`sign-in ${purpose}`).digest('base64url');
  return { state: derived('state'), nonce: derived('nonce'), verifier: derived('verifier') };
}

/** Computes the PKCE code challenge (RFC 7636, section 4.2). */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

export function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
