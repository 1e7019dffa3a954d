import { z } from 'zod';
import {
  jobDecision,
  jobReplay,
  jobReplays,
  jobSelection,
  quarantinedJob,
  quarantinedJobDetail,
  quarantinedJobGroup,
} from '../../../shared/contracts/quarantine/jobs.ts';
import { clientRef } from '../../../shared/contracts/jobs/jobs.ts';
import type { Scope } from '../../../shared/domain/scopes.ts';
import type { ClientReader } from '../../../shared/runtime/installation/client-reader.ts';
import { canReadJobContents } from '../access/rights.ts';
import { scopeOf } from '../access/scopes.ts';
import { requireReadableClient } from '../clients/named-client.ts';
import { HttpProblem } from '../frame/http-problem.ts';
import { pageQuery } from '../frame/pages.contract.ts';
import { refusingInvalidCursor } from '../frame/public-ids.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { DeadJobFilter, DeadJobStore } from '../jobs/parts.ts';
import { jobDetailView, jobGroupView, jobView } from './job-view.ts';
import { bulkDecisionRoute, decisionRoutes, readingRoutes, type DecideItem, type KindRules } from './kind-routes.ts';

export interface JobRoutesDeps {
  deadJobs: DeadJobStore;
  clients: Pick<ClientReader, 'current' | 'refresh'>;
}

const rules: KindRules = {
  kind: 'job',
  idKind: 'job',
  access: {
    list: { role: 'viewer', scope: 'client' },
    find: { role: 'viewer', scope: 'client' },
    decide: { role: 'scheduler', scope: 'client' },
  },
  refusals: { 'unknown-client': 'no client has this id or name' },
};

const filter = { client: clientRef.optional(), reason: z.string().min(1).max(500).optional() };

const stays = 'The job stays in the list of ended jobs and counts as dead.';

/** Registers the routes of dead jobs, whose calls have all failed or were impossible. */
export function jobRoutes(server: HttpServer, deps: JobRoutesDeps): void {
  const { deadJobs, clients } = deps;
  readingRoutes(server, rules, {
    query: pageQuery.extend(filter),
    filter: z.strictObject(filter),
    item: quarantinedJob,
    detail: quarantinedJobDetail,
    group: quarantinedJobGroup,
    list: async ({ limit, cursor, ...query }, request) => {
      const wanted = await filterOf(query, scopeOf(request), clients);
      const page = await refusingInvalidCursor(cursor, () => deadJobs.list(wanted, limit, cursor ?? null));
      return { items: page.items.map(jobView), next: page.next };
    },
    groups: async (query, request) =>
      (await deadJobs.groups(await filterOf(query, scopeOf(request), clients))).map(jobGroupView),
    find: async ({ uuid }, request) => {
      const job = await deadJobs.find(uuid);
      return job && jobDetailView(job, canReadJobContents(request));
    },
  });

  decisionRoutes(
    server,
    { ...rules, decision: jobDecision },
    {
      replay: {
        description: 'The job is called again, under the same id and webhook-id, with its previous attempts.',
        body: jobReplay,
        decide: replayWith(deps),
      },
      discard: {
        description: `${stays} Its content is deleted.`,
        decide: async ({ uuid }) => ((await deadJobs.discard(uuid)) ? 'discarded' : undefined),
      },
    },
  );
  bulkRoutes(server, deps);
}

function replayWith({ deadJobs }: JobRoutesDeps): DecideItem {
  return async ({ id, uuid }, request) => {
    const outcome = await deadJobs.replay(uuid, jobReplay.parse(request.body));
    if (outcome === 'missing') return undefined;
    if (outcome === 'client-deleted') {
      const detail = `the client of ${id} was deleted: its jobs are no longer called`;
      throw new HttpProblem({ status: 409, code: 'client-deleted', detail });
    }
    if (outcome === 'expired') {
      const detail = `${id} has expired; set withExpired to call it anyway`;
      throw new HttpProblem({ status: 409, code: 'expired', detail });
    }
    return outcome;
  };
}

function bulkRoutes(server: HttpServer, { deadJobs, clients }: JobRoutesDeps): void {
  bulkDecisionRoute(
    server,
    { ...rules, verb: 'replay' },
    {
      description:
        'With `perSecond` the jobs become due one after the other. Expired jobs are skipped without `withExpired`.',
      selection: jobReplays,
      decide: async ({ withExpired, perSecond, ...selection }, request) => {
        const wanted = await filterOf(selection, scopeOf(request), clients);
        const { jobs, expired } = await deadJobs.replayAll(wanted, { withExpired, perSecond: perSecond ?? null });
        return { items: jobs, expired };
      },
    },
  );
  bulkDecisionRoute(
    server,
    { ...rules, verb: 'discard' },
    {
      description: `${stays} Jobs that become dead during the request are not included.`,
      selection: jobSelection,
      decide: async (selection, request) => ({
        items: await deadJobs.discardAll(await filterOf(selection, scopeOf(request), clients)),
        expired: 0,
      }),
    },
  );
}

interface WantedFilter {
  client?: string | undefined;
  reason?: string | undefined;
}

/**
 * Returns the filter of a request.
 * @throws {HttpProblem} 422 for an unknown client, 403 for a client outside the scope
 */
async function filterOf(
  { client, reason }: WantedFilter,
  scope: Scope,
  clients: JobRoutesDeps['clients'],
): Promise<DeadJobFilter> {
  if (client === undefined) return { clientIds: scope.clients ?? undefined, cause: reason };
  return { clientIds: [await requireReadableClient(client, scope, clients)], cause: reason };
}
