/**
 * First elements of a path that can name a route, at most three: words, such as `orders` or `order-items.json`, and
 * `v1`. An id has digits or is longer than a word. Elements after the third are mostly variants of the same handler.
 */
const words = /^(?:\/(?:[A-Za-z][A-Za-z_.~-]{0,39}|[vV]\d{1,3})(?=\/|$)){0,3}/;

/**
 * Returns the route of a call: its host and the first words of its path, up to the first element that looks like an id.
 * `/v1/orders/17/pay` and `/v1/orders/18` have the route `/v1/orders`. Without a word the route is the host.
 * @param pathname without its query and without sealed parts: routes are stored and shown
 */
export function callRouteOf(host: string, pathname: string): string {
  return host + (words.exec(pathname)?.[0] ?? '');
}

/**
 * Returns the name of the circuit of a route. If the client has configured a path prefix that is as long as the route
 * or longer, this is the circuit of the prefix.
 * @param host name of the host's circuit, including the path prefix, if there is one
 */
export function routeNameOf(host: string, route: string): string {
  return route.startsWith(`${host}/`) ? route : host;
}
