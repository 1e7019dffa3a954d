import { actionType, type ActionType } from '../../shared/contracts/action-types.ts';
import type { EngineConfig } from '../../shared/contracts/engine-config.ts';
import { pageShape } from '../../shared/contracts/pages.ts';
import { jsonAnswer, problems } from '../../shared/http-server/answer-shapes.ts';
import type { HttpServer } from '../../shared/http-server/create-http-server.ts';

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
