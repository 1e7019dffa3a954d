import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { userExplanation } from '../../../../shared/contracts/runs/explanations.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { isInPart } from '../../../../shared/domain/run/split.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import {
  claimOne,
  doneOf,
  failed,
  record,
  someUsers,
  startRun,
} from '../../../../test/support/conformance/execution-subject.ts';
import { createPostgresExecutionStores } from '../../../../test/support/postgres-execution-stores.ts';
import { pageShape } from '../../frame/pages.contract.ts';

const on = apiOnPostgres();
const userVariant = z.object({ userId: z.string(), variant: z.string().nullable() });
const splitSeed = 'december';
const variants = [
  { name: 'short', weight: 5000, params: {} },
  { name: 'long', weight: 5000, params: {} },
];
const chain = [{ action: 'award-reward', params: {}, variants }];
const all = someUsers(40);
const nameOf = (user: string) => (isInPart({ seed: splitSeed, from: 0, to: 5000 }, user) ? 'short' : 'long');

/** Each tenth user is held out, and each seventh of the others fails. */
const heldOut = all.filter((_, index) => index % 10 === 0);
const fed = all.filter((user) => !heldOut.includes(user));
const failing = fed.filter((_, index) => index % 7 === 0);

describe('the users of a run with variants', () => {
  let path: string;
  beforeEach(async () => {
    const subject = createPostgresExecutionStores(on);
    const { runId, owned } = await startRun(subject, { chain, splitSeed });
    path = `/v1/runs/${publicId('run', runId)}`;
    const ledger = subject.ledgerOf('a');
    for (const { feedId, token, audience } of owned) {
      const isOwn = (user: string) => audience.split !== undefined && isInPart(audience.split, user);
      const heldOutIds = heldOut.filter(isOwn);
      const skipped = { excluded: 0, heldOut: heldOutIds.length, heldOutIds };
      const batches = [{ batchNo: 1, users: fed.filter(isOwn) }];
      const rest = { invalidUsers: [], cursor: all.at(-1) ?? null, complete: true, staysStalled: false };
      await subject.feeds.writePages({ feedId, token, batches, skipped, ...rest });
      const failures = failing.filter(isOwn).map((user) => failed(user));
      await record(ledger, doneOf(await claimOne(ledger, { feedId, batchNo: 1, step: 1 }), { failures }));
    }
  });

  async function listed(list: string): Promise<(string | null)[][]> {
    const rows: (string | null)[][] = [];
    for (let cursor = ''; ;) {
      const answer = await on.ask('GET', `${path}/${list}?limit=100${cursor}`);
      const { items, next } = pageShape(userVariant).parse(answer.json());
      rows.push(...items.map(({ userId, variant }) => [userId, variant]));
      if (next === null) return rows.toSorted(([a], [b]) => ((a ?? '') < (b ?? '') ? -1 : 1));
      cursor = `&cursor=${next}`;
    }
  }

  it.each([
    ['users', fed],
    ['held-out', heldOut],
    ['failures', failing],
  ])('are listed with their variant in the list /%s', async (list, users) => {
    expect(await listed(list)).toEqual(users.map((user) => [user, nameOf(user)]));
  });

  it('are explained with their variant, even if they are not in the audience', async () => {
    const explain = async (user: string) => {
      const answer = await on.ask('GET', `${path}/users/${user}`);
      const { variant, audience } = userExplanation.parse(answer.json());
      return [audience.place, variant];
    };
    for (const user of fed.slice(0, 6)) expect(await explain(user)).toEqual(['member', nameOf(user)]);
    for (const user of ['absent-1', 'absent-2', 'absent-3'])
      expect(await explain(user)).toEqual(['absent', nameOf(user)]);
  });
});
