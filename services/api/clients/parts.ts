import type { BaseParts } from '../frame/parts.ts';
import { createClientEgress } from './client-egress.ts';
import { createClientFigures } from './postgres/client-figures.ts';
import { createClientStore } from './postgres/client-store.ts';
import { createEndpointStore } from './postgres/endpoint-store.ts';

export function createClientParts({ pool, config }: BaseParts) {
  return {
    clientStore: createClientStore({ pool }),
    endpointStore: createEndpointStore({ pool }),
    clientEgress: createClientEgress(config.egress, config.targetTopics),
    clientFigures: createClientFigures({ pool }),
  };
}

export type { ClientStore } from './postgres/client-store.ts';
export type { EndpointStore } from './postgres/endpoint-store.ts';
