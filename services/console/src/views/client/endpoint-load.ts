import type { ClientEndpoint, ClientLoad } from '#client/types.gen.ts';
import { defaultEndpoint } from '../../parts/jobs/default-endpoint.ts';

export type EndpointLoad = ClientLoad['endpoints'][number];

export interface EndpointLine {
  endpoint: ClientEndpoint;
  load: EndpointLoad | undefined;
}

/** Returns `default`, then the others in the order of their loads, the worst first; those without a load come last. */
export function endpointLines(endpoints: readonly ClientEndpoint[], loads: readonly EndpointLoad[]): EndpointLine[] {
  const places = new Map(loads.map(({ endpoint }, place) => [endpoint, place]));
  const placeOf = ({ name }: ClientEndpoint) => (name === defaultEndpoint ? -1 : (places.get(name) ?? loads.length));
  return endpoints
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map((endpoint) => ({ endpoint, load: loads.find((load) => load.endpoint === endpoint.name) }));
}
