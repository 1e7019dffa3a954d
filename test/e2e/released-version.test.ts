import { expect, it } from 'vitest';
import { violations } from '../support/evidence.ts';
import { countries, rewardThenMessage, startInstallation, type InstallationOptions } from './installation.ts';
import { applyUnknownMigration, checkOut, releasedVersion } from './released-version.ts';

/**
 * The released version, or this version before the first release. In an upgrade the schema is migrated first, so
 * processes of the released version work for a while on a newer schema.
 */
const released = releasedVersion();
const root = released === undefined ? undefined : await checkOut(released);

/** Changes that a migration may make: it only adds. */
const expanding = [
  'alter table runs add column added_later text',
  `alter table jobs add column added_later int not null default 7`,
  'create table added_later (run uuid primary key, note text)',
];

const options: InstallationOptions = {
  workers: 1,
  dispatchers: 1,
  sandbox: { SANDBOX_SEGMENTS: 'lapsed-riders=5000', SANDBOX_REWARDS_FAILURE_SHARE: '0.02' },
  ...(root !== undefined && { root }),
};

const campaign = { name: 'On a newer schema', countries, segment: 'lapsed-riders', chain: rewardThenMessage };

it(`processes of ${released ?? 'this version'} execute a campaign on a schema expanded by a newer version`, async () => {
  const muster = await startInstallation({
    ...options,
    alterDatabase: (databaseUrl) => applyUnknownMigration(databaseUrl, expanding),
  });
  try {
    const runId = await muster.api.run(campaign);
    await muster.api.awaitEnd(runId);
    expect(violations(await muster.evidence(runId, 'lapsed-riders'))).toEqual([]);
  } finally {
    await muster.stop();
  }
});

it('a migration that removes a column in use is detected, because the campaign is refused', async () => {
  const muster = await startInstallation({
    ...options,
    alterDatabase: (databaseUrl) =>
      applyUnknownMigration(databaseUrl, ['alter table runs rename column state to state_of_run']),
  });
  try {
    await expect(muster.api.run(campaign)).rejects.toMatchObject({ problem: { status: 500 } });
  } finally {
    await muster.stop();
  }
});
