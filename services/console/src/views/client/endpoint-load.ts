import type { ClientEndpoint, ClientLoad } from '#client/types.gen.ts';
import { defaultEndpoint } from '../../parts/jobs/default-endpoint.ts';

export type EndpointLoad = ClientLoad['endpoints'][number];

export interface EndpointLine {
  endpoint: ClientEndpoint;
  load: EndpointLoad | undefined;
}

/**
 * Returns the endpoint `default` first. The other endpoints follow in the order of `loads`, the worst first. Endpoints
 * without a load come last.
 */
export function createEndpointLines(
  endpoints: readonly ClientEndpoint[],
  loads: readonly EndpointLoad[],
): EndpointLine[] {
  const places = new Map(loads.map(({ endpoint }, place) => [endpoint, place]));
  const placeOf = ({ name }: ClientEndpoint) => (name === defaultEndpoint ? -1 : (places.get(name) ?? loads.length));
  return endpoints
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map((endpoint) => ({ endpoint, load: loads.find((load) => load.endpoint === endpoint.name) }));
}
