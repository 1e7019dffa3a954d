import { v7 as uuidv7 } from 'uuid';
import type { CampaignDefinition } from '../../shared/contracts/campaigns/campaigns.ts';
import { isHeldOut } from '../../shared/domain/run/hold-out.ts';
import { publicId } from '../../shared/domain/ids/ids.ts';
import { campaignDefinitionOf } from '../support/conformance/run-rows.ts';
import { createMemoryAudienceStore } from '../support/memory/audience-store.ts';
import { createMemoryCampaignStore } from '../support/memory/campaign-store.ts';
import { batchKey, stepKey, type MemoryDatabase } from '../support/memory/memory-database.ts';
import { createMemoryRunRows } from '../support/memory/run-rows.ts';
import { unclaimed } from '../support/memory/step-claims.ts';
import { type Fate } from './process-faults.ts';
import { createChance } from './seeded.ts';
import { findings } from './walk.ts';
import { simulate, type Scenario } from './world.ts';

const id = (n: number) => `SG-${String(n).padStart(4, '0')}`;
const numbers = Array.from({ length: 600 }, (_, n) => n);
const those = (is: (n: number) => boolean) => numbers.filter(is).map(id);

const riders = those((n) => n % 2 === 0);
const eaters = those((n) => n % 3 === 0);
const listed = those((n) => n % 5 === 0 && n > 200);
const staff = those((n) => n % 7 === 0);
const blocked = those((n) => n % 11 === 0);
const servedBefore = those((n) => n % 4 === 0 && n < 300);
/** Users for whom the same batches of the earlier run failed, so this run serves them. */
const failedBefore = those((n) => n % 4 === 2 && n < 300);

const holdOut = { percent: 10, seed: 'december' };
const excluded = new Set([...staff, ...blocked, ...servedBefore]);
export const included = [...new Set([...riders, ...eaters, ...listed])].sort();
export const audience = included.filter((user) => !excluded.has(user));
export const heldOut = new Set(audience.filter((user) => isHeldOut(holdOut, user)));

async function define(database: MemoryDatabase): Promise<CampaignDefinition['audience']> {
  const [vip, out] = [await addList(database, listed), await addList(database, blocked)];
  const runId = await addEarlierRun(database);
  return {
    include: [{ segment: 'riders' }, { segment: 'eaters' }, { list: vip }],
    exclude: [{ segment: 'staff' }, { list: out }, { runId, outcomes: ['succeeded'] }],
    holdOutPercent: holdOut.percent,
    holdOutSeed: holdOut.seed,
  };
}

async function addList(database: MemoryDatabase, users: readonly string[]): Promise<string> {
  const audienceId = uuidv7();
  const begin = await createMemoryAudienceStore({ database }).begin({ audienceId, name: 'a list', country: 'SG' });
  if (begin.kind !== 'begun') throw new Error('the list could not be uploaded');
  await begin.upload.add({
    users: users.toReversed(),
    countries: users.map(() => 'SG'),
    lines: users.map((_, index) => index + 1),
  });
  await begin.upload.finish({ rows: users.length, rejected: 0, rejects: [] });
  return publicId('audience', audienceId);
}

async function addEarlierRun(database: MemoryDatabase): Promise<string> {
  const action = { action: 'award-reward', params: {} };
  const definition = campaignDefinitionOf({ countries: ['SG'], chain: [action] });
  const { campaignId, revision } = await createMemoryCampaignStore({ database }).create(definition);
  const at = database.clock.now();
  const rows = createMemoryRunRows({ database });
  const run = { campaignId, revision, scheduledFor: at, startedAt: at, endedAt: at };
  const runId = await rows.addRun({ ...run, state: 'completed_with_failures' });
  const users = [...servedBefore, ...failedBefore].sort();
  const batches = Array.from({ length: Math.ceil(users.length / 100) }, (_, n) => users.slice(n * 100, (n + 1) * 100));
  const counts = { fedUsers: users.length, fedBatches: batches.length, complete: true };
  const feedId = await rows.addFeed(runId, { country: 'SG', ...counts });
  for (const [index, members] of batches.entries()) {
    const batchNo = index + 1;
    database.batches.set(batchKey(feedId, batchNo), { feedId, batchNo, users: members, parent: null, fromStep: 1 });
    const done = { ...unclaimed, feedId, batchNo, step: 1, state: 'done', rest: 'succeeded' } as const;
    database.steps.set(stepKey(feedId, batchNo, 1), done);
    for (const user of members) if (failedBefore.includes(user)) await rows.addFailure(feedId, { user, batchNo });
  }
  return publicId('run', runId);
}

export function audienceScenario(fateOf: Scenario['fateOf']): Scenario {
  const segments: Record<string, readonly string[]> = { riders, eaters, staff };
  return {
    audience: new Map([['SG', audience]]),
    sources: { usersOf: (segment) => segments[segment] ?? [], define, heldOut },
    steps: 1,
    keeping: 'naive',
    fails: (_step, user) => user.endsWith('3'),
    deadlineSeconds: 3600,
    cancelAfterMs: null,
    pauses: [],
    poison: null,
    chance: createChance(1),
    faultsLastMs: 10_000,
    mannerOf: () => 'answer',
    statusMannerOf: () => 'answer',
    messageFate: () => 'keep',
    fateOf,
    frozenMs: () => 8000,
    strays: false,
  };
}

/** Returns the differences from the undisturbed run, for each of these fates at each port call of the trigger. */
export async function disturbedByTrigger(fates: readonly Fate[]) {
  const undisturbed = await simulate(audienceScenario(() => 'pass'));
  const broken: { atCall: number; fate: Fate; found: string[] }[] = [];
  for (let atCall = 1; atCall <= undisturbed.calls.trigger; atCall++) {
    for (const fate of fates) {
      const disturbed = audienceScenario((process, { number }) =>
        process.name === 'trigger' && process.nth === 1 && number === atCall ? fate : 'pass',
      );
      const outcome = await simulate(disturbed);
      const found = findings(disturbed, outcome);
      if (outcome.excluded !== undisturbed.excluded) found.push(`${outcome.excluded} are excluded`);
      if (found.length > 0) broken.push({ atCall, fate, found: found.slice(0, 5) });
    }
  }
  return broken;
}
