import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { digestOfApiKey } from '../../../shared/runtime/installation/api-key-secret.ts';

const secretPattern = /^[A-Za-z0-9_-]{43}$/;

/** Returns a secret of 256 random bits, for the cookie of a session or for a link. */
export function newSessionSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the digest of a secret; undefined for a text that cannot be one of our secrets. */
export function digestOfSecret(secret: string): string | undefined {
  return secretPattern.test(secret) ? digestOfApiKey(secret) : undefined;
}

/**
 * Returns the CSRF token, which our pages send in addition to the cookie. It is derived from the secret, does not
 * reveal the secret, and is not stored. So a reader of the table of sessions cannot compute it.
 */
export function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('csrf').digest('base64url');
}

export function isCsrfToken(given: unknown, secret: string): boolean {
  const [expected, received] = [Buffer.from(csrfTokenOf(secret)), Buffer.from(typeof given === 'string' ? given : '')];
  return expected.length === received.length && timingSafeEqual(expected, received);
}

export interface CookiePlace {
  /** Path prefix of the whole API: empty, or a path such as `/muster`. */
  basePath: string;
  isSecure: boolean;
}

/** Cookie of a session, or of a sign-in that is under way at the issuer. */
export type CookieKind = 'session' | 'sign-in';

/**
 * Prefixes of cookie names, the strongest first. Browsers accept `__Host-` only from this host, and `__Secure-` only
 * over HTTPS.
 */
const prefixes = ['__Host-', '__Secure-', ''] as const;

function nameOf({ basePath, isSecure }: CookiePlace, kind: CookieKind): string {
  const [host, secure, plain] = prefixes;
  return `${isSecure ? (basePath === '' ? host : secure) : plain}muster-${kind}`;
}

/** Returns the name and the attributes of a cookie. Browsers send it only to this place, and scripts cannot read it. */
export function cookieAt(place: CookiePlace, kind: CookieKind) {
  const path = place.basePath === '' ? '/' : place.basePath;
  const attributes = { path, httpOnly: true, sameSite: 'strict', secure: place.isSecure } as const;
  return { name: nameOf(place, kind), attributes };
}

/**
 * Maximum number of session cookies of a request that are tried. Other paths and services of the host may have set
 * cookies with the same name.
 */
const maxTried = 5;

/**
 * Returns the secrets in the cookies of a request. Only the cookies with the strongest prefix in the request count: a
 * sibling host could set a cookie without a prefix, but not one that needs HTTPS. Cookies of other services may have
 * the same name, and may come first.
 * @param place undefined if the public address is not configured
 */
export function secretsInCookies(
  header: string | undefined,
  place: CookiePlace | undefined,
  kind: CookieKind = 'session',
): string[] {
  const cookies = (header ?? '').split(';').map((cookie) => cookie.trim());
  const under = (name: string) =>
    cookies.filter((cookie) => cookie.startsWith(`${name}=`)).map((cookie) => cookie.slice(name.length + 1));
  const names = place ? [nameOf(place, kind)] : prefixes.map((prefix) => `${prefix}muster-${kind}`);
  const secrets = names.map(under).find((each) => each.length > 0) ?? [];
  return secrets.slice(0, maxTried);
}
