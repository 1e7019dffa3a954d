import type { Pool } from 'pg';
import { expect } from 'vitest';
import { z } from 'zod';
import { approvalSummary } from '../../shared/contracts/campaigns/approval-summary.ts';
import { campaign } from '../../shared/contracts/campaigns/campaigns.ts';
import type { Role } from '../../shared/domain/roles.ts';
import { digestOfApiKey } from '../../shared/runtime/installation/api-key-secret.ts';
import { someCampaign } from './api-deps.ts';
import type { apiOnPostgres } from './api-on-postgres.ts';

/** People of an installation, as owner and role: those who write and those who approve. */
export const people = {
  'mei, manager': { owner: 'mei', role: 'manager' },
  'mei, approver': { owner: ' Mei', role: 'approver' },
  'tan, manager': { owner: 'tan', role: 'manager' },
  'rahayu, approver': { owner: 'rahayu', role: 'approver' },
  'rahayu, second key': { owner: 'Rahayu ', role: 'approver' },
  'wei, approver': { owner: 'wei', role: 'approver' },
  'no owner, manager': { owner: null, role: 'manager' },
  'no owner, approver': { owner: null, role: 'approver' },
} as const satisfies Record<string, { owner: string | null; role: Role }>;

export type Person = keyof typeof people;

/** A policy that requires one approver for more than 2,000 users, and two for more than 5,000. */
export const policy = {
  rules: [
    { usersAbove: 2000, approvers: 1 },
    { usersAbove: 5000, approvers: 2 },
  ],
};

const secretOf = (person: Person) => `muster_the-key-of-${person.replaceAll(', ', '-').replaceAll(' ', '-')}`;

/** Sends requests of these people to an API whose segments have 1,000 users in each country. */
export function approvalsOn(on: ReturnType<typeof apiOnPostgres>) {
  const asks = (person: Person, verb: string, url: string, payload?: object) => {
    const [method] = [z.enum(['GET', 'POST', 'PATCH', 'PUT']).parse(verb)];
    const headers = { authorization: `Bearer ${secretOf(person)}` };
    return on.api.server.inject({ method, url: `/v1${url}`, headers, ...(payload && { payload }) });
  };
  const ok = async (answering: ReturnType<typeof asks>) => {
    const answer = await answering;
    expect(answer.statusCode, answer.body).toBeLessThan(300);
    return answer;
  };

  return {
    asks,
    addPeople: async () => {
      for (const person of Object.keys(people).map((name) => z.custom<Person>().parse(name))) {
        const digest = digestOfApiKey(secretOf(person));
        await on.deps.apiKeys.add({ name: person, digest, ...people[person] });
      }
    },
    setPolicy: async (wanted: object = policy) => {
      expect((await on.ask('PUT', '/v1/approval-policy', wanted)).statusCode).toBe(200);
    },
    write: async (person: Person = 'mei, manager', changes: object = {}) =>
      campaign.parse((await ok(asks(person, 'POST', '/campaigns', { ...someCampaign, ...changes }))).json()),
    read: async (id: string) => campaign.parse((await ok(asks('mei, manager', 'GET', `/campaigns/${id}`))).json()),
    submit: async (id: string, payload?: object, person: Person = 'mei, manager') =>
      approvalSummary.parse((await ok(asks(person, 'POST', `/campaigns/${id}/submit`, payload))).json()),
    approve: async (id: string, hash: string, person: Person = 'rahayu, approver') =>
      approvalSummary.parse((await ok(asks(person, 'POST', `/campaigns/${id}/approve`, { hash }))).json()),
  };
}

/**
 * Holds the lock of the sums during `work`. `work` may call `release` with statements that the same transaction runs
 * before it commits.
 */
export async function whileSumsAreLocked<Result>(
  pool: Pool,
  work: (release: (statement: string) => Promise<void>) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query('select from unapproved_starts_lock for update');
    return await work(async (statement) => {
      await client.query(statement);
      await client.query('commit');
    });
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const refusal = z.object({ code: z.string(), detail: z.string() });

/** Returns status and code, such as `409 approval-needed`. */
export function verdictOf(answer: { statusCode: number; json: () => unknown }): string {
  if (answer.statusCode < 300) return String(answer.statusCode);
  return `${answer.statusCode} ${refusal.parse(answer.json()).code}`;
}
