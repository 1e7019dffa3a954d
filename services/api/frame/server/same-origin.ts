import type { IncomingHttpHeaders } from 'node:http';

/** Returns true for methods that change nothing. */
export function isReadMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Returns true if a browser's request comes from our own pages. Browsers also send a cookie for pages of sibling hosts
 * and other ports; only the browser sets `Sec-Fetch-Site` and `Origin`. Requests that change something have to carry
 * one of the two, because each browser sends them.
 * @param publicOrigin origin of our pages, if configured
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
  // If our address is HTTPS, the same host over HTTP is not ours.
  return publicOrigin === undefined || new URL(publicOrigin).host !== host;
}
