import type { Pool } from 'pg';

/** Settings by variable name that several services read, or that another service reports. */
export type SharedSettings = Readonly<Record<string, string | number>>;

/** A setting of the most recently started process of a service. */
export interface ServiceSetting {
  service: string;
  name: string;
  value: string;
}

/** Stores settings that other services know or share. Changes since the previous process go to the audit log. */
export async function noteSettings(pool: Pool, service: string, settings: SharedSettings): Promise<void> {
  const values = [service, Object.keys(settings), Object.values(settings).map(String)];
  await pool.query(
    `with wanted as (select * from unnest($2::text[], $3::text[]) w (name, value)), before as (
       select name, value from service_settings where service = $1
     ), changed as (
       insert into service_settings as s (service, name, value) select $1, name, value from wanted
       on conflict (service, name) do update set value = excluded.value where s.value <> excluded.value
       returning name, value
     )
     select append_audit(null, 'PUT', '/settings', $1, 200::int2, '', jsonb_object_agg(c.name,
       case when b.value is null then jsonb_build_object('now', c.value)
         else jsonb_build_object('now', c.value, 'before', b.value) end))
     from changed c left join before b using (name) having count(*) > 0`,
    values,
  );
}

export async function readServiceSettings(pool: Pool): Promise<ServiceSetting[]> {
  const text = 'select service, name, value from service_settings order by name, service';
  return (await pool.query<ServiceSetting>(text)).rows;
}
