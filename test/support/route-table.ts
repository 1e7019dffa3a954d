import type { RouteScope } from '../../services/api/access/scopes.ts';
import type { Role } from '../../shared/domain/roles.ts';

/** `anybody` needs no key. */
export type NeededRole = Role | 'scheduler or manager' | 'anybody';

/**
 * Who may ask for what, and how the scope of a key applies to it, written down once more: a route that is opened to
 * more keys, by mistake or not, has to be changed here as well.
 */
export const routeTable: Readonly<Record<NeededRole, Readonly<Partial<Record<RouteScope, readonly string[]>>>>> = {
  anybody: {
    none: ['GET /healthz', 'GET /readyz', 'POST /v1/session'],
  },
  viewer: {
    none: [
      'GET /v1/session',
      'GET /v1/quotas',
      'DELETE /v1/session',
      'DELETE /v1/sessions',
      'POST /v1/session/links',
      'GET /v1/campaigns',
      'GET /v1/campaigns/{id}',
      'GET /v1/campaigns/counts',
      'GET /v1/campaigns/{id}/budgets',
      'GET /v1/campaigns/{id}/revisions',
      'GET /v1/campaigns/{id}/revisions/{revision}',
      'GET /v1/campaigns/{id}/revisions/{revision}/diff',
      'GET /v1/approval-policy',
      'GET /v1/approvals',
      'GET /v1/approvals/{id}',
      'GET /v1/runs',
      'GET /v1/runs/{id}',
      'GET /v1/runs/{id}/progress',
      'GET /v1/runs/{id}/rates',
      'GET /v1/runs/{id}/report',
      'GET /v1/runs/{id}/comparison',
      'GET /v1/live',
      'GET /v1/runs/{id}/cancel-preview',
      'GET /v1/runs/{id}/events',
      'GET /v1/runs/{id}/failures',
      'GET /v1/runs/{id}/settlements',
      'GET /v1/runs/{id}/settlements/{settlementId}',
      'GET /v1/runs/{id}/users/{userId}',
      'GET /v1/runs/{id}/receipts',
      'GET /v1/audiences',
      'GET /v1/audiences/{id}',
      'GET /v1/audiences/{id}/rejects',
      'GET /v1/action-types',
      'GET /v1/action-types/{name}',
      'GET /v1/dead-letters',
      'GET /v1/dead-letters/groups',
      'GET /v1/dead-letters/{id}',
      'GET /v1/quarantined-steps',
      'GET /v1/quarantined-steps/{id}',
      'GET /v1/shards',
      'GET /v1/shards/{shard}',
      'GET /v1/audit',
      'POST /v1/schedules/preview',
      'GET /v1/groups',
      'GET /v1/groups/{name}',
    ],
    client: [
      'GET /v1/find',
      'GET /v1/clients',
      'GET /v1/clients/{id}',
      'GET /v1/clients/{id}/ledger',
      'GET /v1/clients/{id}/forecast',
      'GET /v1/dead-jobs',
      'GET /v1/dead-jobs/groups',
      'GET /v1/dead-jobs/{id}',
      'GET /v1/scheduler',
      'GET /v1/jobs',
      'GET /v1/jobs/{id}',
      'GET /v1/jobs/changes/{id}',
    ],
    schedule: [
      'GET /v1/schedules',
      'GET /v1/schedules/{id}',
      'GET /v1/schedules/{id}/preview',
      'GET /v1/schedules/{id}/occurrences',
    ],
  },
  scheduler: {
    client: [
      'POST /v1/dead-jobs/{id}/replay',
      'POST /v1/dead-jobs/replay',
      'POST /v1/jobs',
      'POST /v1/jobs/bulk',
      'POST /v1/jobs/cancel',
      'POST /v1/jobs/{id}/cancel',
      'POST /v1/jobs/{id}/reschedule',
      'POST /v1/jobs/{id}/run-now',
      'POST /v1/jobs/changes',
    ],
    schedule: ['POST /v1/schedules', 'DELETE /v1/schedules/{id}'],
  },
  'scheduler or manager': {
    schedule: [
      'PATCH /v1/schedules/{id}',
      'POST /v1/schedules/{id}/pause',
      'POST /v1/schedules/{id}/resume',
      'POST /v1/schedules/{id}/disable',
      'POST /v1/schedules/{id}/enable',
      'POST /v1/schedules/{id}/run-now',
      'POST /v1/schedules/{id}/backfill',
    ],
  },
  manager: {
    none: ['POST /v1/campaigns/preview'],
    campaign: [
      'POST /v1/campaigns',
      'PATCH /v1/campaigns/{id}',
      'POST /v1/campaigns/{id}/start',
      'POST /v1/campaigns/{id}/estimate',
      'POST /v1/campaigns/{id}/unschedule',
      'POST /v1/campaigns/{id}/clone',
      'POST /v1/campaigns/{id}/revisions/{revision}/restore',
      'POST /v1/campaigns/{id}/archive',
      'POST /v1/campaigns/{id}/unarchive',
      'DELETE /v1/campaigns/{id}',
      'POST /v1/campaigns/{id}/submit',
      'POST /v1/campaigns/{id}/withdraw',
      'PATCH /v1/campaigns/{id}/budgets',
      'PATCH /v1/runs/{id}',
      'POST /v1/runs/{id}/pause',
      'POST /v1/runs/{id}/resume',
      'POST /v1/runs/{id}/cancel',
      'POST /v1/runs/{id}/retry-failed',
      'POST /v1/runs/{id}/settle',
      'POST /v1/audiences',
      'DELETE /v1/audiences/{id}',
    ],
  },
  approver: {
    campaign: ['POST /v1/campaigns/{id}/approve', 'POST /v1/campaigns/{id}/send-back'],
  },
  operator: {
    client: [
      'POST /v1/clients/{id}/keys',
      'DELETE /v1/clients/{id}/keys/{keyId}',
      'PUT /v1/clients/{id}/auth',
      'DELETE /v1/clients/{id}/auth',
      'POST /v1/scheduler/hosts/enable',
    ],
    key: [
      'GET /v1/api-keys',
      'GET /v1/api-keys/{id}',
      'POST /v1/api-keys',
      'POST /v1/api-keys/{id}/rotate',
      'PATCH /v1/api-keys/{id}',
      'DELETE /v1/api-keys/{id}',
    ],
    installation: [
      'PUT /v1/approval-policy',
      'POST /v1/action-types',
      'PUT /v1/action-types/{name}',
      'PATCH /v1/action-types/{name}',
      'DELETE /v1/action-types/{name}',
      'PUT /v1/action-types/{name}/secrets/{secret}',
      'DELETE /v1/action-types/{name}/secrets/{secret}',
      'POST /v1/dead-letters/{id}/replay',
      'POST /v1/dead-letters/replay',
      'POST /v1/dead-letters/{id}/discard',
      'POST /v1/dead-letters/discard',
      'POST /v1/quarantined-steps/{id}/replay',
      'POST /v1/quarantined-steps/{id}/discard',
      'PATCH /v1/shards/{shard}',
      'POST /v1/clients',
      'PATCH /v1/clients/{id}',
      'DELETE /v1/clients/{id}',
      'POST /v1/clients/{id}/disable',
      'POST /v1/clients/{id}/enable',
      'PUT /v1/groups/{name}',
      'DELETE /v1/groups/{name}',
      'POST /v1/scheduler/regions/{region}/switch',
      'POST /v1/scheduler/regions/{region}/activate',
      'POST /v1/receipts',
    ],
  },
};

export interface ListedRoute {
  route: string;
  role: NeededRole;
  scope: RouteScope;
}

const neededRoles = [
  'anybody',
  'viewer',
  'scheduler',
  'scheduler or manager',
  'manager',
  'approver',
  'operator',
] as const;
const routeScopes = ['none', 'client', 'schedule', 'campaign', 'key', 'installation'] as const;

export const listedRoutes: readonly ListedRoute[] = neededRoles.flatMap((role) =>
  routeScopes.flatMap((scope) => (routeTable[role][scope] ?? []).map((route) => ({ route, role, scope }))),
);
