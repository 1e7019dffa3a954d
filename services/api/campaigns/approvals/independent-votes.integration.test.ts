import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { approvalShape } from '../../../../shared/contracts/campaigns/approvals.ts';
import { issuedApiKey } from '../../../../shared/contracts/access/api-keys.ts';
import { digestOfApiKey } from '../../../../shared/runtime/installation/api-key-secret.ts';
import { someCampaign } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { approvalsOn, verdictOf } from '../../../../test/support/approvals-on-api.ts';

const on = apiOnPostgres();
const { addPeople, approve, asks, read, setPolicy, submit, write } = approvalsOn(on);

const boss = 'muster_an-operator-who-writes';

beforeEach(async () => {
  await addPeople();
  const added = { name: 'boss', role: 'operator', owner: 'boss', digest: digestOfApiKey(boss) } as const;
  await on.deps.apiKeys.add(added);
});

const issued = z.object({ id: z.string(), secret: z.string() });

const askAs = (secret: string, method: 'GET' | 'POST' | 'PATCH', url: string, payload?: object) =>
  on.api.server.inject({
    method,
    url: `/v1${url}`,
    headers: { authorization: `Bearer ${secret}` },
    ...(payload && { payload }),
  });

/** Creates a key with the key `by`. Returns the id and the secret of the new key. */
async function makeKey(by: string, role: string, owner: string | null) {
  const { key, secret } = issuedApiKey.parse((await askAs(by, 'POST', '/api-keys', { name: 'k', role, owner })).json());
  return issued.parse({ id: key.id, secret });
}

const keyBefore = async (role: string, owner: string) => {
  const { key, secret } = issuedApiKey.parse((await on.ask('POST', '/v1/api-keys', { name: 'k', role, owner })).json());
  return issued.parse({ id: key.id, secret });
};

/** Returns a campaign that the given key has written and submitted. */
async function submittedBy(secret: string) {
  const { id } = z.object({ id: z.string() }).parse((await askAs(secret, 'POST', '/campaigns', someCampaign)).json());
  const { hash, id: approval } = z
    .object({ hash: z.string(), id: z.string() })
    .parse((await askAs(secret, 'POST', `/campaigns/${id}/submit`)).json());
  return { id, hash, approval };
}

const vote = (secret: string, { id, hash }: { id: string; hash: string }) =>
  askAs(secret, 'POST', `/campaigns/${id}/approve`, { hash });

const detailOf = (answer: { json: () => unknown }) => z.object({ detail: z.string() }).parse(answer.json()).detail;

describe('an approval vote of a key', () => {
  beforeEach(() => setPolicy());

  it('is refused with the reason if the author created the key', async () => {
    const ghost = await makeKey(boss, 'approver', 'ghost');
    const wanted = await submittedBy(boss);
    const seen = approvalShape.parse((await askAs(ghost.secret, 'GET', `/approvals/${wanted.approval}`)).json());
    const answer = await vote(ghost.secret, wanted);
    expect(verdictOf(answer)).toBe('403 author-approves-not');
    expect(detailOf(answer)).toMatch(/its author has made or changed this key/);
    expect(seen.refusedToYou).toBe(detailOf(answer));
    expect(verdictOf(await askAs(boss, 'POST', `/campaigns/${wanted.id}/start`))).toBe('409 approval-needed');
  });

  it('is refused if a key of the author created the key through other keys', async () => {
    const between = await makeKey(boss, 'operator', null);
    const ghost = await makeKey(between.secret, 'approver', 'ghost');
    expect(verdictOf(await vote(ghost.secret, await submittedBy(boss)))).toBe('403 author-approves-not');
  });

  it.each([
    ['gave it another owner', (id: string) => askAs(boss, 'PATCH', `/api-keys/${id}`, { owner: 'ghost' })],
    ['made it an approver', (id: string) => askAs(boss, 'PATCH', `/api-keys/${id}`, { role: 'approver' })],
  ])('is refused if the author %s', async (_, change) => {
    const victim = await keyBefore('approver', 'victim');
    expect((await change(victim.id)).statusCode).toBe(200);
    expect(verdictOf(await vote(victim.secret, await submittedBy(boss)))).toBe('403 author-approves-not');
  });

  it('is refused if the author gave the key a new secret', async () => {
    const victim = await keyBefore('approver', 'victim');
    const rotated = await askAs(boss, 'POST', `/api-keys/${victim.id}/rotate`, {});
    const { secret } = issuedApiKey.parse(rotated.json());
    expect(verdictOf(await vote(secret, await submittedBy(boss)))).toBe('403 author-approves-not');
  });

  it('is refused if the author wrote the campaign with a key that the approver created', async () => {
    const ghost = await makeKey(boss, 'manager', 'ghost');
    const answer = await vote(boss, await submittedBy(ghost.secret));
    expect(detailOf(answer)).toMatch(/this key has made or changed the key that wrote it/);
  });

  it('is refused even if the author’s key was given another owner after the submission', async () => {
    const author = await keyBefore('manager', 'author');
    const wanted = await submittedBy(author.secret);
    const second = await keyBefore('approver', 'author');
    expect((await on.ask('PATCH', `/v1/api-keys/${author.id}`, { owner: 'another' })).statusCode).toBe(200);
    expect(verdictOf(await vote(second.secret, wanted))).toBe('403 author-approves-not');
  });

  it('is accepted if neither the author nor a key of the author created the key', async () => {
    const { id, hash } = await submittedBy(boss);
    expect(await approve(id, hash)).toMatchObject({ state: 'approved' });
  });
});

describe('votes of one person', () => {
  beforeEach(() => setPolicy({ rules: [{ usersAbove: 1, approvers: 2 }] }));

  it.each(['Rahayu', 'rahayu.', 'rаhаyu', 'ｒahayu', 'raha\u200byu'])(
    'count once for the owners rahayu and %s',
    async (owner) => {
      const digest = digestOfApiKey('muster_a-look-alike-key');
      await on.deps.apiKeys.add({ name: 'look-alike', role: 'approver', owner, digest });
      const { id } = await write();
      const { hash } = await submit(id);
      await approve(id, hash);
      expect(verdictOf(await vote('muster_a-look-alike-key', { id, hash }))).toBe('200');
      expect((await read(id)).approval).toMatchObject({ state: 'waiting', given: [{ by: 'rahayu' }] });
    },
  );

  it('are refused from a key that an approver created', async () => {
    const { id } = await write();
    const { hash } = await submit(id);
    const ghost = await makeKey(boss, 'approver', 'ghost');
    expect(verdictOf(await vote(boss, { id, hash }))).toBe('200');
    expect(detailOf(await vote(ghost.secret, { id, hash }))).toMatch(/made or changed by one another/);
  });

  it('keep the owner that their key had at the time of the vote', async () => {
    const { id } = await write();
    const { hash } = await submit(id);
    const first = await keyBefore('approver', 'first');
    await vote(first.secret, { id, hash });
    await on.ask('PATCH', `/v1/api-keys/${first.id}`, { owner: 'second' });
    expect((await read(id)).approval?.given).toMatchObject([{ by: 'first' }]);
    const second = await keyBefore('approver', 'second');
    expect(verdictOf(await vote(second.secret, { id, hash }))).toBe('200');
    expect((await read(id)).approval).toMatchObject({ state: 'waiting', given: [{ by: 'first' }] });
  });
});

describe('an owner of a key', () => {
  const made = (owner: string) => on.ask('POST', '/v1/api-keys', { name: 'o', role: 'approver', owner });

  it.each(['m@x\u200b', '\u202em@x', 'm@x\u0007', 'm\u0435i@x'])(
    'is refused if it has invisible characters or mixes alphabets: %j',
    async (owner) => {
      expect((await made(owner)).statusCode).toBe(422);
    },
  );

  it('is stored in one normalized form', async () => {
    expect(issuedApiKey.parse((await made(' Ｍ@x  y ')).json()).key.owner).toBe('M@x y');
  });
});

describe('a policy that counts only votes of people who signed in', () => {
  const rules = [{ usersAbove: 1, approvers: 1 }];

  it('ignores votes of keys, including those given before the policy', async () => {
    await setPolicy({ rules });
    const { id } = await write();
    const { hash } = await submit(id);
    await approve(id, hash);
    await setPolicy({ rules, approversSignIn: true });
    expect(verdictOf(await asks('mei, manager', 'POST', `/campaigns/${id}/start`))).toBe('409 approval-needed');
    const answer = await asks('wei, approver', 'POST', `/campaigns/${id}/approve`, { hash });
    expect(detailOf(answer)).toMatch(/people who sign in/);

    await on.pool.query(
      `update api_keys set issuer = 'https://login.test', subject = 'wei' where name = 'wei, approver'`,
    );
    expect(await approve(id, hash, 'wei, approver')).toMatchObject({ state: 'approved' });
    expect(verdictOf(await asks('mei, manager', 'POST', `/campaigns/${id}/start`))).toBe('200');
  });

  it('is returned with this setting, which is off by default', async () => {
    await setPolicy({ rules, approversSignIn: true });
    expect((await on.ask('GET', '/v1/approval-policy')).json()).toMatchObject({ rules, approversSignIn: true });
    await setPolicy({ rules });
    expect((await on.ask('GET', '/v1/approval-policy')).json()).toMatchObject({ approversSignIn: false });
  });
});
