import { Readable } from 'node:stream';
import { z } from 'zod';
import {
  createdReportLink,
  newReportLink,
  reportLink,
  sharedReport,
} from '../../../../shared/contracts/runs/shared-reports.ts';
import type { PublicAddress } from '../../../../shared/runtime/configuration/public-address.ts';
import { titleFromName } from '../../../../shared/domain/endpoint/action-title.ts';
import { callerOf } from '../../access/scopes.ts';
import type { InstallationFacts } from '../../access/session-routes.ts';
import type { CatalogueReader } from '../../frame/catalogue-reader.ts';
import { HttpProblem, notFound } from '../../frame/http-problem.ts';
import { headersOfSecretAnswers } from '../../frame/server/idempotency.ts';
import { pageShape } from '../../frame/pages.contract.ts';
import { preferredType } from '../../frame/preferred-type.ts';
import { requireId } from '../../frame/public-ids.ts';
import { jsonAnswer, problems, streamed } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import type { Retries } from '../retries.port.ts';
import { runReportView } from '../report-view.ts';
import type { RunReports } from '../run-reports.port.ts';
import type { ReportLinks } from './postgres/report-links.ts';
import { reportLinkView, sharedReportView } from './shared-report-view.ts';
import { pagePolicy, sharedReportPage, type PageContext } from './shared-report-page.ts';

export interface ShareRoutesDeps {
  reports: RunReports;
  heavyRuns: { reports: RunReports };
  retries: Pick<Retries, 'sums'>;
  reportLinks: ReportLinks;
  publicAddress?: PublicAddress | undefined;
  installation: InstallationFacts;
  catalogue: Pick<CatalogueReader, 'registered'>;
}

const byId = z.object({ id: z.string().describe('run_…') });
const tags = ['runs'];
/**
 * Maximum number of reads per IP address in a minute: enough for a person who reads a report, and too few to guess
 * tokens.
 */
const readsPerMinute = 60;

export function shareRoutes(server: HttpServer, deps: ShareRoutesDeps): void {
  makeRoute(server, deps);
  listRoutes(server, deps);
  readRoute(server, deps);
}

function makeRoute(server: HttpServer, { reports, reportLinks, publicAddress }: ShareRoutesDeps): void {
  server.route({
    method: 'POST',
    url: '/runs/:id/share',
    config: { role: 'manager', scope: 'campaign', isAnswerSecret: true, audit: 'created a link to a report' },
    schema: {
      operationId: 'shareReport',
      summary: 'Create a link that shows the report to people without a key',
      description:
        'The link shows no user, expires, and can be revoked. It also ends with the key that created it, or when that key may no longer create it.',
      tags,
      headers: headersOfSecretAnswers,
      params: byId,
      body: newReportLink,
      response: { 201: jsonAnswer('The link, shown only in this answer', createdReportLink), ...problems(409) },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const runId = requireId('run', id);
      if (!(await reports.snapshot(runId))) throw notFound('run', id);
      const made = await reportLinks.make(runId, callerOf(request).key, request.body.expiresInSeconds);
      if (!made) {
        const detail = `${id} has the maximum number of active links: revoke one`;
        throw new HttpProblem({ status: 409, code: 'too-many-links', detail });
      }
      const view = reportLinkView(made.link);
      request.auditDetail = { link: view.id, expiresAt: view.expiresAt };
      const base = publicAddress ? publicAddress.origin + publicAddress.basePath : '';
      return reply.code(201).send({ ...view, link: `${base}/v1/shared-reports/${made.token}` });
    },
  });
}

function listRoutes(server: HttpServer, { reports, reportLinks }: ShareRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/runs/:id/shares',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'listReportLinks',
      summary: 'List links to the report of a run, newest first, without their secrets',
      tags,
      params: byId,
      response: { 200: jsonAnswer('All links', pageShape(reportLink)) },
    },
    handler: async ({ params: { id } }) => {
      const runId = requireId('run', id);
      if (!(await reports.snapshot(runId))) throw notFound('run', id);
      return { items: (await reportLinks.list(runId)).map(reportLinkView), next: null };
    },
  });

  server.route({
    method: 'DELETE',
    url: '/runs/:id/shares/:linkId',
    config: { role: 'manager', scope: 'campaign', audit: 'revoked a link to a report' },
    schema: {
      operationId: 'revokeReportLink',
      summary: 'Revoke a link to a report',
      tags,
      params: byId.extend({ linkId: z.string().describe('rpl_…') }),
      response: { 204: z.null().describe('The link is revoked') },
    },
    handler: async (request, reply) => {
      const { id, linkId } = request.params;
      const link = requireId('reportLink', linkId);
      if (!(await reportLinks.revoke(requireId('run', id), link))) throw notFound('link', linkId);
      request.auditDetail = { link: linkId };
      return reply.code(204).send(null);
    },
  });
}

function readRoute(server: HttpServer, deps: ShareRoutesDeps): void {
  const { heavyRuns, retries, reportLinks } = deps;
  server.route({
    method: 'GET',
    url: '/shared-reports/:token',
    config: { role: 'anybody', heavy: 'reports', rateLimit: { max: readsPerMinute, timeWindow: 60_000 } },
    schema: {
      operationId: 'getSharedReport',
      summary: 'Get the report of a link, as JSON or as a page',
      description:
        'Anyone with the link can read the report until the link expires or is revoked, or the key that created it ends. It names no user.',
      tags,
      security: [],
      params: z.object({ token: z.string().max(200) }),
      response: {
        200: {
          description: 'The report',
          content: { 'application/json': { schema: sharedReport }, 'text/html': streamed },
        },
      },
    },
    handler: async ({ params: { token }, headers }, reply) => {
      const opened = await reportLinks.open(token);
      const snapshot = opened && (await heavyRuns.reports.snapshot(opened.runId));
      if (!snapshot) throw gone();
      const { runId, expiresAt } = opened;
      const [groups, sums] = await Promise.all([heavyRuns.reports.failureGroups(runId), retries.sums(runId)]);
      const report = sharedReportView(runReportView(snapshot, groups, sums), expiresAt);
      reply.header('vary', 'accept').header('referrer-policy', 'no-referrer').header('x-robots-tag', 'noindex');
      if (preferredType(headers.accept, ['application/json', 'text/html']) === 'application/json')
        return reply.send(report);
      const page = reply.type('text/html; charset=utf-8').header('content-security-policy', pagePolicy);
      return page.send(Readable.from([sharedReportPage(report, pageContext(deps))]));
    },
  });
}

function pageContext({ installation, catalogue }: ShareRoutesDeps): PageContext {
  const types = catalogue.registered();
  return {
    installationName: installation.name,
    zone: installation.zone,
    titleOf: (action) => types[action]?.title ?? titleFromName(action),
  };
}

/** Returns the same problem for unknown, expired and revoked links, so that callers cannot distinguish them. */
function gone(): HttpProblem {
  const detail = 'this link does not exist or is no longer valid: ask the team that gave it to you for a new one';
  return new HttpProblem({ status: 404, code: 'link-not-found', detail });
}
