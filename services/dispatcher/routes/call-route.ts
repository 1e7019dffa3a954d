/**
 * Matches the first elements of a path that can name a route, at most three: words, such as `orders` or
 * `order-items.json`, and versions such as `v1`. An id contains digits, or is longer than a word. Elements after the
 * third are mostly variants of the same handler.
 */
const words = /^(?:\/(?:[A-Za-z][A-Za-z_.~-]{0,39}|[vV]\d{1,3})(?=\/|$)){0,3}/;

/**
 * Returns the route of a call: its host and the first words of its path, up to the first element that looks like an id.
 * `/v1/orders/17/pay` and `/v1/orders/18` have the route `/v1/orders`. If the path begins with no word, the route is
 * the host.
 * @param pathname path without its query and its encrypted parts, because routes are stored and displayed
 */
export function callRouteOf(host: string, pathname: string): string {
  return host + (words.exec(pathname)?.[0] ?? '');
}

/**
 * Returns the name of a route's circuit. If the client has configured a path prefix that is as long as the route or
 * longer, this is the name of the prefix's circuit.
 * @param host name of the host's circuit, including the path prefix, if there is one
 */
export function routeNameOf(host: string, route: string): string {
  return route.startsWith(`${host}/`) ? route : host;
}
