import { createHash, createHmac, timingSafeEqual } from 'node:crypto';

/**
 * What a sign-in has to know again when the browser comes back from the issuer. All of it follows from the secret in
 * the browser's cookie, so none of it needs a place, and each says nothing about the others.
 */
export interface SignInSecrets {
  /** Comes back with the code: the browser that began it ends it. */
  state: string;
  /** Comes back inside of the ID token: it was made for this sign-in. */
  nonce: string;
  /** Of PKCE: sent with the code, so a code that was seen on its way is worth nothing. */
  verifier: string;
}

export function signInSecretsOf(secret: string): SignInSecrets {
  const derived = (what: string) => createHmac('sha256', secret).update(`sign-in ${what}`).digest('base64url');
  return { state: derived('state'), nonce: derived('nonce'), verifier: derived('verifier') };
}

/** RFC 7636, section 4.2. */
export function challengeOf(verifier: string): string {
  return createHash('sha256').update(verifier).digest('base64url');
}

export function isSameText(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
