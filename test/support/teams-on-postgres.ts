import { issuedApiKey } from '../../shared/contracts/access/api-keys.ts';
import { quotaList } from '../../shared/contracts/access/quotas.ts';
import { problem } from '../../services/api/frame/problems.contract.ts';
import { authorized, someCampaign } from './api-deps.ts';
import type { apiOnPostgres } from './api-on-postgres.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
interface Answer {
  statusCode: number;
  json: () => unknown;
}

const sg = { clients: null, countries: ['SG'], actionTypes: null };

/** A campaign that every key of these teams may change. */
export const inSg = { ...someCampaign, countries: ['SG'] };

/** Creates keys of teams, and sends requests with them. */
export function teamsOn(on: ReturnType<typeof apiOnPostgres>) {
  function askAs(secret: string | undefined, method: Method, url: string, payload?: object) {
    const headers = secret === undefined ? authorized : { authorization: `Bearer ${secret}` };
    return on.api.server.inject({ method, url, headers, ...(payload && { payload }) });
  }

  async function makeKey(body: object, by?: string): Promise<{ id: string; secret: string }> {
    const { key, secret } = issuedApiKey.parse((await askAs(by, 'POST', '/v1/api-keys', body)).json());
    return { id: key.id, secret };
  }

  return {
    askAs,
    makeKey,
    /** Creates the key of a team's lead, who creates keys for others. */
    makeLead: () => makeKey({ name: 'lead', role: 'operator', scope: sg }),
    makeManager: (by?: string) => makeKey({ name: 'manager', role: 'manager', scope: sg }, by),
    usedBy: async (secret: string): Promise<Record<string, number>> => {
      const { items } = quotaList.parse((await askAs(secret, 'GET', '/v1/quotas')).json());
      return Object.fromEntries(items.map(({ name, used }) => [name, used]));
    },
  };
}

export const idOf = (answer: Answer) => (answer.json() as { id: string }).id;

/** Returns the refusal of a request because a limit is reached. */
export async function refusedBy(answer: Promise<Answer>) {
  const { statusCode, json } = await answer;
  const { code, detail } = problem.parse(json());
  return { statusCode, code, variable: /\(([A-Z_]+)\)/.exec(detail)?.[1], figure: Number(/\d+/.exec(detail)?.[0]) };
}
