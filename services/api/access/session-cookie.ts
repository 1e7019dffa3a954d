import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { digestOfApiKey } from '../../../shared/runtime/installation/api-key-secret.ts';

const secretPattern = /^[A-Za-z0-9_-]{43}$/;

/** Returns a secret of 256 random bits, for the cookie of a session or for a link. */
export function newSessionSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns undefined for a text that cannot be one of our secrets. */
export function digestOfSecret(secret: string): string | undefined {
  return secretPattern.test(secret) ? digestOfApiKey(secret) : undefined;
}

/**
 * Returns the token that our pages send beside the cookie. It is derived from the secret, does not reveal it, and is
 * not stored, so a reader of the sessions table cannot compute it.
 */
export function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('csrf').digest('base64url');
}

export function isCsrfToken(given: unknown, secret: string): boolean {
  const [expected, received] = [Buffer.from(csrfTokenOf(secret)), Buffer.from(typeof given === 'string' ? given : '')];
  return expected.length === received.length && timingSafeEqual(expected, received);
}

export interface CookiePlace {
  /** Empty, or a path such as `/muster`. */
  basePath: string;
  isSecure: boolean;
}

/** Cookie of a session, or of a sign-in that is under way at the issuer. */
export type CookieKind = 'session' | 'sign-in';

/** Strongest prefix first: browsers accept `__Host-` from this host only, and `__Secure-` over HTTPS only. */
const prefixes = ['__Host-', '__Secure-', ''] as const;

function nameOf({ basePath, isSecure }: CookiePlace, kind: CookieKind): string {
  const [host, secure, plain] = prefixes;
  return `${isSecure ? (basePath === '' ? host : secure) : plain}muster-${kind}`;
}

/** Returns name and attributes of a cookie: sent to this place only, and not readable by scripts. */
export function cookieAt(place: CookiePlace, kind: CookieKind) {
  const path = place.basePath === '' ? '/' : place.basePath;
  const attributes = { path, httpOnly: true, sameSite: 'strict', secure: place.isSecure } as const;
  return { name: nameOf(place, kind), attributes };
}

/**
 * Maximum session cookies that are tried. Each path and each service of the host may have set a cookie of the same
 * name.
 */
const maxTried = 5;

/**
 * Returns the secrets in the cookies of a request, of the strongest name among them. A sibling host could set a cookie
 * without a prefix. Such a cookie is ignored if the request also has a cookie that only HTTPS can set. Cookies of other
 * services may have the same name and come first.
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
