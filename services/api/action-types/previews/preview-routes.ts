import { z } from 'zod';
import type { RegisteredActionType } from '../../../../shared/ports/registry.ts';
import { requireCampaignInScope } from '../../access/scopes.ts';
import { jsonAnswer, problems } from '../../frame/document/answer-shapes.ts';
import { HttpProblem, invalidRequest, quoted } from '../../frame/http-problem.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import type { ActionTypeChanger } from '../change-action-type.ts';
import { paramsProblems } from '../check-params.ts';
import { messagePreview, messagePreviewRequest, type MessagePreview } from './message-preview.contract.ts';
import type { PreviewAnswer, PreviewSource } from './preview-source.port.ts';

export interface PreviewRoutesDeps {
  changer: Pick<ActionTypeChanger, 'require'>;
  previewSource: PreviewSource;
}

export function previewRoutes(server: HttpServer, { changer, previewSource }: PreviewRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/action-types/:name/preview',
    // The request changes nothing, but it is recorded in the audit log, because the answer shows data about a user.
    config: {
      role: 'manager',
      scope: 'campaign',
      heavy: 'previews',
      changesNothing: true,
      audit: 'previewed the message of a user',
    },
    schema: {
      operationId: 'previewMessage',
      summary: 'Show the message that a step would send to one user',
      description:
        'Requests the message from the `previewUrl` of the action type, for at most 10 seconds and 1 MiB. Nothing is sent to the ' +
        'user. 409 `no-preview`: the action type has no `previewUrl`. The audit log records who looked, without the user.',
      tags: ['action types'],
      params: z.object({ name: z.string() }),
      body: messagePreviewRequest,
      response: { 200: jsonAnswer('The message, or why there is none', messagePreview), ...problems(404, 409) },
    },
    handler: async (request) => {
      const { params, body } = request;
      request.auditDetail = { country: body.country };
      requireCampaignInScope(request, { countries: [body.country], chain: [{ action: params.name }] });
      const type = await changer.require(params.name);
      const { previewUrl, paramsSchema } = type.config;
      if (previewUrl === undefined) throw noPreview(type);
      const wrong = paramsSchema ? paramsProblems(paramsSchema, body.params, '/params') : [];
      if (wrong.length > 0) throw invalidRequest(wrong);
      const { country, user } = body;
      const call = { action: { type: type.name, params: body.params }, country, user };
      return previewView(await previewSource.fetch({ type, url: new URL(previewUrl), call }));
    },
  });
}

function previewView(answer: PreviewAnswer): MessagePreview {
  if (answer.kind !== 'message') return { outcome: answer.kind, message: null, cause: answer.cause };
  const { from = null, to = null, subject = null, html = null, text = null } = answer.message;
  return { outcome: 'message', message: { from, to, subject, html, text }, cause: null };
}

function noPreview({ name }: RegisteredActionType): HttpProblem {
  const detail = `${quoted(name)} has no previewUrl: its endpoint offers no preview`;
  return new HttpProblem({ status: 409, code: 'no-preview', detail });
}
