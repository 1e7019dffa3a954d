import { describe, expect, it } from 'vitest';
import { newClientOf } from '../../../../test/support/clients.ts';
import { regionsShape, schedulerShape } from '../../../../shared/contracts/jobs/scheduler.ts';
import { createRegions } from '../../../../shared/postgres/registry/regions.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { clientIdOf, jobIdOf } from '../../../../test/support/conformance/job-subject.ts';
import { hostCircuitsOn } from '../../../../test/support/postgres-call-ledger.ts';
import { postgresJobSubject } from '../../../../test/support/postgres-job-subject.ts';
import { createClientStore } from '../../clients/postgres/client-store.ts';

const on = apiOnPostgres();
const { ask } = on;

describe('the scheduler over the API', () => {
  it('shows regions, partitions, hosts with an open circuit breaker, and due jobs', async () => {
    const circuits = hostCircuitsOn(on.pool);
    await circuits.open({ clientId: clientIdOf(1), host: 'down.example' }, 'status 503', 1000);
    const [dueInMs, clientId] = [-500, clientIdOf(1)];
    await postgresJobSubject(on.pool).add([
      { jobId: jobIdOf(1), clientId, dueInMs },
      { jobId: jobIdOf(2), clientId, dueInMs, sideline: 'down.example' },
    ]);
    const read = schedulerShape.parse((await ask('GET', '/v1/scheduler')).json());
    expect(read.regions).toMatchObject([{ name: 'local', epoch: 1, active: true }]);
    expect(read.partitions).toHaveLength(64);
    expect(read.hosts).toMatchObject([{ host: 'down.example', state: 'open', cause: 'status 503', sidelined: 1 }]);
    expect(read.backlog).toEqual({ due: 1, oldestMs: 500, clientsBehind: 0 });
  });

  it('makes one region the only active one, also if repeated, and activates the other region again', async () => {
    await createRegions({ pool: on.pool }).enter('east');
    const states = async (url: string) =>
      regionsShape
        .parse((await ask('POST', url, {})).json())
        .items.map(({ name, epoch, active }) => [name, epoch, active]);
    const switched = [
      ['east', 1, true],
      ['local', 2, false],
    ];
    expect(await states('/v1/scheduler/regions/east/switch')).toEqual(switched);
    expect(await states('/v1/scheduler/regions/east/switch')).toEqual(switched);
    expect(await states('/v1/scheduler/regions/local/activate')).toEqual([
      ['east', 1, true],
      ['local', 3, true],
    ]);
    expect((await ask('POST', '/v1/scheduler/regions/west/switch', {})).statusCode).toBe(404);
  });

  it('releases the jobs of a host with an open circuit breaker', async () => {
    const circuits = hostCircuitsOn(on.pool);
    const key = { clientId: clientIdOf(1), host: 'gone.example' };
    await circuits.disable(key, 'status 410');
    // The client was created through another API process a moment ago, so this process has not read it yet.
    await createClientStore({ pool: on.pool }).create(newClientOf('fresh', { clientId: key.clientId }));
    const body = { client: 'fresh', host: key.host };
    expect((await ask('POST', '/v1/scheduler/hosts/enable', body)).statusCode).toBe(200);
    expect(await circuits.read()).toMatchObject([{ ...key, state: 'closing' }]);
    expect((await ask('POST', '/v1/scheduler/hosts/enable', body)).statusCode).toBe(200);
  });
});
