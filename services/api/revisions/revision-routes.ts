import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { listedRevision, revisionDiff } from '../../../shared/contracts/campaigns/revisions.ts';
import type { Warning } from '../../../shared/contracts/warnings.ts';
import { idPrefixes } from '../../../shared/domain/ids/ids.ts';
import { refuseFields } from '../frame/server/refuse-fields.ts';
import { jsonAnswer, type problems } from '../frame/document/answer-shapes.ts';
import { notFound } from '../frame/http-problem.ts';
import { ifMatchHeaders } from '../frame/if-match.ts';
import { pageQuery, pageShape } from '../frame/pages.contract.ts';
import { invalidCursor, requireId } from '../frame/public-ids.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import { inFieldOrder } from './in-field-order.ts';
import type { Revision, Revisions, RevisionStore } from './revisions.port.ts';

/** Kinds of objects that have revisions. */
export type RevisedKind = keyof Revisions;

interface KindTexts {
  path: string;
  tag: string;
  /** Name of the kind in operation ids, such as `listCampaignRevisions`. */
  title: string;
  noun: string;
  /** Sentence of the audit log about a restored revision. */
  audit: string;
}

const textsOf: Readonly<Record<RevisedKind, KindTexts>> = {
  campaign: {
    path: '/campaigns',
    tag: 'campaigns',
    title: 'Campaign',
    noun: 'campaign',
    audit: 'restored a revision of a campaign',
  },
  template: {
    path: '/templates',
    tag: 'templates',
    title: 'Template',
    noun: 'template',
    audit: 'restored a revision of a template',
  },
  savedAudience: {
    path: '/audiences',
    tag: 'audiences',
    title: 'SavedAudience',
    noun: 'saved audience',
    audit: 'restored a revision of a saved audience',
  },
};

/** Campaign, template or saved audience, with its newest definition. */
interface Revised {
  revision: number;
  definition: object;
}

export interface RestoreResult<Subject> {
  record: Subject;
  warnings: Warning[];
}

interface ReadingDeps {
  /** Returns the store. It is a function, because no store exists while the OpenAPI document is written. */
  revisions: () => RevisionStore<object>;
  shapes: {
    /** Shape of the definition. Differences are listed in the order of its fields. */
    definition: z.ZodObject;
    revision: z.ZodType;
  };
  /**
   * Returns the object.
   * @throws {HttpProblem} 404 if it does not exist
   */
  load: (id: string) => Promise<Revised>;
}

/** Parts of a kind that the routes of its revisions use. */
export interface RevisionRoutesDeps<Subject extends Revised> extends ReadingDeps {
  revisions: () => RevisionStore<Subject['definition']>;
  shapes: ReadingDeps['shapes'] & { restored: z.ZodType };
  /** Text that describes how the restored definition is checked. */
  checks: string;
  problems?: ReturnType<typeof problems>;
  load: (id: string) => Promise<Subject>;
  /**
   * Checks that the object may be changed.
   * @throws {HttpProblem} 409 if its state forbids changes, 412 if it has changed since the caller read it
   */
  requireChangeable: (id: string, subject: Subject, ifMatch: string | undefined) => void;
  /** Stores an earlier definition as the next revision, with all checks of a change. */
  restore: (
    request: FastifyRequest,
    before: Subject,
    definition: Subject['definition'],
  ) => Promise<RestoreResult<Subject>>;
  view: (restored: RestoreResult<Subject>) => { etag: string; body: object };
}

/**
 * Registers the routes that list, show, compare and restore the revisions of a kind. Rights are the same for all kinds.
 */
export function revisionRoutes<Subject extends Revised>(
  server: HttpServer,
  kind: RevisedKind,
  deps: RevisionRoutesDeps<Subject>,
): void {
  listRoute(server, kind, deps);
  showRoute(server, kind, deps);
  diffRoute(server, kind, deps);
  restoreRoute(server, kind, deps);
}

const revisionNumber = z.coerce.number().int().min(1).max(2_147_483_647);
const byId = (kind: RevisedKind) => z.object({ id: z.string().describe(`${idPrefixes[kind]}_…`) });
const byRevision = (kind: RevisedKind) => byId(kind).extend({ revision: revisionNumber });

function listRoute(server: HttpServer, kind: RevisedKind, { revisions, load }: ReadingDeps): void {
  const { path, tag, title, noun } = textsOf[kind];
  server.route({
    method: 'GET',
    url: `${path}/:id/revisions`,
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: `list${title}Revisions`,
      summary: `List the revisions of a ${noun}, newest first`,
      tags: [tag],
      params: byId(kind),
      querystring: pageQuery,
      response: { 200: jsonAnswer('A page of revisions', pageShape(listedRevision)) },
    },
    handler: async ({ params: { id }, query: { limit, cursor } }) => {
      await load(id);
      const { items, next } = await revisions().page(requireId(kind, id), limit, placeOf(cursor));
      return { items: items.map(({ createdAt, ...item }) => ({ ...item, createdAt: createdAt.toISOString() })), next };
    },
  });
}

function showRoute(server: HttpServer, kind: RevisedKind, { revisions, shapes, load }: ReadingDeps): void {
  const { path, tag, title, noun } = textsOf[kind];
  server.route({
    method: 'GET',
    url: `${path}/:id/revisions/:revision`,
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: `get${title}Revision`,
      summary: `Show a revision of a ${noun} as it was saved`,
      tags: [tag],
      params: byRevision(kind),
      response: { 200: jsonAnswer('The revision', shapes.revision) },
    },
    handler: async ({ params: { id, revision } }) => {
      await load(id);
      const { createdAt, ...found } = await findRevision(requireId(kind, id), revision, revisions());
      return { ...found, createdAt: createdAt.toISOString() };
    },
  });
}

function diffRoute(server: HttpServer, kind: RevisedKind, { revisions, shapes, load }: ReadingDeps): void {
  const { path, tag, title, noun } = textsOf[kind];
  const fields = Object.keys(shapes.definition.shape);
  server.route({
    method: 'GET',
    url: `${path}/:id/revisions/:revision/diff`,
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: `diff${title}Revisions`,
      summary: `Compare two revisions of a ${noun} by field`,
      tags: [tag],
      params: byRevision(kind),
      querystring: z.strictObject({ to: revisionNumber.optional().describe('Default: the newest') }),
      response: { 200: jsonAnswer('What differs', revisionDiff) },
    },
    handler: async ({ params: { id, revision: from }, query }) => {
      const { revision: newest } = await load(id);
      const to = query.to ?? newest;
      const subject = requireId(kind, id);
      const before = await findRevision(subject, from, revisions());
      const after = await findRevision(subject, to, revisions());
      return { from, to, differences: inFieldOrder(fields, before.definition, after.definition) };
    },
  });
}

function restoreRoute<Subject extends Revised>(
  server: HttpServer,
  kind: RevisedKind,
  deps: RevisionRoutesDeps<Subject>,
): void {
  const { path, tag, title, noun, audit } = textsOf[kind];
  const { revisions, shapes } = deps;
  server.route({
    method: 'POST',
    url: `${path}/:id/revisions/:revision/restore`,
    config: { role: 'manager', scope: 'campaign', audit },
    schema: {
      operationId: `restore${title}Revision`,
      summary: `Restore an earlier revision of a ${noun}`,
      description: `The definition becomes the next revision; revisions between stay. ${deps.checks} If nothing differs, nothing changes.`,
      tags: [tag],
      params: byRevision(kind),
      headers: idempotentHeaders.extend(ifMatchHeaders.shape),
      response: { 200: jsonAnswer(`The current ${noun}`, shapes.restored), ...deps.problems },
    },
    handler: async (request, reply) => {
      const { id, revision } = request.params;
      refuseFields(request.body);
      const before = await deps.load(id);
      const { definition } = await findRevision(requireId(kind, id), revision, revisions());
      deps.requireChangeable(id, before, request.headers['if-match']);
      request.auditDetail = { restored: revision };
      const isSame = inFieldOrder([], before.definition, definition).length === 0;
      const restored = isSame ? { record: before, warnings: [] } : await deps.restore(request, before, definition);
      const { etag, body } = deps.view(restored);
      return reply.header('etag', etag).send(body);
    },
  });
}

/**
 * Returns a revision.
 * @throws {HttpProblem} 404
 */
export async function findRevision<Definition>(
  subject: string,
  revision: number,
  revisions: Pick<RevisionStore<Definition>, 'find'>,
): Promise<Revision<Definition>> {
  const found = await revisions.find(subject, revision);
  if (!found) throw notFound('revision', String(revision));
  return found;
}

function placeOf(cursor: string | undefined): number | null {
  if (cursor === undefined) return null;
  if (!/^[1-9]\d{0,8}$/.test(cursor)) throw invalidCursor(cursor);
  return Number(cursor);
}
