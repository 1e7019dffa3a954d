import { readShardRefusals } from '../../../shared/postgres/registry/shard-refusals.ts';
import type { ApiParts } from '../api-parts.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { actionTypeRoutes } from './action-type-routes.ts';
import { createActionTypeChanger } from './change-action-type.ts';
import { optionRoutes } from './options/option-routes.ts';
import { createUsedValues } from './options/postgres/used-values.ts';
import { previewRoutes } from './previews/preview-routes.ts';
import { createActionTypeStore } from './postgres/action-type-store.ts';

export const tags = [{ name: 'action types', description: 'Steps and checks of chains' }];

export function routes(server: HttpServer, parts: ApiParts): void {
  const { pool } = parts;
  const actionTypes = createActionTypeStore({ pool });
  const changer = createActionTypeChanger({ ...parts, actionTypes });
  actionTypeRoutes(server, { ...parts, actionTypes, changer, refusals: () => readShardRefusals(pool) });
  optionRoutes(server, { ...parts, changer, usedValues: createUsedValues({ pool }) });
  previewRoutes(server, { ...parts, changer });
}
