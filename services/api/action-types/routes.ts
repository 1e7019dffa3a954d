import { readShardRefusals } from '../../../shared/postgres/registry/shard-refusals.ts';
import type { ApiParts } from '../api-parts.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { actionTypeRoutes } from './action-type-routes.ts';
import { createUsedValues } from './options/postgres/used-values.ts';
import { createActionTypeStore } from './postgres/action-type-store.ts';

export const tags = [{ name: 'action types', description: 'What a chain may be made of' }];

export function routes(server: HttpServer, parts: ApiParts): void {
  const { pool } = parts;
  actionTypeRoutes(server, {
    ...parts,
    actionTypes: createActionTypeStore({ pool }),
    refusals: () => readShardRefusals(pool),
    usedValues: createUsedValues({ pool }),
  });
}
