import { accessRoutes } from './access/access-module.ts';
import { admitHeavyRequests, type AdmitHeavyRequestsDeps } from './access/admit-heavy-requests.ts';
import { admitCallers, type AdmitCallersDeps, type Admission } from './access/admit-callers.ts';
import { recordChanges, type AuditLog } from './access/audit/record-changes.ts';
import { actionTypeRoutes } from './action-types/action-type-routes.ts';
import { approvalsRoutes } from './campaigns/approvals/approvals-module.ts';
import { countRoutes } from './audiences/counts/count-routes.ts';
import { audienceRoutes } from './audiences/lists/audience-routes.ts';
import { campaignsRoutes } from './campaigns/campaigns-module.ts';
import { clientsRoutes } from './clients/clients-module.ts';
import { dryRunRoutes } from './trials/dry-runs/dry-run-routes.ts';
import { findRoutes } from './live/find/find-routes.ts';
import { addIdempotency, type IdempotentRequests } from './frame/server/idempotency.ts';
import type { HttpServer } from './frame/server/create-http-server.ts';
import { limitRequests } from './frame/server/limit-requests.ts';
import { logChanges } from './frame/server/log-changes.ts';
import { schedulerRoutes } from './installation/scheduler/scheduler-routes.ts';
import { jobsRoutes } from './jobs/jobs-module.ts';
import { liveRoutes } from './live/live-module.ts';
import { namedAudienceRoutes } from './audiences/named/named-audience-routes.ts';
import { quietHoursRoutes } from './withheld/quiet-hours/quiet-hours-routes.ts';
import { runReceiptRoutes } from './receipts/run-receipt-routes.ts';
import { runsRoutes } from './runs/runs-module.ts';
import { savedAudienceRoutes } from './audiences/saved/saved-audience-routes.ts';
import { schedulesRoutes } from './schedules/schedules-module.ts';
import { segmentRoutes } from './audiences/segments/segment-routes.ts';
import { shardRoutes } from './installation/shards/shard-routes.ts';
import { suppressionRoutes } from './withheld/suppressions/suppression-routes.ts';
import { systemRoutes } from './installation/system/system-routes.ts';
import { templatesRoutes } from './campaigns/templates/templates-module.ts';
import { testSendRoutes } from './trials/test-sends/test-send-routes.ts';
import { troubleRoutes } from './trouble/trouble-module.ts';
import { userFileRoutes } from './user-files/preview-routes.ts';
import { webhooksRoutes } from './notifications/notifications-module.ts';

/** What needs a key, room by room. */
const rooms = [
  accessRoutes,
  campaignsRoutes,
  approvalsRoutes,
  templatesRoutes,
  testSendRoutes,
  dryRunRoutes,
  runsRoutes,
  liveRoutes,
  findRoutes,
  runReceiptRoutes,
  audienceRoutes,
  userFileRoutes,
  segmentRoutes,
  countRoutes,
  savedAudienceRoutes,
  namedAudienceRoutes,
  actionTypeRoutes,
  suppressionRoutes,
  quietHoursRoutes,
  troubleRoutes,
  shardRoutes,
  clientsRoutes,
  schedulesRoutes,
  schedulerRoutes,
  jobsRoutes,
  webhooksRoutes,
  systemRoutes,
];

/** What all of them together ask for. */
type RoomDeps = (typeof rooms)[number] extends (server: HttpServer, deps: infer Deps) => unknown ? Deps : never;

export type V1Deps = Omit<RoomDeps, keyof Admission> &
  AdmitCallersDeps &
  AdmitHeavyRequestsDeps & { audit: AuditLog; idempotency: IdempotentRequests };

/** Everything that needs a key. */
export async function v1Routes(server: HttpServer, deps: V1Deps): Promise<void> {
  const admission = await admitCallers(server, deps);
  logChanges(server);
  server.setNotFoundHandler(server.answerNoRoute);
  await limitRequests(server);
  addIdempotency(server, deps.idempotency);
  recordChanges(server, deps.audit);
  admitHeavyRequests(server, deps);
  for (const routes of rooms) await routes(server, { ...deps, ...admission });
}
