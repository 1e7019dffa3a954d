import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { digestOfApiKey } from '../../../shared/runtime/installation/api-key-secret.ts';

const secretPattern = /^[A-Za-z0-9_-]{43}$/;

/** For the cookie of a session or for a link: 256 random bits. */
export function newSessionSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** Undefined for what cannot be one of our secrets. */
export function digestOfSecret(secret: string): string | undefined {
  return secretPattern.test(secret) ? digestOfApiKey(secret) : undefined;
}

/**
 * What a page of ours has to say beside the cookie. It follows from the secret, so it needs no place of its own, and
 * says nothing about it; who can read the sessions' table cannot make one.
 */
export function csrfTokenOf(secret: string): string {
  return createHmac('sha256', secret).update('csrf').digest('base64url');
}

export function isCsrfToken(given: unknown, secret: string): boolean {
  const [wanted, said] = [Buffer.from(csrfTokenOf(secret)), Buffer.from(typeof given === 'string' ? given : '')];
  return wanted.length === said.length && timingSafeEqual(wanted, said);
}

export interface CookiePlace {
  /** Empty, or such as `/muster`. */
  basePath: string;
  isSecure: boolean;
}

/** A session, or a sign-in that is under way at the issuer. */
export type CookieKind = 'session' | 'sign-in';

/** From the strongest: a browser takes `__Host-` from this very host alone, and `__Secure-` by https alone. */
const prefixes = ['__Host-', '__Secure-', ''] as const;

function nameOf({ basePath, isSecure }: CookiePlace, kind: CookieKind): string {
  const [host, secure, plain] = prefixes;
  return `${isSecure ? (basePath === '' ? host : secure) : plain}muster-${kind}`;
}

/** How a cookie is set for a place: sent along to it alone, and read by no script. */
export function cookieAt(place: CookiePlace, kind: CookieKind) {
  const path = place.basePath === '' ? '/' : place.basePath;
  const attributes = { path, httpOnly: true, sameSite: 'strict', secure: place.isSecure } as const;
  return { name: nameOf(place, kind), attributes };
}

/** A browser sends a cookie of our name for each path and each service of the host that set one. */
const maxTried = 5;

/**
 * The secrets in the cookies that a request came with, of the strongest name that is among them. Under a name that only
 * https can set where there is one: any sibling host could have set the plain one. Whatever has its name and is none of
 * ours stands beside it, and may stand before it.
 * @param place undefined where it is not configured how people reach us
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
