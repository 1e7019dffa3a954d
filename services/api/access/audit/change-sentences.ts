import { z } from 'zod';
import { csv } from '../../frame/streams/answer-list.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { changing } from '../../frame/server/log-changes.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Sentence of the audit log for a request to this route, such as `paused a run`. The status of the request shows if
     * it succeeded.
     */
    audit?: string;
  }
  interface FastifyInstance {
    /** Sentences of the audit log by method and route, such as `POST /runs/:id/pause`. */
    changeSentences: Map<string, string>;
  }
}

/**
 * Sentences for operations that have no route any more. An entry of the audit log keeps its method and route. When a
 * route is removed or renamed, its sentence therefore moves to this list.
 */
const withoutRoute = {
  // Routes that were replaced by `/v1/quarantine`.
  'POST /v1/dead-letters/:id/replay': 'replayed a dead letter',
  'POST /v1/dead-letters/replay': 'replayed dead letters',
  'POST /v1/dead-letters/:id/discard': 'discarded a dead letter',
  'POST /v1/dead-letters/discard': 'discarded dead letters',
  'POST /v1/quarantined-steps/:id/replay': 'replayed a quarantined step',
  'POST /v1/quarantined-steps/:id/discard': 'discarded a quarantined step',
  'POST /v1/dead-jobs/:id/replay': 'replayed a dead job',
  'POST /v1/dead-jobs/replay': 'replayed dead jobs',
  'POST /v1/dead-jobs/:id/discard': 'discarded a dead job',
  'POST /v1/dead-jobs/discard': 'discarded dead jobs',
  // Routes that were replaced by `/v1/campaigns/{id}/trials`.
  'POST /v1/campaigns/:id/test-send': 'sent a test of a campaign',
  'POST /v1/campaigns/:id/dry-run': 'began a dry run of a campaign',
  // Routes that were replaced by `/v1/notifications`.
  'POST /v1/webhooks': 'made a webhook',
  'PATCH /v1/webhooks/:id': 'changed a webhook',
  'DELETE /v1/webhooks/:id': 'deleted a webhook',
  'POST /v1/webhooks/:id/rotate': 'gave a webhook another secret',
  'POST /v1/webhooks/:id/test': 'sent a test notice of a webhook',
  'POST /v1/webhooks/:id/send-again': 'sent dead notices of a webhook again',
  // Routes that were replaced by `/v1/audiences`.
  'POST /v1/saved-audiences': 'saved an audience',
  'PATCH /v1/saved-audiences/:id': 'changed a saved audience',
  'DELETE /v1/saved-audiences/:id': 'deleted a saved audience',
  'POST /v1/audience-counts': 'began to count an audience',
  'POST /v1/audience-counts/:id/cancel': 'ended the count of an audience',
  // Routes that were replaced by those of the endpoint `default`.
  'POST /v1/clients/:id/disable': 'disabled a client',
  'POST /v1/clients/:id/enable': 'enabled a client',
  'POST /v1/clients/:id/keys': 'added a signing key to a client',
  'DELETE /v1/clients/:id/keys/:keyId': 'ended a signing key of a client',
  'PUT /v1/clients/:id/auth': 'set the authorization of a client’s calls',
  'DELETE /v1/clients/:id/auth': 'removed the authorization of a client’s calls',
  // Recorded when a service starts with other settings, and when a database is restored to an earlier moment.
  'PUT /settings': 'started a service with other settings',
  'POST /restored': 'restored the database to an earlier moment',
} satisfies Record<`${string} /${string}`, string>;

/** Collects the sentences of the routes that are registered after this. */
export function collectSentences(server: HttpServer): void {
  const sentences = new Map<string, string>(Object.entries(withoutRoute));
  server.decorate('changeSentences', sentences);
  server.addHook('onRoute', ({ method, url, config }) => {
    if (config?.audit === undefined) return;
    for (const each of [method].flat()) {
      if (!canBeRecorded(each)) continue;
      if (sentences.has(`${each} ${url}`)) throw new Error(`${each} ${url} has two sentences for the audit log`);
      sentences.set(`${each} ${url}`, config.audit);
    }
  });
}

/**
 * Requires each route that is registered after this call to have a sentence if the audit log may record it, and to have
 * none otherwise.
 * @throws {Error} with the route
 */
export function requireSentences(server: HttpServer): void {
  server.addHook('onRoute', ({ method, url, config, schema }) => {
    for (const each of [method].flat().filter(canBeRecorded)) {
      const isRecorded = changing.has(each) ? !config?.isFrequent : leavesAsFile(schema?.response);
      const hasSentence = config?.audit !== undefined;
      if (isRecorded && !hasSentence) throw new Error(`${each} ${url} has no sentence for the audit log`);
      if (!isRecorded && hasSentence) throw new Error(`${each} ${url} has a sentence, and no entry in the audit log`);
    }
  });
}

/**
 * Returns true if the audit log can record the method. HEAD is excluded: every GET route also has a HEAD route with the
 * same configuration.
 */
function canBeRecorded(method: string): boolean {
  return changing.has(method) || method === 'GET';
}

const answers = z.object({ 200: z.object({ content: z.object({ [csv]: z.looseObject({}) }) }) });

function leavesAsFile(response: unknown): boolean {
  return answers.safeParse(response).success;
}
