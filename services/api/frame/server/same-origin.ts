import type { IncomingHttpHeaders } from 'node:http';

/** What changes nothing. */
export function isLook(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

/**
 * Whether a browser's request comes from our own pages. A cookie is sent by pages of sibling hosts and of other ports
 * too; `Sec-Fetch-Site` and `Origin` are set by the browser, and no page can change them. What changes something has to
 * carry one of the two: every browser sends it.
 * @param publicOrigin where our pages are, when that is known
 */
export function isSameOrigin(headers: IncomingHttpHeaders, method: string, publicOrigin: string | undefined): boolean {
  const site = headers['sec-fetch-site'];
  const { origin } = headers;
  // `none`: typed into the address bar, or opened from a bookmark.
  if (site !== undefined && site !== 'same-origin' && !(site === 'none' && isLook(method))) return false;
  if (origin === undefined) return site !== undefined || isLook(method);
  return origin === publicOrigin || isOfHost(origin, headers.host, publicOrigin);
}

function isOfHost(origin: string, host: string | undefined, publicOrigin: string | undefined): boolean {
  const url = URL.parse(origin);
  if (!url || host === undefined || url.host !== host) return false;
  // The same host by plain http is unknown, where we are reached by https.
  return publicOrigin === undefined || new URL(publicOrigin).host !== host;
}
