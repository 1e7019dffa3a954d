import { z } from 'zod';
import { csv } from '../../frame/answer-list.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { changing } from '../../frame/server/log-changes.ts';

/**
 * What was done, in words, by method and route: entries keep both as they were, for as long as they are kept, so a
 * route that is gone or has another name leaves its sentence here. Whether it was done is what the status says.
 */
export const changeSentences = {
  'POST /v1/session': 'logged in',
  'DELETE /v1/session': 'logged out',
  'DELETE /v1/sessions': 'logged out everywhere',
  'POST /v1/session/links': 'made a log-in link',
  'POST /v1/api-keys': 'made a key',
  'PATCH /v1/api-keys/:id': 'changed a key',
  'DELETE /v1/api-keys/:id': 'revoked a key',
  'POST /v1/api-keys/:id/rotate': 'gave a key another secret',

  'POST /v1/campaigns': 'made a campaign',
  'PATCH /v1/campaigns/:id': 'changed a campaign',
  'DELETE /v1/campaigns/:id': 'deleted a draft',
  'POST /v1/campaigns/:id/start': 'started a campaign',
  'POST /v1/campaigns/:id/unschedule': 'took a campaign off its schedule',
  'POST /v1/campaigns/:id/estimate': 'asked how many users a campaign reaches',
  'POST /v1/campaigns/:id/archive': 'archived a campaign',
  'POST /v1/campaigns/:id/unarchive': 'took a campaign out of the archive',
  'POST /v1/campaigns/:id/clone': 'cloned a campaign',
  'POST /v1/campaigns/:id/revisions/:revision/restore': 'restored a revision of a campaign',
  'POST /v1/campaigns/:id/test-send': 'sent a test of a campaign',
  'POST /v1/campaigns/:id/dry-run': 'began a dry run of a campaign',
  'PATCH /v1/campaigns/:id/budgets': 'changed budgets of a campaign',
  'PUT /v1/approval-policy': 'set who has to approve what',
  'POST /v1/campaigns/:id/submit': 'submitted a campaign for approval',
  'POST /v1/campaigns/:id/approve': 'approved a campaign',
  'POST /v1/campaigns/:id/send-back': 'sent a campaign back unapproved',
  'POST /v1/campaigns/:id/withdraw': 'withdrew a campaign from approval',
  'POST /v1/templates': 'made a template',
  'PATCH /v1/templates/:id': 'changed a template',
  'DELETE /v1/templates/:id': 'deleted a template',
  'POST /v1/templates/:id/revisions/:revision/restore': 'restored a revision of a template',
  'POST /v1/templates/:id/campaigns': 'made a campaign from a template',

  'PATCH /v1/runs/:id': 'changed limits of a run',
  'POST /v1/runs/:id/pause': 'paused a run',
  'POST /v1/runs/:id/resume': 'resumed a run',
  'POST /v1/runs/:id/cancel': 'cancelled a run',
  'POST /v1/runs/:id/retry-failed': 'retried the failed users of a run',
  'POST /v1/runs/:id/settle': 'settled unknown users of a run',
  'POST /v1/runs/:id/share': 'made a link to a report',
  'DELETE /v1/runs/:id/shares/:linkId': 'revoked a link to a report',
  'GET /v1/runs/:id/failures': 'exported the failures of a run',
  'GET /v1/runs/:id/users': 'exported the users of a run',
  'GET /v1/runs/:id/held-out': 'exported the held-out users of a run',
  'GET /v1/runs/:id/receipts': 'exported the receipts of a run',
  'GET /v1/runs/:id/report/table': 'exported the report of a run',

  'POST /v1/audiences': 'uploaded an audience',
  'PATCH /v1/audiences/:id': 'renamed an uploaded audience',
  'DELETE /v1/audiences/:id': 'deleted an uploaded audience',
  'GET /v1/audiences/:id/rejects': 'exported the rejected rows of an upload',
  'POST /v1/audience-counts': 'began to count an audience',
  'POST /v1/audience-counts/:id/cancel': 'ended the count of an audience',
  'POST /v1/saved-audiences': 'saved an audience',
  'PATCH /v1/saved-audiences/:id': 'changed a saved audience',
  'DELETE /v1/saved-audiences/:id': 'deleted a saved audience',
  'POST /v1/saved-audiences/:id/estimate': 'asked how many users a saved audience has',
  'POST /v1/suppressions': 'added users to the suppressions',
  'DELETE /v1/suppressions/users/:userId': 'took a user off the suppressions',
  'POST /v1/suppressions/uploads': 'uploaded suppressions',
  'PUT /v1/quiet-hours': 'set quiet hours',

  'POST /v1/action-types': 'registered an action type',
  'PUT /v1/action-types/:name': 'replaced an action type',
  'PATCH /v1/action-types/:name': 'changed an action type',
  'DELETE /v1/action-types/:name': 'deleted an action type',
  'PUT /v1/action-types/:name/secrets/:secret': 'set a secret of an action type',
  'DELETE /v1/action-types/:name/secrets/:secret': 'removed a secret of an action type',
  'POST /v1/dead-letters/:id/replay': 'replayed a dead letter',
  'POST /v1/dead-letters/replay': 'replayed dead letters',
  'POST /v1/dead-letters/:id/discard': 'discarded a dead letter',
  'POST /v1/dead-letters/discard': 'discarded dead letters',
  'POST /v1/quarantined-steps/:id/replay': 'replayed a quarantined step',
  'POST /v1/quarantined-steps/:id/discard': 'discarded a quarantined step',
  'PATCH /v1/shards/:shard': 'raised the partitions of a shard',

  'POST /v1/clients': 'made a client',
  'PATCH /v1/clients/:id': 'changed limits of a client',
  'DELETE /v1/clients/:id': 'deleted a client',
  'POST /v1/clients/:id/disable': 'disabled a client',
  'POST /v1/clients/:id/enable': 'enabled a client',
  'POST /v1/clients/:id/keys': 'added a signing key to a client',
  'DELETE /v1/clients/:id/keys/:keyId': 'ended a signing key of a client',
  'PUT /v1/clients/:id/auth': 'set the authorization of a client’s calls',
  'DELETE /v1/clients/:id/auth': 'removed the authorization of a client’s calls',
  'POST /v1/clients/:id/endpoints': 'made an endpoint of a client',
  'PATCH /v1/clients/:id/endpoints/:endpoint': 'changed an endpoint of a client',
  'DELETE /v1/clients/:id/endpoints/:endpoint': 'deleted an endpoint of a client',
  'POST /v1/clients/:id/endpoints/:endpoint/disable': 'disabled an endpoint of a client',
  'POST /v1/clients/:id/endpoints/:endpoint/enable': 'enabled an endpoint of a client',
  'POST /v1/clients/:id/endpoints/:endpoint/keys': 'added a signing key to an endpoint',
  'DELETE /v1/clients/:id/endpoints/:endpoint/keys/:keyId': 'ended a signing key of an endpoint',
  'PUT /v1/clients/:id/endpoints/:endpoint/auth': 'set the authorization of an endpoint’s calls',
  'DELETE /v1/clients/:id/endpoints/:endpoint/auth': 'removed the authorization of an endpoint’s calls',

  'POST /v1/jobs/:id/cancel': 'cancelled a job',
  'POST /v1/jobs/:id/reschedule': 'rescheduled a job',
  'POST /v1/jobs/:id/run-now': 'let a job run now',
  'POST /v1/jobs/cancel': 'cancelled jobs by ids or keys',
  'POST /v1/jobs/reschedule': 'rescheduled jobs by ids or keys',
  'POST /v1/jobs/resend': 'sent ended jobs again',
  'POST /v1/jobs/changes': 'began to change all jobs of a filter',
  'POST /v1/dead-jobs/:id/replay': 'replayed a dead job',
  'POST /v1/dead-jobs/replay': 'replayed dead jobs',
  'POST /v1/dead-jobs/:id/discard': 'discarded a dead job',
  'POST /v1/dead-jobs/discard': 'discarded dead jobs',

  'POST /v1/schedules': 'made a schedule',
  'PATCH /v1/schedules/:id': 'changed a schedule',
  'DELETE /v1/schedules/:id': 'deleted a schedule',
  'POST /v1/schedules/:id/pause': 'paused a schedule',
  'POST /v1/schedules/:id/resume': 'resumed a schedule',
  'POST /v1/schedules/:id/disable': 'disabled a schedule',
  'POST /v1/schedules/:id/enable': 'enabled a schedule',
  'POST /v1/schedules/:id/run-now': 'fired a schedule now',
  'POST /v1/schedules/:id/backfill': 'backfilled a schedule',
  'PUT /v1/groups/:name': 'set a group of schedules',
  'DELETE /v1/groups/:name': 'deleted a group of schedules',
  'PUT /v1/work-calendars/:name': 'set a work calendar',
  'DELETE /v1/work-calendars/:name': 'deleted a work calendar',
  'POST /v1/scheduler/regions/:region/switch': 'made a region the only one that fires',
  'POST /v1/scheduler/regions/:region/activate': 'let a region fire again',
  'POST /v1/scheduler/hosts/enable': 'let a host be called again',

  'POST /v1/webhooks': 'made a webhook',
  'PATCH /v1/webhooks/:id': 'changed a webhook',
  'DELETE /v1/webhooks/:id': 'deleted a webhook',
  'POST /v1/webhooks/:id/rotate': 'gave a webhook another secret',
  'POST /v1/webhooks/:id/test': 'sent a test notice of a webhook',
  'POST /v1/webhooks/:id/send-again': 'sent dead notices of a webhook again',

  // By no route: a service that starts with other settings, and a database that was taken back to an earlier moment.
  'PUT /settings': 'started a service with other settings',
  'POST /restored': 'restored the database to an earlier moment',
} satisfies Record<`${string} /${string}`, string>;

const byOperation: ReadonlyMap<string, string> = new Map(Object.entries(changeSentences));

/** @returns undefined for an entry of another version of Muster, whose operation is not known here */
export function changeSentence(method: string, route: string): string | undefined {
  return byOperation.get(`${method} ${route}`);
}

/** Of the routes that are registered after this, none that is audited can be without a sentence. */
export function requireSentences(server: HttpServer): void {
  server.addHook('onRoute', ({ method, url, config, schema }) => {
    for (const each of [method].flat()) {
      const isAudited = changing.has(each) ? !config?.isFrequent : each === 'GET' && leavesAsFile(schema?.response);
      if (isAudited && changeSentence(each, url) === undefined)
        throw new Error(`${each} ${url} has no sentence for the audit log`);
    }
  });
}

const answers = z.object({ 200: z.object({ content: z.object({ [csv]: z.looseObject({}) }) }) });

function leavesAsFile(response: unknown): boolean {
  return answers.safeParse(response).success;
}
