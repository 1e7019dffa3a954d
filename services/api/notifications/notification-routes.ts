import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import {
  concernCampaigns,
  createdNotification,
  isUrlOfKind,
  maxNotifications,
  newNotification,
  notificationDefinition,
  notificationPatch,
  notificationShape,
  secretRotation,
  usualKindOf,
  type NotificationKind,
} from '../../../shared/contracts/notifications/notifications.ts';
import { defaultEndpointName } from '../../../shared/domain/job/job-ids.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { accountInScope, callerOf, requireSomeCampaigns } from '../access/scopes.ts';
import type { ClientStore, EndpointStore } from '../clients/parts.ts';
import { HttpProblem, invalidRequest, notFound, quoted } from '../frame/http-problem.ts';
import { headersOfSecretAnswers } from '../frame/server/idempotency.ts';
import { entityTag, requireRevision, ifMatchHeaders, revisedSince } from '../frame/if-match.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { requireId } from '../frame/public-ids.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { JobChanger } from '../jobs/change-jobs.ts';
import type { JobChanges } from '../jobs/parts.ts';
import type { NotificationRecord, NotificationStore } from './postgres/notification-store.ts';
import { callTerms, newSigningKey, storedUrl, type SealTerms } from './notification-terms.ts';
import { notificationView } from './notification-view.ts';
import { patchRefusals } from '../../../shared/contracts/stated-rules.ts';

export interface NotificationRoutesDeps extends SealTerms {
  notifications: NotificationStore;
  clientStore: Pick<ClientStore, 'remove'>;
  endpointStore: Pick<EndpointStore, 'addKey'>;
  jobChanges: Pick<JobChanges, 'create'>;
  jobChanger: Pick<JobChanger, 'poke'>;
  clients: Pick<ClientReader, 'refresh'>;
  clock: Clock;
}

export const notificationInPath = z.object({ id: z.string().describe('ntf_…') });
export const tags = ['notifications'];
const changedByScope =
  'A key with a narrower scope than both the account and the key that set the `url` is refused: 403 `out-of-scope`.';
const answered = jsonAnswer('The notification', notificationShape);

/** Registers the routes of notifications. All processes apply a change within about a second. */
export function notificationRoutes(server: HttpServer, deps: NotificationRoutesDeps): void {
  readRoutes(server, deps);
  createRoute(server, deps);
  changeRoute(server, deps);
  deleteRoute(server, deps);
  rotateRoute(server, deps);
}

function readRoutes(server: HttpServer, { notifications }: NotificationRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/notifications',
    config: { role: 'viewer', scope: 'account' },
    schema: {
      operationId: 'listNotifications',
      summary: 'List notifications, oldest first',
      description: `There are ${maxNotifications} at most. A key with a scope sees those of its account.`,
      tags,
      response: { 200: jsonAnswer('All notifications', pageShape(notificationShape)) },
    },
    handler: async (request) => ({
      items: (await notifications.list(accountInScope(request))).map(notificationView),
      next: null,
    }),
  });

  server.route({
    method: 'GET',
    url: '/notifications/:id',
    config: { role: 'viewer', scope: 'account' },
    schema: {
      operationId: 'getNotification',
      summary: 'Show a notification',
      tags,
      params: notificationInPath,
      response: { 200: answered },
    },
    handler: async ({ params: { id } }, reply) => {
      const view = notificationView(await requireNotification(id, notifications));
      return reply.header('etag', entityTag(view.revision)).send(view);
    },
  });
}

function createRoute(server: HttpServer, deps: NotificationRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/notifications',
    config: { role: 'manager', scope: 'account', isAnswerSecret: true, audit: 'created a notification' },
    schema: {
      operationId: 'createNotification',
      summary: 'Notify another service, a channel, or people by e-mail',
      description:
        'Deliveries are retried for hours; those whose calls all fail are quarantined. ' +
        'The kind `webhook` is signed by Standard Webhooks, and its secret is shown in this answer alone. ' +
        'The other kinds have no secret. `email` is refused with 409 `no-email` unless the installation sends e-mail. ' +
        'Only campaigns that both this key and its account may read are reported.',
      tags,
      headers: headersOfSecretAnswers,
      body: newNotification,
      response: { 201: jsonAnswer('The notification and its secret', createdNotification), ...problems(409) },
    },
    handler: async (request, reply) => {
      const { url, egress, kind = usualKindOf(url), ...fields } = request.body;
      const definition = { kind, ...fields };
      if (concernCampaigns(definition.events)) requireSomeCampaigns(request);
      const notificationId = uuidv7();
      const allow = egress?.allow ?? [];
      if (!isUrlOfKind(url, kind)) throw kindMismatch(url, kind);
      const { secret, key } = isSigned(kind) ? newSigningKey(notificationId, deps.secretBox) : unsigned;
      const stored = storedUrl(notificationId, url, allow, deps);
      await forgetDeleted(deps);
      const { account, key: urlSetBy } = callerOf(request);
      const notification = {
        notificationId,
        account,
        urlSetBy,
        url: stored,
        definition,
        terms: callTerms(url, allow),
        key,
      };
      if (!(await deps.notifications.create(notification))) throw tooMany();
      await deps.clients.refresh();
      const record = await deps.notifications.get(notificationId);
      if (!record) throw new Error(`notification ${notificationId} was not inserted`);
      const view = notificationView(record);
      request.auditDetail = { url: view.url, ...definition };
      return reply.code(201).header('location', view.links.self).send({ notification: view, secret });
    },
  });
}

function changeRoute(server: HttpServer, deps: NotificationRoutesDeps): void {
  server.route({
    method: 'PATCH',
    url: '/notifications/:id',
    config: { role: 'manager', scope: 'account', refusals: patchRefusals, audit: 'changed a notification' },
    schema: {
      operationId: 'changeNotification',
      summary: 'Change a notification',
      description:
        'Given fields replace the previous ones. Pending deliveries stay as they are. ' +
        'The key that sets the `url` bounds the messages by its scope from then on. ' +
        changedByScope,
      tags,
      params: notificationInPath,
      headers: ifMatchHeaders,
      body: notificationPatch,
      response: { 200: answered },
    },
    handler: async (request, reply) => {
      const { params, body, headers } = request;
      const before = await requireNotification(params.id, deps.notifications);
      requireRevision(params.id, before, headers['if-match']);
      const { url, egress, ...fields } = body;
      const { kind } = before.definition;
      if (url !== undefined && !isUrlOfKind(url, kind)) throw kindMismatch(url, kind);
      const terms = callTerms(url ?? before.url, egress?.allow ?? before.terms.egress.allow);
      const definition = notificationDefinition.parse({ ...before.definition, ...fields });
      if (concernCampaigns(definition.events)) requireSomeCampaigns(request);
      const wanted = {
        definition,
        url: url === undefined ? before.url : storedUrl(before.notificationId, url, terms.egress.allow, deps),
        urlSetBy: url === undefined ? undefined : callerOf(request).key,
        terms,
      };
      const after = await deps.notifications.change(before, wanted);
      if (!after) throw revisedSince(params.id, before.revision + 1);
      await deps.clients.refresh();
      const view = notificationView(after);
      request.auditDetail = { ...fields, ...(url !== undefined && { url: view.url }) };
      return reply.header('etag', entityTag(view.revision)).send(view);
    },
  });
}

function deleteRoute(server: HttpServer, deps: NotificationRoutesDeps): void {
  server.route({
    method: 'DELETE',
    url: '/notifications/:id',
    config: { role: 'manager', scope: 'account', audit: 'deleted a notification' },
    schema: {
      operationId: 'deleteNotification',
      summary: 'Delete a notification',
      description: `Its pending deliveries are cancelled. Deleting it again changes nothing. ${changedByScope}`,
      tags,
      params: notificationInPath,
      response: { 204: z.null().describe('The notification is deleted') },
    },
    handler: async (request, reply) => {
      const notificationId = requireId('notification', request.params.id);
      const before = await deps.notifications.get(notificationId);
      if (before) {
        await deps.notifications.remove(notificationId);
        await deps.jobChanges.create({
          changeId: uuidv7(),
          clientId: notificationId,
          verb: 'cancel',
          filter: {},
          dueAt: null,
        });
        deps.jobChanger.poke();
        await deps.clients.refresh();
        request.auditDetail = { url: notificationView(before).url };
      }
      return reply.code(204).send(null);
    },
  });
}

function rotateRoute(server: HttpServer, deps: NotificationRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/notifications/:id/rotate',
    config: { role: 'manager', scope: 'account', isAnswerSecret: true, audit: 'rotated the secret of a notification' },
    schema: {
      operationId: 'rotateNotificationSecret',
      summary: 'Sign with a new secret',
      description: `The previous secret also signs until it expires, so that the receiver can change to the new one. ${changedByScope}`,
      tags,
      headers: headersOfSecretAnswers,
      params: notificationInPath,
      body: secretRotation,
      response: { 201: jsonAnswer('The notification and its new secret', createdNotification), ...problems(409) },
    },
    handler: async (request, reply) => {
      const { notificationId, definition } = await requireNotification(request.params.id, deps.notifications);
      if (!isSigned(definition.kind)) throw nothingSigned();
      const { secret, key } = newSigningKey(notificationId, deps.secretBox);
      const { overlapSeconds } = request.body;
      const othersExpireAt = new Date(deps.clock.now().getTime() + overlapSeconds * 1000);
      await deps.endpointStore.addKey(notificationId, defaultEndpointName, { ...key, othersExpireAt });
      await deps.clients.refresh();
      request.auditDetail = { othersExpireAt: othersExpireAt.toISOString() };
      const view = notificationView(await requireNotification(request.params.id, deps.notifications));
      return reply.code(201).send({ notification: view, secret });
    },
  });
}

/** Deletes the clients of deleted notifications when they have no more stored jobs. */
async function forgetDeleted({ notifications, clientStore }: NotificationRoutesDeps): Promise<void> {
  for (const notificationId of await notifications.deleted()) await clientStore.remove(notificationId);
}

/**
 * Returns the notification whose id is in the path of a request.
 * @throws {HttpProblem} 404
 */
export async function requireNotification(id: string, notifications: NotificationStore): Promise<NotificationRecord> {
  const record = await notifications.get(requireId('notification', id));
  if (!record) throw notFound('notification', id);
  return record;
}

const unsigned = { secret: null, key: null };

/** Returns true for webhooks only, because chat channels and mailboxes do not verify signatures. */
function isSigned(kind: NotificationKind): boolean {
  return kind === 'webhook';
}

/**
 * Returns the problem for a URL that needs another kind of notification. A notification cannot change its kind, because
 * some kinds have a secret. The detail contains only the scheme of the URL, because its path may be a credential.
 */
function kindMismatch(url: string, kind: NotificationKind): HttpProblem {
  const needed = kind === 'email' ? 'mailto: and an address' : 'a URL of http or https';
  const detail = `a notification of the kind ${quoted(kind)} needs ${needed}, not ${new URL(url).protocol}`;
  return invalidRequest([{ pointer: '/url', code: 'kind-mismatch', detail }]);
}

function nothingSigned(): HttpProblem {
  const detail = 'only notifications of the kind "webhook" are signed: there is no secret';
  return new HttpProblem({ status: 409, code: 'no-secret', detail });
}

function tooMany(): HttpProblem {
  const detail = `there are ${maxNotifications} notifications, which is the limit`;
  return new HttpProblem({ status: 409, code: 'too-many-notifications', detail });
}
