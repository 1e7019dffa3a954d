import { describe, expect, it } from 'vitest';
import { systemShape } from '../../../shared/contracts/access/system.ts';
import { noteSettings } from '../../../shared/postgres/registry/service-settings.ts';
import { packageVersion } from '../../../shared/runtime/process/version.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';

const on = apiOnPostgres();

const read = async (secret?: string) => {
  const headers = { authorization: `Bearer ${secret ?? ''}` };
  const answer = secret ? on.api.server.inject({ url: '/v1/system', headers }) : on.ask('GET', '/v1/system');
  return systemShape.parse((await answer).json());
};

async function keyOf(body: object): Promise<string> {
  const made: { secret: string } = (await on.ask('POST', '/v1/api-keys', body)).json();
  return made.secret;
}

describe('the system', () => {
  it('says which version runs, on what, and with which settings services started last', async () => {
    await noteSettings(on.pool, 'scheduler', { QUOTA_OPEN_RUNS: 7 });
    const system = await read();
    expect(system.api).toMatchObject({ version: packageVersion, region: 'local' });
    expect(system.database.version).toMatch(/^\d+/);
    expect(system.database.migration).toContain('schema');
    expect(system.settings).toEqual([{ name: 'QUOTA_OPEN_RUNS', service: 'scheduler', value: '7' }]);
    expect(system.configuration?.map(({ name }) => name)).toContain('MUSTER_SECRETS_KEY');
  });

  it('shows the configuration to operators of the installation alone', async () => {
    const viewer = await keyOf({ name: 'looks', role: 'viewer' });
    const scoped = await keyOf({ name: 'of SG', role: 'operator', scope: { countries: ['SG'] } });
    expect((await read(viewer)).configuration).toBeNull();
    expect((await read(scoped)).configuration).toBeNull();
  });
});
