import { beforeEach, describe, expect, it } from 'vitest';
import { createSchedulerStatus } from '../../services/api/installation/scheduler/postgres/scheduler-status.ts';
import { createHostCircuits } from '../../services/dispatcher/postgres/host-circuits.ts';
import { createPartitionLeases } from '../../services/scheduler/postgres/partition-leases.ts';
import { createHotPathPool } from '../../shared/postgres/connection/pool.ts';
import { createRegions } from '../../shared/postgres/registry/regions.ts';
import { clientIdOf, jobIdOf } from '../support/conformance/job-subject.ts';
import { leaderName } from '../support/conformance/partition-leases.conformance.ts';
import { databaseForFile } from '../support/file-database.ts';
import { postgresJobSubject } from '../support/postgres-job-subject.ts';

const database = databaseForFile(createHotPathPool);
const subjectOf = () => ({
  ...postgresJobSubject(database.pool),
  desk: createSchedulerStatus({ pool: database.pool }),
  regions: createRegions({ pool: database.pool }),
  circuits: createHostCircuits({ pool: database.pool, owner: 'a', slot: 1 }),
  partitions: createPartitionLeases({ pool: database.pool, leader: leaderName }),
});

const host = { clientId: clientIdOf(1), host: 'down.example' };

describe('the scheduler status for operators', () => {
  let subject: ReturnType<typeof subjectOf>;
  beforeEach(async () => {
    await database.empty();
    subject = subjectOf();
  });

  const states = (regions: readonly { name: string; epoch: number; active: boolean }[] | undefined) =>
    regions?.map(({ name: region, epoch, active }) => [region, epoch, active]);

  it('shows live nodes, owned partitions and due jobs', async () => {
    const beat = { owner: 'a', kind: 'scheduler', region: 'local', ttlMs: 9000, figures: { lagMs: 7 } } as const;
    await subject.partitions.beat(beat, []);
    await subject.add([
      { jobId: jobIdOf(1), clientId: clientIdOf(1), dueInMs: -2000 },
      { jobId: jobIdOf(65), clientId: clientIdOf(1), dueInMs: -1000 },
      { jobId: jobIdOf(2), clientId: clientIdOf(1), dueInMs: 60_000 },
    ]);
    const read = await subject.desk.read();
    expect(read.nodes).toMatchObject([{ owner: 'a', kind: 'scheduler', region: 'local', figures: { lagMs: 7 } }]);
    expect(read.partitions).toHaveLength(64);
    expect(read.partitions[1]).toMatchObject({ partition: 1, due: 2 });
    expect(read.partitions[1]?.oldestMs).toBeGreaterThanOrEqual(2000);
    expect(read.partitions[2]).toMatchObject({ partition: 2, due: 0, oldestMs: 0 });
  });

  it('shows hosts with open circuits and their waiting jobs, and can enable a host', async () => {
    await subject.circuits.disable(host, 'status 410');
    await subject.add([{ jobId: jobIdOf(1), clientId: host.clientId, dueInMs: -1, sideline: host.host }]);
    expect((await subject.desk.read()).hosts).toMatchObject([
      { ...host, state: 'disabled', cause: 'status 410', sidelined: 1 },
    ]);
    expect(await subject.desk.enableHost(host.clientId, host.host)).toBe(true);
    expect(await subject.desk.enableHost(host.clientId, host.host)).toBe(false);
    expect(await subject.circuits.releaseSidelined(host, 10)).toBe(1);
  });

  it('switches to one region, and a region gets a new epoch when it is activated again', async () => {
    expect(await subject.regions.enter('local')).toEqual({ name: 'local', epoch: 1, active: true });
    expect(await subject.regions.enter('west')).toEqual({ name: 'west', epoch: 1, active: true });
    const switched = [
      ['local', 2, false],
      ['west', 1, true],
    ];
    expect(states(await subject.desk.switchTo('west', 'local is cut off'))).toEqual(switched);
    expect(states(await subject.desk.switchTo('west', 'again'))).toEqual(switched);
    expect(await subject.regions.enter('local')).toEqual({ name: 'local', epoch: 2, active: false });
    expect(states(await subject.desk.activate('local'))).toEqual([
      ['local', 3, true],
      ['west', 1, true],
    ]);
    expect(await subject.desk.switchTo('nowhere', null)).toBeUndefined();
    expect(states((await subject.desk.read()).regions)).toHaveLength(2);
  });
});
