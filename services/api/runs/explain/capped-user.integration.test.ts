import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { userExplanation, type UserExplanation } from '../../../../shared/contracts/runs/explanations.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { capDetail } from '../../../../shared/domain/step/caps.ts';
import { reasons } from '../../../../shared/domain/step/reasons.ts';
import type { StepLedger, StepRef } from '../../../../shared/ports/step-ledger.ts';
import { addEffects } from '../../../../test/support/capped-effects.ts';
import { authorized } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import {
  claimOne,
  doneOf,
  failed,
  record,
  startFedRun,
  type ExecutionSubject,
} from '../../../../test/support/conformance/execution-subject.ts';
import { createPostgresExecutionStores } from '../../../../test/support/postgres-execution-stores.ts';

const on = apiOnPostgres();

let subject: ExecutionSubject;
let ledger: StepLedger;
let runId: string;
let feedId: string;

beforeEach(async () => {
  subject = createPostgresExecutionStores(on);
  ledger = subject.ledgerOf('a');
  ({ runId, feedId } = await startFedRun(subject, [['u1', 'u2']]));
});

const stepOf = (step: number): StepRef => ({ feedId, batchNo: 1, step });

async function explain(user: string, run = runId, headers: object = authorized): Promise<UserExplanation> {
  const url = `/v1/runs/${publicId('run', run)}/users/${user}`;
  const answer = await on.api.server.inject({ method: 'GET', url, headers: { ...headers } });
  return userExplanation.parse(answer.json());
}

const onlyPoints = { name: 'Points', chain: [{ action: 'send-message', params: {} }] };

describe('the explanation of a user at a cap', () => {
  const cap = { name: 'weekly', actionTypes: ['send-message'], effects: 2, days: 7 };
  const hour = 3_600_000;

  async function setCaps(...caps: object[]): Promise<void> {
    expect((await on.ask('PUT', '/v1/caps', { caps })).statusCode).toBe(200);
    await subject.passTime(1000);
  }

  /** Stores an effect of a run for its users, as a claim does now. */
  async function effect(users: readonly string[], terms: { feed?: string; step?: number; action?: string } = {}) {
    const { feed = (await startFedRun(subject, [users])).feedId, step = 2, action = 'send-message' } = terms;
    await addEffects(on.pool, { feedId: feed, batchNo: 1, step, users, action });
    return feed;
  }

  async function suppress(user: string, detail: string): Promise<void> {
    await record(ledger, doneOf(await claimOne(ledger, stepOf(1))));
    const suppressed = failed(user, { outcome: 'suppressed', reason: reasons.cap, detail });
    await record(ledger, doneOf(await claimOne(ledger, stepOf(2)), { failures: [suppressed] }));
  }

  it('lists the earlier effects that counted with campaign, step and time, newest first', async () => {
    await setCaps(cap);
    const { runId: first, feedId: feed } = await startFedRun(subject, [['u0', 'u1', 'u2']], { name: 'Payday' });
    await effect(['u0', 'u1', 'u2'], { feed });
    await subject.passTime(hour);
    await effect(['u1'], { feed, step: 3 });
    await effect(['u0', 'u2']);
    await effect(['u1'], { step: 1, action: 'award-reward' });
    await suppress('u1', capDetail({ cap: 'weekly', had: 2, effects: 2, days: 7 }));
    const [, message] = (await explain('u1')).steps;
    expect(message).toMatchObject({
      outcome: 'suppressed',
      reason: 'muster.cap',
      detail: 'weekly: 2 of at most 2 within 7 days',
      attempts: [],
    });
    const { campaignId } = await explain('u1', first);
    const payday = { runId: publicId('run', first), campaignId, campaignName: 'Payday', action: 'send-message' };
    expect(message?.counted).toEqual([
      { ...payday, step: 3, at: '2026-01-01T01:00:01.000Z' },
      { ...payday, step: 2, at: '2026-01-01T00:00:01.000Z' },
    ]);
    expect((await explain('u2')).steps[1]).not.toHaveProperty('counted');
  });

  it('lists at most 10 effects', async () => {
    await setCaps({ ...cap, effects: 12 });
    for (let count = 0; count < 12; count += 1) await effect(['u1']);
    await suppress('u1', capDetail({ cap: 'weekly', had: 12, effects: 12, days: 7 }));
    expect((await explain('u1')).steps[1]?.counted).toHaveLength(10);
  });

  it('lists no effects from before the time at which the cap began to count', async () => {
    await effect(['u1']);
    await subject.passTime(hour);
    await setCaps(cap);
    await effect(['u1'], { step: 4 });
    await suppress('u1', capDetail({ cap: 'weekly', had: 2, effects: 2, days: 7 }));
    expect((await explain('u1')).steps[1]?.counted?.map(({ step }) => step)).toEqual([4]);
  });

  it('lists no effects from before the days of the cap, from after the step, or of an exempt campaign', async () => {
    const { runId: exempt, feedId: exemptFeed } = await startFedRun(subject, [['u1']]);
    const { campaignId } = await explain('u1', exempt);
    await setCaps({ ...cap, exempt: [campaignId] });
    await effect(['u1']);
    await subject.passTime(9 * 24 * hour);
    await effect(['u1'], { feed: exemptFeed });
    await effect(['u1'], { step: 4 });
    await suppress('u1', capDetail({ cap: 'weekly', had: 9, effects: 9, days: 7 }));
    await subject.passTime(hour);
    await effect(['u1']);
    await setCaps();
    expect((await explain('u1')).steps[1]?.counted?.map(({ step }) => step)).toEqual([4]);
  });

  it('hides campaigns that the key may not read', async () => {
    await setCaps(cap);
    await effect(['u1'], { feed: (await startFedRun(subject, [['u1']], onlyPoints)).feedId });
    await suppress('u1', capDetail({ cap: 'weekly', had: 1, effects: 1, days: 7 }));
    const scope = { actionTypes: ['award-reward'], users: true };
    const created = await on.ask('POST', '/v1/api-keys', { name: 'a team', role: 'viewer', scope });
    const { secret } = z.object({ secret: z.string() }).parse(created.json());
    const explained = await explain('u1', runId, { authorization: `Bearer ${secret}` });
    const hidden = { runId: null, campaignId: null, campaignName: null };
    const effects = [{ step: 2, action: 'send-message', at: '2026-01-01T00:00:01.000Z' }];
    expect(explained.steps[1]?.counted).toEqual(effects.map((each) => ({ ...hidden, ...each })));
    expect((await explain('u1')).steps[1]?.counted).toMatchObject([{ campaignName: 'Points' }]);
  });
});
