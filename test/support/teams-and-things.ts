import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import { coversOf } from '../../shared/contracts/campaigns/approvals.ts';
import { createdNotification } from '../../shared/contracts/notifications/notifications.ts';
import { publicId, uuidOf } from '../../shared/domain/ids/ids.ts';
import { roles, type Role } from '../../shared/domain/roles.ts';
import { wholeScope, type Scope } from '../../shared/domain/scopes.ts';
import { digestOfApiKey } from '../../shared/runtime/installation/api-key-secret.ts';
import type { apiOnPostgres } from './api-on-postgres.ts';
import { campaignDefinitionOf } from './conformance/run-rows.ts';
import { createTemplateStore } from '../../services/api/campaigns/templates/postgres/template-store.ts';

/**
 * Scopes of keys relative to the team that owns all objects: its own scope, one of its countries, the scope of another
 * team, an empty scope, and no scope.
 */
export const reaches = ['own', 'part', 'other', 'empty', 'none'] as const;

export type Reach = (typeof reaches)[number];

/** The team that owns all objects, as requests name it. */
export const owning = { client: 'owning', country: 'SG', action: 'award-reward' };
export const owningCountries = [owning.country, 'VN'];

const hook = 'https://shop.example.com/hook';

export const secretOf = (role: Role, reach: Reach) => `muster_a-${role}-with-the-scope-${reach}`;

/**
 * Creates teams with a key for each role, and one object of each kind that a path can name. The first team owns all
 * objects.
 */
export function teamsAndThings(on: ReturnType<typeof apiOnPostgres>) {
  async function addKeys(scopes: Readonly<Record<Reach, Scope>>): Promise<void> {
    for (const reach of reaches) {
      const scope = scopes[reach];
      const add = (role: Role, createdBy: string | null) =>
        on.deps.apiKeys.add({
          name: `${role} ${reach}`,
          role,
          scope,
          digest: digestOfApiKey(secretOf(role, reach)),
          createdBy,
        });
      const lead = await add('operator', null);
      for (const role of roles.filter((each) => each !== 'operator')) await add(role, lead.key);
    }
  }

  async function addRow(text: string, values: unknown[]): Promise<string> {
    const { rows } = await on.pool.query<{ id: string }>(`${text} returning id`, values);
    return z.string().parse(rows[0]?.id);
  }

  const made = async (path: string, body: object) =>
    z.object({ id: z.string() }).parse((await on.ask('POST', path, body)).json()).id;

  async function addThings(client: string): Promise<Readonly<Record<string, string>>> {
    const clientId = uuidOf('client', client);
    const target = { client: owning.client, url: hook };
    const definition = campaignDefinitionOf({
      name: 'theirs',
      countries: owningCountries,
      chain: [{ action: owning.action, params: {} }],
    });
    const { campaignId } = await on.deps.campaigns.create(definition);
    const template = {
      name: 'theirs',
      variables: {},
      campaign: { countries: owningCountries, chain: [{ action: owning.action }] },
    };
    const saved = await on.deps.savedAudiences.create(
      uuidv7(),
      { name: 'theirs', countries: owningCountries, audience: { include: [{ segment: 'riders' }] } },
      null,
    );
    if (saved === 'list-gone') throw new Error(saved);
    const notification = await on.api.server.inject({
      method: 'POST',
      url: '/v1/notifications',
      headers: { authorization: `Bearer ${secretOf('manager', 'own')}` },
      payload: { url: hook, events: ['run.ended'] },
    });
    const job = { scheduledFor: new Date(0), acceptedAt: new Date(0), attempt: 3, method: 'POST', url: hook, body: '' };
    const deadJob = await addRow(
      `insert into dead_jobs (id, client, cause, job) values (uuidv7(), $1, 'status 500', $2)`,
      [clientId, job],
    );
    const audience = await addRow(
      `insert into audiences (id, name, state, users, attempt) values (uuidv7(), 'theirs', 'ready', $1, uuidv7())`,
      [Object.fromEntries(owningCountries.map((country) => [country, 3]))],
    );
    const count = await addRow(
      `insert into audience_counts (id, account, requested_by, request, key, state)
       values (uuidv7(), uuidv7(), uuidv7(), $1, 'key', 'waiting')`,
      [{ countries: owningCountries, audience: { include: [{ segment: 'riders' }] } }],
    );
    const key = await on.deps.apiKeys.add({
      name: 'thing',
      role: 'viewer',
      digest: digestOfApiKey('muster_a-key-to-be-changed'),
      scope: { clients: [z.string().parse(clientId)], countries: owningCountries, actionTypes: [owning.action] },
    });
    const runId = await on.deps.rows.addRun({ campaignId, revision: 1, scheduledFor: new Date(0), state: 'running' });
    const approval = await addRow(
      `insert into approvals (id, campaign, revision, hash, covers, state, required_approvers, reasons)
       values (uuidv7(), $1, 1, 'h', $2, 'waiting', 1, '[]')`,
      [campaignId, coversOf(definition, { [owning.country]: 3 }, undefined)],
    );
    const step = await addRow(
      'insert into quarantined_steps (feed, batch_no, step, users, lapses) values ($1, 0, 1, 1, 3)',
      [await on.deps.rows.addFeed(runId, { country: owning.country })],
    );
    return {
      cli: client,
      job: await made('/v1/jobs', { ...target, delaySeconds: 3600 }),
      'dead-jobs': publicId('job', deadJob),
      jch: await made('/v1/jobs/changes', { client: owning.client, verb: 'cancel', tag: 'none' }),
      sch: await made('/v1/schedules', { name: 'nightly', cron: '0 3 * * *', zone: 'UTC', target }),
      cmp: publicId('campaign', campaignId),
      tpl: publicId('template', (await createTemplateStore(on.deps).create(uuidv7(), template, null)).templateId),
      run: publicId('run', runId),
      apr: publicId('approval', approval),
      qst: publicId('quarantinedStep', step),
      dlt: publicId('deadLetter', uuidv7()),
      sup: publicId('suppressionUpload', uuidv7()),
      aud: publicId('audience', audience),
      cnt: publicId('audienceCount', count),
      sav: publicId('savedAudience', saved.savedAudienceId),
      ntf: createdNotification.parse(notification.json()).notification.id,
      key: publicId('apiKey', key.key),
    };
  }

  return {
    /** Adds keys and objects. Returns the objects by the prefix of their ids; `dead-jobs` is the dead job. */
    begin: async (): Promise<Readonly<Record<string, string>>> => {
      const own = await made('/v1/clients', { name: owning.client });
      const other = await made('/v1/clients', { name: 'other' });
      const idOf = (client: string) => z.string().parse(uuidOf('client', client));
      await addKeys({
        own: { clients: [idOf(own)], countries: owningCountries, actionTypes: [owning.action] },
        part: { clients: [idOf(own)], countries: [owning.country], actionTypes: [owning.action] },
        other: { clients: [idOf(other)], countries: ['ID'], actionTypes: ['send-message'] },
        empty: { clients: [], countries: [], actionTypes: [] },
        none: wholeScope,
      });
      return await addThings(own);
    },
  };
}
