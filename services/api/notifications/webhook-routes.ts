import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import {
  areAboutCampaigns,
  createdWebhook,
  maxWebhooks,
  newWebhook,
  rotation,
  webhookDefinition,
  webhookPatch,
  webhookShape,
  type NoticeFormat,
  type WebhookDefinition,
} from '../../../shared/contracts/webhooks/webhooks.ts';
import { mailAddressOf } from '../../../shared/contracts/webhooks/notice-urls.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { accountInScope, callerOf, requireSomeCampaigns } from '../access/scopes.ts';
import type { ClientStore } from '../clients/parts.ts';
import { HttpProblem, invalidRequest, notFound, quoted } from '../frame/http-problem.ts';
import { headersOfSecretAnswers } from '../frame/server/idempotency.ts';
import { entityTag, expectedRevision, ifMatchHeaders, revisedSince } from '../frame/if-match.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { requireId } from '../frame/public-ids.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { JobChanger } from '../jobs/change-jobs.ts';
import type { JobChanges } from '../jobs/parts.ts';
import type { WebhookRecord, WebhookStore } from './postgres/webhook-store.ts';
import { clientTerms, newSigningKey, storedUrl, type SealTerms } from './webhook-terms.ts';
import { webhookView } from './webhook-view.ts';
import { patchRefusals } from '../../../shared/contracts/stated-rules.ts';

export interface WebhookRoutesDeps extends SealTerms {
  webhooks: WebhookStore;
  clientStore: Pick<ClientStore, 'addKey' | 'remove'>;
  jobChanges: Pick<JobChanges, 'create'>;
  jobChanger: Pick<JobChanger, 'poke'>;
  clients: Pick<ClientReader, 'refresh'>;
  clock: Clock;
}

export const webhookInPath = z.object({ id: z.string().describe('whk_…') });
export const tags = ['webhooks'];
const changedByScope =
  'A key with a narrower scope than both the account and the key that set the `url` is refused: 403 `out-of-scope`.';
const answered = jsonAnswer('The webhook', webhookShape);

/** Routes of webhooks for notices about campaigns and runs. All processes apply a change within about a second. */
export function webhookRoutes(server: HttpServer, deps: WebhookRoutesDeps): void {
  readRoutes(server, deps);
  createRoute(server, deps);
  changeRoute(server, deps);
  deleteRoute(server, deps);
  rotateRoute(server, deps);
}

function readRoutes(server: HttpServer, { webhooks }: WebhookRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/webhooks',
    config: { role: 'viewer', scope: 'account' },
    schema: {
      operationId: 'listWebhooks',
      summary: 'List webhooks, oldest first',
      description: `There are ${maxWebhooks} at most. A key with a scope sees those of its account.`,
      tags,
      response: { 200: jsonAnswer('All webhooks', pageShape(webhookShape)) },
    },
    handler: async (request) => ({
      items: (await webhooks.list(accountInScope(request))).map(webhookView),
      next: null,
    }),
  });

  server.route({
    method: 'GET',
    url: '/webhooks/:id',
    config: { role: 'viewer', scope: 'account' },
    schema: {
      operationId: 'getWebhook',
      summary: 'Show a webhook',
      tags,
      params: webhookInPath,
      response: { 200: answered },
    },
    handler: async ({ params: { id } }, reply) => {
      const view = webhookView(await requireWebhook(id, webhooks));
      return reply.header('etag', entityTag(view.revision)).send(view);
    },
  });
}

function createRoute(server: HttpServer, deps: WebhookRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/webhooks',
    config: { role: 'manager', scope: 'account', isAnswerSecret: true, audit: 'made a webhook' },
    schema: {
      operationId: 'createWebhook',
      summary: 'Tell another service, or people by e-mail, what becomes of campaigns and runs',
      description:
        'Its notices are signed by Standard Webhooks, tried again for hours, and kept in quarantine when they were given up. ' +
        'The secret is shown in this answer alone. A `url` of `mailto:` and an address is written to by e-mail, where that is set up; ' +
        'with `format` `slack` or `teams` a message is posted to a channel there. Neither is signed. ' +
        'It is sent notices of campaigns that both this key and its account see.',
      tags,
      headers: headersOfSecretAnswers,
      body: newWebhook,
      response: { 201: jsonAnswer('The webhook and its secret', createdWebhook), ...problems(409) },
    },
    handler: async (request, reply) => {
      const { url, egress, ...definition } = request.body;
      if (areAboutCampaigns(definition.events)) requireSomeCampaigns(request);
      const webhookId = uuidv7();
      const allow = egress?.allow ?? [];
      if (isMail(url) && definition.format !== 'standard') throw noChannel(definition.format);
      const { secret, key } = isSigned(url, definition) ? newSigningKey(webhookId, deps.secretBox) : unsigned;
      const stored = storedUrl(webhookId, url, allow, deps);
      await forgetDeleted(deps);
      const { account, key: urlSetBy } = callerOf(request);
      const webhook = { webhookId, account, urlSetBy, url: stored, definition, client: clientTerms(url, allow), key };
      if (!(await deps.webhooks.create(webhook))) throw tooMany();
      await deps.clients.refresh();
      const record = await deps.webhooks.get(webhookId);
      if (!record) throw new Error(`webhook ${webhookId} was not inserted`);
      const view = webhookView(record);
      request.auditDetail = { url: view.url, ...definition };
      return reply.code(201).header('location', view.links.self).send({ webhook: view, secret });
    },
  });
}

function changeRoute(server: HttpServer, deps: WebhookRoutesDeps): void {
  server.route({
    method: 'PATCH',
    url: '/webhooks/:id',
    config: { role: 'manager', scope: 'account', refusals: patchRefusals, audit: 'changed a webhook' },
    schema: {
      operationId: 'changeWebhook',
      summary: 'Change what it is told of, and where',
      description:
        'A field that is given takes the place of the whole field before. Notices on their way stay as they are. ' +
        'The key that sets the `url` bounds the notices by its scope from then on. ' +
        changedByScope,
      tags,
      params: webhookInPath,
      headers: ifMatchHeaders,
      body: webhookPatch,
      response: { 200: answered },
    },
    handler: async (request, reply) => {
      const { params, body, headers } = request;
      const before = await requireWebhook(params.id, deps.webhooks);
      const expected = expectedRevision(headers['if-match']);
      if (expected !== null && expected !== before.revision) throw revisedSince(params.id, before.revision);
      const { url, egress, ...fields } = body;
      if (url !== undefined && isMail(url) !== isMail(before.url)) throw otherWay(url);
      const client = clientTerms(url ?? before.url, egress?.allow ?? before.client.egress.allow);
      const definition = webhookDefinition.parse({ ...before.definition, ...fields });
      if (areAboutCampaigns(definition.events)) requireSomeCampaigns(request);
      const wanted = {
        definition,
        url: url === undefined ? before.url : storedUrl(before.webhookId, url, client.egress.allow, deps),
        urlSetBy: url === undefined ? undefined : callerOf(request).key,
        client,
      };
      const after = await deps.webhooks.change(before, wanted);
      if (!after) throw revisedSince(params.id, before.revision + 1);
      await deps.clients.refresh();
      const view = webhookView(after);
      request.auditDetail = { ...fields, ...(url !== undefined && { url: view.url }) };
      return reply.header('etag', entityTag(view.revision)).send(view);
    },
  });
}

function deleteRoute(server: HttpServer, deps: WebhookRoutesDeps): void {
  server.route({
    method: 'DELETE',
    url: '/webhooks/:id',
    config: { role: 'manager', scope: 'account', audit: 'deleted a webhook' },
    schema: {
      operationId: 'deleteWebhook',
      summary: 'Tell it nothing any more',
      description: `Notices on their way are taken back. Deleting it again changes nothing. ${changedByScope}`,
      tags,
      params: webhookInPath,
      response: { 204: z.null().describe('It is gone') },
    },
    handler: async (request, reply) => {
      const webhookId = requireId('webhook', request.params.id);
      const before = await deps.webhooks.get(webhookId);
      if (before) {
        await deps.webhooks.remove(webhookId);
        await deps.jobChanges.create({
          changeId: uuidv7(),
          clientId: webhookId,
          verb: 'cancel',
          filter: {},
          dueAt: null,
        });
        deps.jobChanger.poke();
        await deps.clients.refresh();
        request.auditDetail = { url: webhookView(before).url };
      }
      return reply.code(204).send(null);
    },
  });
}

function rotateRoute(server: HttpServer, deps: WebhookRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/webhooks/:id/rotate',
    config: { role: 'manager', scope: 'account', isAnswerSecret: true, audit: 'gave a webhook another secret' },
    schema: {
      operationId: 'rotateWebhookSecret',
      summary: 'Sign with a new secret',
      description: `The one before signs too until it expires, so that the receiver can change over in peace. ${changedByScope}`,
      tags,
      headers: headersOfSecretAnswers,
      params: webhookInPath,
      body: rotation,
      response: { 201: jsonAnswer('The webhook and its new secret', createdWebhook), ...problems(409) },
    },
    handler: async (request, reply) => {
      const { webhookId, url, definition } = await requireWebhook(request.params.id, deps.webhooks);
      if (!isSigned(url, definition)) throw nothingSigned();
      const { secret, key } = newSigningKey(webhookId, deps.secretBox);
      const { overlapSeconds } = request.body;
      const othersExpireAt = new Date(deps.clock.now().getTime() + overlapSeconds * 1000);
      await deps.clientStore.addKey(webhookId, { ...key, othersExpireAt });
      await deps.clients.refresh();
      request.auditDetail = { othersExpireAt: othersExpireAt.toISOString() };
      const view = webhookView(await requireWebhook(request.params.id, deps.webhooks));
      return reply.code(201).send({ webhook: view, secret });
    },
  });
}

/** Deletes clients of deleted webhooks once none of their jobs is stored. */
async function forgetDeleted({ webhooks, clientStore }: WebhookRoutesDeps): Promise<void> {
  for (const webhookId of await webhooks.deleted()) await clientStore.remove(webhookId);
}

/**
 * Loads the webhook that a path names.
 * @throws {HttpProblem} 404
 */
export async function requireWebhook(id: string, webhooks: WebhookStore): Promise<WebhookRecord> {
  const record = await webhooks.get(requireId('webhook', id));
  if (!record) throw notFound('webhook', id);
  return record;
}

const unsigned = { secret: null, key: null };

function isMail(url: string): boolean {
  return mailAddressOf(url) !== undefined;
}

/** Channels and mailboxes verify no signatures. */
function isSigned(url: string, { format }: WebhookDefinition): boolean {
  return !isMail(url) && format === 'standard';
}

function noChannel(format: NoticeFormat): HttpProblem {
  const detail = `${quoted(format)} is posted to a URL of http or https, not written by e-mail`;
  return invalidRequest([{ pointer: '/format', code: 'no-channel', detail }]);
}

/** Returns the problem of a change between URL and e-mail address: signed webhooks have a secret, e-mails have none. */
function otherWay(url: string): HttpProblem {
  const detail = 'a webhook that is called does not become one that is written to, nor the other way: make another one';
  return invalidRequest([{ pointer: '/url', code: 'other-way', detail: `${detail} for ${quoted(url)}` }]);
}

function nothingSigned(): HttpProblem {
  const detail = 'messages for a channel and e-mail are not signed: there is no secret';
  return new HttpProblem({ status: 409, code: 'no-secret', detail });
}

function tooMany(): HttpProblem {
  const detail = `there are ${maxWebhooks} webhooks, and no more may be made`;
  return new HttpProblem({ status: 409, code: 'too-many-webhooks', detail });
}
