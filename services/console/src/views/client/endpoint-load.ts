import type { ClientEndpoint, ClientLoad } from '#client/types.gen.ts';

export type EndpointLoad = ClientLoad['endpoints'][number];

export interface EndpointLine {
  /** Null for jobs without an endpoint. */
  endpoint: ClientEndpoint | null;
  load: EndpointLoad | undefined;
}

/** Returns the endpoints in the order of their loads, the worst first; new ones without a load come last. */
export function endpointLines(endpoints: readonly ClientEndpoint[], loads: readonly EndpointLoad[]): EndpointLine[] {
  const known = new Set(loads.map(({ endpoint }) => endpoint));
  return [
    ...loads.flatMap((load): EndpointLine[] => {
      if (load.endpoint === null) return [{ endpoint: null, load }];
      const endpoint = endpoints.find(({ name }) => name === load.endpoint);
      return endpoint ? [{ endpoint, load }] : [];
    }),
    ...endpoints.filter(({ name }) => !known.has(name)).map((endpoint) => ({ endpoint, load: undefined })),
  ];
}
