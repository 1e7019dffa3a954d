import { z } from 'zod';
import { userExplanation } from '../../../../shared/contracts/runs/explanations.ts';
import { seesReach } from '../../../../shared/domain/scopes.ts';
import type { Tracing } from '../../../../shared/ports/tracing.ts';
import { scopeOf } from '../../access/scopes.ts';
import { jsonAnswer } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { notFound } from '../../frame/http-problem.ts';
import type { UserHistories } from './postgres/user-histories.ts';
import { requireId } from '../../frame/public-ids.ts';
import { explanationView } from './explanation-view.ts';

export interface ExplainRoutesDeps {
  histories: UserHistories;
  tracing?: Tracing | null | undefined;
}

export function explainRoutes(server: HttpServer, { histories, tracing }: ExplainRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/runs/:id/users/:userId',
    config: { role: 'viewer', scope: 'users' },
    schema: {
      operationId: 'explainRunUser',
      summary: 'Explain the outcome of a user',
      description:
        'Shows whether and why the user is in the audience, its batches, every call of every step with time, code and ' +
        'message, and the outcome of each step. If a cap suppressed the user, the effects that it counted are listed. The id is percent-encoded; an invalid id can be requested as it is listed.',
      tags: ['runs'],
      params: z.object({ id: z.string().describe('run_…'), userId: z.string().describe('percent-encoded') }),
      response: { 200: jsonAnswer('Explanation of the outcome', userExplanation) },
    },
    handler: async (request) => {
      const { id, userId } = request.params;
      const history = await histories.find(requireId('run', id), userId);
      if (!history) throw notFound('run', id);
      return explanationView(history, userId, (reach) => seesReach(scopeOf(request), reach), tracing?.share ?? 0);
    },
  });
}
