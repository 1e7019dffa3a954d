import type { IncomingHttpHeaders } from 'node:http';

/** Returns true for methods that change nothing. */
export function isReadMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Returns true if a browser's request comes from a page of Muster itself. Browsers also send a cookie with requests
 * from pages of sibling hosts and other ports, but only the browser can set `Sec-Fetch-Site` and `Origin`. Every
 * browser sends at least one of these with a request that changes something, so such a request needs one.
 * @param publicOrigin origin of Muster's pages, if configured
 */
export function isSameOrigin(headers: IncomingHttpHeaders, method: string, publicOrigin: string | undefined): boolean {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  // `none` means that the user typed the address, or opened it from a bookmark.
  if (site !== undefined && site !== 'same-origin' && !(site === 'none' && isReadMethod(method))) return false;
  if (origin === undefined) return site !== undefined || isReadMethod(method);
  return origin === publicOrigin || isOfHost(origin, headers.host, publicOrigin);
}

function isOfHost(origin: string, host: string | undefined, publicOrigin: string | undefined): boolean {
  const url = URL.parse(origin);
  if (!url || host === undefined || url.host !== host) return false;
  // If the public address is HTTPS, a page of the same host over plain HTTP is foreign.
  return publicOrigin === undefined || new URL(publicOrigin).host !== host;
}
