import { Readable } from 'node:stream';
import { z } from 'zod';
import {
  madeReportLink,
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
import type { Retries } from '../failures/retries.port.ts';
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
/** Limit per IP address: enough for a person who reads one report, too low for guessing tokens. */
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
    config: { role: 'manager', scope: 'campaign', isAnswerSecret: true, audit: 'made a link to a report' },
    schema: {
      operationId: 'shareReport',
      summary: 'Make a link that shows the report to people without a key',
      description:
        'It shows no user, ends by itself, and can be revoked. It ends with the key that made it, and when that key may not make it any more.',
      tags,
      headers: headersOfSecretAnswers,
      params: byId,
      body: newReportLink,
      response: { 201: jsonAnswer('The link, shown this once', madeReportLink), ...problems(409) },
    },
    handler: async (request, reply) => {
      const { id } = request.params;
      const runId = requireId('run', id);
      if (!(await reports.snapshot(runId))) throw notFound('run', id);
      const made = await reportLinks.make(runId, callerOf(request).key, request.body.expiresInSeconds);
      if (!made) {
        const detail = `${id} has as many open links as it may have: revoke one`;
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
      summary: 'Links to the report of a run, newest first, without what opens them',
      tags,
      params: byId,
      response: { 200: jsonAnswer('All of them', pageShape(reportLink)) },
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
      summary: 'Revoke a link: it shows nothing any more',
      tags,
      params: byId.extend({ linkId: z.string().describe('rpl_…') }),
      response: { 204: z.null().describe('It is revoked') },
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
      summary: 'The report that a link shows, as JSON or as a page',
      description:
        'Whoever has the link may read it until it ends or is revoked, or the key that made it ends. No user is named.',
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

/** Returns one problem for unknown, expired and revoked links, so that they cannot be told apart. */
function gone(): HttpProblem {
  const detail = 'this link shows nothing, or nothing any more: ask the team that gave it to you for another';
  return new HttpProblem({ status: 404, code: 'link-not-found', detail });
}
