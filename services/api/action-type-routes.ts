import { actionType, type ActionType } from './contracts/action-types.ts';
import type { EngineConfig } from '../../shared/contracts/engine-config.ts';
import { pageShape } from './contracts/pages.ts';
import { jsonAnswer, problems } from './http/answer-shapes.ts';
import type { HttpServer } from './http/create-http-server.ts';

export function actionTypeRoutes(server: HttpServer, { config }: { config: EngineConfig }): void {
  const items = Object.entries(config.actionTypes).map(([name, { class: contractClass }]): ActionType => ({
    name,
    class: contractClass,
    countries: config.countries,
  }));

  server.route({
    method: 'GET',
    url: '/action-types',
    schema: {
      operationId: 'listActionTypes',
      summary: 'What a chain may be made of',
      tags: ['action types'],
      response: { 200: jsonAnswer('All of them', pageShape(actionType)), ...problems(401, 429) },
    },
    handler: () => ({ items, next: null }),
  });
}
