import { afterEach, describe, expect, it } from 'vitest';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import { createChance } from '../simulation/seeded.ts';
import { violations, type Evidence } from '../support/evidence.ts';
import { publishFigures } from './support/figures.ts';
import { isFullScale } from './support/full-scale.ts';
import { prepareShopCampaign, type ShopCampaign } from './support/shop-campaign.ts';
import { callsAtOnce, mailsOfCall } from './support/shop-files.ts';
import type { Place, Strike } from './support/strikes.ts';

const seed = Number(process.env['SEED'] ?? 39);
const rounds = isFullScale ? 4 : 1;
const scale = isFullScale
  ? { customers: 100_000, concurrency: 16, latencyMs: 5 }
  : { customers: 6000, concurrency: 4, latencyMs: 40 };
const withinMs = isFullScale ? 3_600_000 : 300_000;

/** Returns a plan of strikes in the order of the chain, at random moments. */
function planOf(places: readonly (readonly [Place, Strike['how']])[], mostBefore: number): Strike[] {
  const chance = createChance(seed);
  return places.map(([place, how]) => ({
    place,
    how,
    after: chance.below(mostBefore),
    instance: chance.pick([1, 2]),
  }));
}

describe('a campaign on two processes of the connectors', () => {
  let campaign: ShopCampaign;
  afterEach(() => campaign.close());

  async function begin(customers: number, without?: FaultControl): Promise<string> {
    campaign = await prepareShopCampaign({ ...scale, customers, without });
    return await campaign.begin();
  }

  /** Carries out the strikes in this order until the end of the run. Returns the users of killed processes, by place. */
  async function strikeUntilEnd(runId: string, strikes: readonly Strike[]): Promise<Record<Place, string[]>> {
    const killed: Record<Place, string[]> = { commit: [], request: [], mail: [] };
    const ended = campaign.muster.api.awaitEnd(runId);
    const tooEarly = ended.then(() => Promise.reject(new Error('the run ended before the last strike')));
    const striking = async () => {
      for (const strike of strikes) {
        const { user } = await Promise.race([campaign.strike(strike, runId), tooEarly]);
        if (strike.how === 'killed' && user !== undefined) killed[strike.place].push(user);
      }
    };
    tooEarly.catch(() => undefined);
    await Promise.all([ended, striking()]);
    return killed;
  }

  function publish(places: readonly (readonly [Place, Strike['how']])[], evidence: Evidence, found: string[]): void {
    const struck = (of: Strike['how']) => places.filter(([, how]) => how === of).length;
    const repeats = [...campaign.requests.values()].reduce((sum, times) => sum + times - 1, 0);
    publishFigures({
      rows: 'connectors',
      scenario: `${scale.customers} customers, seed ${seed}`,
      faults: { SIGKILL: struck('killed'), SIGSTOP: struck('frozen') },
      batches: 0,
      users: evidence.effects.reduce((sum, { size }) => sum + size, evidence.failures.length),
      lost: found.filter((each) => each.startsWith('I1')).length,
      doubled: found.filter((each) => each.startsWith('I2')).length,
      duplicatesSuppressed: repeats,
      unknown: evidence.failures.filter(({ outcome }) => outcome === 'unknown').length,
      redeliveriesPer1000: 0,
      recoverySeconds: null,
      usersPerSecond: { before: null, during: null, after: null },
      violations: found.length,
      measured: {},
    });
  }

  it(
    'has one effect for each user in shop, API and inbox, as its report says, if the processes are killed and frozen',
    async () => {
      const runId = await begin(scale.customers);
      const round: [Place, Strike['how']][] = [
        ['request', 'killed'],
        ['mail', 'killed'],
        ['mail', 'frozen'],
        ['request', 'killed'],
      ];
      const places: [Place, Strike['how']][] = [
        ['commit', 'killed'],
        ...Array<typeof round>(rounds).fill(round).flat(),
      ];
      const killed = await strikeUntilEnd(runId, planOf(places, scale.customers / 100));

      const evidence = await campaign.evidence(runId);
      const found = violations(evidence);
      publish(places, evidence, found);
      expect(found, `SEED=${seed}`).toEqual([]);
      const { steps } = await campaign.muster.api.report(runId);
      const [credits, miles, mails] = evidence.effects.map((effects) => new Set(effects.keys()));
      expect(steps).toMatchObject([
        { audience: scale.customers, succeeded: credits?.size, unknown: 0 },
        { succeeded: miles?.size, skipped: scale.customers - (credits?.size ?? 0), unknown: 0 },
        { skipped: scale.customers - (miles?.size ?? 0) },
      ]);
      for (const user of killed.request) expect(campaign.requests.get(user)).toBeGreaterThan(1);

      // The e-mail action has class B: a mail that may have been accepted is not sent again, and its user is unknown.
      const ofMails = evidence.failures.filter(({ step }) => step === 3);
      const inDoubt = new Set(ofMails.filter(({ outcome }) => outcome === 'unknown').map(({ user }) => user));
      const isCertain = (user: string) => !inDoubt.has(user);
      expect(steps[2]?.succeeded).toBe([...(mails ?? [])].filter(isCertain).length);
      for (const user of killed.mail) expect([inDoubt.has(user), mails?.has(user)]).toEqual([true, true]);
      expect(inDoubt.size).toBeLessThanOrEqual(places.length * callsAtOnce * mailsOfCall);
    },
    withinMs,
  );

  it('has several effects for users if effects are not claimed under their user (control)', async () => {
    const runId = await begin(3000, faultControls.effectsBelongToUsers);
    const places: [Place, Strike['how']][] = [
      ['commit', 'killed'],
      ['request', 'killed'],
      ['mail', 'killed'],
    ];
    await strikeUntilEnd(runId, planOf(places, 100));

    const found = violations(await campaign.evidence(runId));
    for (const step of [1, 2, 3])
      expect(found).toContainEqual(expect.stringMatching(`^I2: \\d effects for c\\d+, step ${step}$`));
  });
});
