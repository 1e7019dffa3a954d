import type { Pool } from 'pg';

/** Variables that several services read, by their names. */
export type SharedSettings = Readonly<Record<string, string | number>>;

/** What the process of each service that started last runs with. */
export interface ServiceSetting {
  service: string;
  name: string;
  value: string;
}

/** Says with what this process runs of the settings that have to be the same in several services. */
export async function noteSettings(pool: Pool, service: string, settings: SharedSettings): Promise<void> {
  const values = [service, Object.keys(settings), Object.values(settings).map(String)];
  await pool.query(
    `insert into service_settings (service, name, value) select $1, * from unnest($2::text[], $3::text[])
     on conflict (service, name) do update set value = excluded.value`,
    values,
  );
}

export async function readServiceSettings(pool: Pool): Promise<ServiceSetting[]> {
  const text = 'select service, name, value from service_settings order by name, service';
  return (await pool.query<ServiceSetting>(text)).rows;
}
