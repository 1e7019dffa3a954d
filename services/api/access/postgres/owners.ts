import type { Pool } from 'pg';
import type { Scope } from '../../../../shared/domain/scopes.ts';
import type { OwnedKind, Owner, Owners } from '../owners.port.ts';

/** Creates the reader of owners. It is needed for keys with a scope, and for objects of an account. */
export function createOwners({ pool }: { pool: Pool }): Owners {
  const rowsOf: Readonly<Record<Exclude<OwnedKind, 'notification'>, (id: string) => Promise<{ rows: OwnerRow[] }>>> = {
    job: (id) => pool.query<OwnerRow>(ownerOfJob, [id]),
    jobChange: (id) => pool.query<OwnerRow>(ownerOfJobChange, [id]),
    schedule: (id) => pool.query<OwnerRow>(ownerOfSchedule, [id]),
    campaign: (id) => pool.query<OwnerRow>(ownerOfCampaign, [id]),
    template: (id) => pool.query<OwnerRow>(ownerOfTemplate, [id]),
    run: (id) => pool.query<OwnerRow>(ownerOfRun, [id]),
    audience: (id) => pool.query<OwnerRow>(ownerOfAudience, [id]),
    audienceCount: (id) => pool.query<OwnerRow>(ownerOfAudienceCount, [id]),
    savedAudience: (id) => pool.query<OwnerRow>(ownerOfSavedAudience, [id]),
    approval: (id) => pool.query<OwnerRow>(ownerOfApproval, [id]),
    quarantinedStep: (id) => pool.query<OwnerRow>(ownerOfQuarantinedStep, [id]),
  };
  async function ownerOfNotification(id: string, isDeletedToo: boolean): Promise<Owner | undefined> {
    const { rows } = await pool.query<{ account: string | null; scopes: Scope[] }>(accountOfNotification, [
      id,
      isDeletedToo,
    ]);
    return rows[0] && { of: 'account', ...rows[0] };
  }

  return {
    ownerOf: async (kind, id) => {
      if (kind === 'notification') return await ownerOfNotification(id, false);
      const [row] = (await rowsOf[kind](id)).rows;
      if (!row) return undefined;
      const { clientId, countries, actionTypes } = row;
      if (clientId === null) return { of: 'campaign', countries: countries ?? [], actionTypes: actionTypes ?? [] };
      // The job of a notification contains a message, which a key for all clients must not read. So its owner is not
      // its client, but the account of the notification.
      const ofNotification = kind === 'job' ? await ownerOfNotification(clientId, true) : undefined;
      return ofNotification ?? { of: 'client', clientId };
    },
  };
}

interface OwnerRow {
  clientId: string | null;
  countries: string[] | null;
  actionTypes: string[] | null;
}

const ofClient = `client as "clientId", null::text[] as countries, null::text[] as "actionTypes"`;

/** SQL of the columns with the countries and action types of a campaign's revision `r`. */
export const reachOfRevision = `array(select jsonb_array_elements_text(r.definition -> 'countries')) as countries,
  array(select step ->> 'action' from jsonb_array_elements(r.definition -> 'chain') step) as "actionTypes"`;

const ownerOfJob = `
  select ${ofClient} from jobs where id = $1::uuid
  union all select ${ofClient} from dead_jobs where id = $1::uuid
  union all select ${ofClient} from ended_jobs where id = $1::uuid
  limit 1`;

const ownerOfJobChange = `select ${ofClient} from job_changes where id = $1::uuid`;

const ownerOfSchedule = `
  select s.client as "clientId", ${reachOfRevision}
  from schedules s left join campaigns c on c.id = s.campaign
    left join revisions r on r.campaign = c.id and r.revision = c.revision
  where s.id = $1::uuid`;

const ownerOfCampaign = `
  select null::uuid as "clientId", ${reachOfRevision}
  from campaigns c join revisions r on r.campaign = c.id and r.revision = c.revision
  where c.id = $1::uuid`;

/** SQL of an array of the strings at a path of a template. Variables are not strings, so they are omitted. */
const texts = (path: string) => `array(
    select value #>> '{}' from jsonb_path_query(r.definition, '$.campaign.${path} ? (@.type() == "string")') value)`;

const ownerOfTemplate = `
  select null::uuid as "clientId", ${texts('countries[*]')} as countries, ${texts('chain[*].action')} as "actionTypes"
  from templates t join revisions r on r.template = t.id and r.revision = t.revision
  where t.id = $1::uuid`;

const ownerOfRun = `
  select null::uuid as "clientId", ${reachOfRevision}
  from runs x join revisions r on r.campaign = x.campaign and r.revision = x.revision
  where x.id = $1::uuid`;

const ownerOfApproval = `
  select null::uuid as "clientId", ${reachOfRevision}
  from approvals a join revisions r on r.campaign = a.campaign and r.revision = a.revision
  where a.id = $1::uuid`;

const ownerOfQuarantinedStep = `
  select null::uuid as "clientId", ${reachOfRevision}
  from runs x join revisions r on r.campaign = x.campaign and r.revision = x.revision
  where x.id = (select f.run from quarantined_steps q join feeds f on f.feed = q.feed where q.id = $1::uuid)`;

const ownerOfAudience = `
  select null::uuid as "clientId", array(select jsonb_object_keys(a.users)) as countries,
    '{}'::text[] as "actionTypes"
  from audiences a where a.id = $1::uuid`;

const ownerOfAudienceCount = `
  select null::uuid as "clientId", array(select jsonb_array_elements_text(c.request -> 'countries')) as countries,
    '{}'::text[] as "actionTypes"
  from audience_counts c where c.id = $1::uuid`;

/**
 * Selects the account of a notification, with the scopes of the account's key and of the key that set the URL. The
 * notification receives only messages that are within both scopes.
 */
const accountOfNotification = `
  select n.account, coalesce((select jsonb_agg(jsonb_build_object('clients', k.clients, 'countries', k.countries,
      'actionTypes', k.action_types, 'users', k.reads_users))
    from api_keys k where k.id in (n.account, n.url_set_by)), '[]') as scopes
  from notifications n where n.id = $1::uuid and ($2::boolean or n.deleted_at is null)`;

const ownerOfSavedAudience = `
  select null::uuid as "clientId",
    array(select jsonb_array_elements_text(r.definition -> 'countries')) as countries, '{}'::text[] as "actionTypes"
  from saved_audiences s join revisions r on r.saved_audience = s.id and r.revision = s.revision
  where s.id = $1::uuid`;
