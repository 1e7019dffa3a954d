import type { Pool } from 'pg';

/** What of a key's scope a thing belongs to. */
export type Owner = { of: 'client'; clientId: string } | ({ of: 'campaign' } & CampaignReach);

/** Where a campaign, or a list of users, has an effect. */
export interface CampaignReach {
  countries: readonly string[];
  actionTypes: readonly string[];
}

export type OwnedKind =
  'job' | 'jobChange' | 'schedule' | 'campaign' | 'template' | 'run' | 'audience' | 'savedAudience';

export type Owners = ReturnType<typeof createOwners>;

/** Whose the things are that paths name. Asked only for keys with a scope. */
export function createOwners({ pool }: { pool: Pool }) {
  const rowsOf: Readonly<Record<OwnedKind, (id: string) => Promise<{ rows: OwnerRow[] }>>> = {
    job: (id) => pool.query<OwnerRow>(ownerOfJob, [id]),
    jobChange: (id) => pool.query<OwnerRow>(ownerOfJobChange, [id]),
    schedule: (id) => pool.query<OwnerRow>(ownerOfSchedule, [id]),
    campaign: (id) => pool.query<OwnerRow>(ownerOfCampaign, [id]),
    template: (id) => pool.query<OwnerRow>(ownerOfTemplate, [id]),
    run: (id) => pool.query<OwnerRow>(ownerOfRun, [id]),
    audience: (id) => pool.query<OwnerRow>(ownerOfAudience, [id]),
    savedAudience: (id) => pool.query<OwnerRow>(ownerOfSavedAudience, [id]),
  };
  return {
    /** Undefined where there is no such thing. */
    ownerOf: async (kind: OwnedKind, id: string): Promise<Owner | undefined> => {
      const [row] = (await rowsOf[kind](id)).rows;
      if (!row) return undefined;
      const { clientId, countries, actionTypes } = row;
      return clientId === null
        ? { of: 'campaign', countries: countries ?? [], actionTypes: actionTypes ?? [] }
        : { of: 'client', clientId };
    },
  };
}

interface OwnerRow {
  clientId: string | null;
  countries: string[] | null;
  actionTypes: string[] | null;
}

const ofClient = `client as "clientId", null::text[] as countries, null::text[] as "actionTypes"`;

/** Of a revision `r`. */
const reach = `array(select jsonb_array_elements_text(r.definition -> 'countries')) as countries,
  array(select step ->> 'action' from jsonb_array_elements(r.definition -> 'chain') step) as "actionTypes"`;

const ownerOfJob = `
  select ${ofClient} from jobs where id = $1::uuid
  union all select ${ofClient} from dead_jobs where id = $1::uuid
  union all select ${ofClient} from ended_jobs where id = $1::uuid
  limit 1`;

const ownerOfJobChange = `select ${ofClient} from job_changes where id = $1::uuid`;

const ownerOfSchedule = `
  select s.client as "clientId", ${reach}
  from schedules s left join campaigns c on c.id = s.campaign
    left join campaign_revisions r on r.campaign = c.id and r.revision = c.revision
  where s.id = $1::uuid`;

const ownerOfCampaign = `
  select null::uuid as "clientId", ${reach}
  from campaigns c join campaign_revisions r on r.campaign = c.id and r.revision = c.revision
  where c.id = $1::uuid`;

/** What of a template is no variable. */
const texts = (path: string) => `array(
    select value #>> '{}' from jsonb_path_query(r.definition, '$.campaign.${path} ? (@.type() == "string")') value)`;

const ownerOfTemplate = `
  select null::uuid as "clientId", ${texts('countries[*]')} as countries, ${texts('chain[*].action')} as "actionTypes"
  from templates t join template_revisions r on r.template = t.id and r.revision = t.revision
  where t.id = $1::uuid`;

const ownerOfRun = `
  select null::uuid as "clientId", ${reach}
  from runs x join campaign_revisions r on r.campaign = x.campaign and r.revision = x.revision
  where x.id = $1::uuid`;

const ownerOfAudience = `
  select null::uuid as "clientId", array(select jsonb_object_keys(a.users)) as countries,
    '{}'::text[] as "actionTypes"
  from audiences a where a.id = $1::uuid`;

const ownerOfSavedAudience = `
  select null::uuid as "clientId",
    array(select jsonb_array_elements_text(r.definition -> 'countries')) as countries, '{}'::text[] as "actionTypes"
  from saved_audiences s join saved_audience_revisions r on r.saved_audience = s.id and r.revision = s.revision
  where s.id = $1::uuid`;
