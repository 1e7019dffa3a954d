import type { FastifyRequest } from 'fastify';
import { maxTestUsers, type TestRequest } from '../../../shared/contracts/runs/trials.ts';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import type { StoredAudiences } from '../../../shared/ports/stored-audiences.ts';
import type { AudienceRecord, AudienceStore } from '../audiences/lists/audience-store.port.ts';
import { requireVisible, type CheckScopeDeps } from '../access/scopes.ts';
import { usersOfList } from '../audiences/lists/users-of-list.ts';
import { HttpProblem, invalidRequest, quoted } from '../frame/http-problem.ts';
import type { TestUsers } from './postgres/judge-test.ts';

export interface TestUsersDeps extends Pick<CheckScopeDeps, 'owners'> {
  audiences: Pick<AudienceStore, 'get'>;
  storedAudiences: Pick<StoredAudiences, 'listPage'>;
}

export const testersRefusals = {
  'foreign-country': 'the campaign does not have the country, or a country of the testers',
  'unknown-list': 'the list of testers does not exist, or is not ready',
  'too-many-testers': `the list of testers has no user, or more than ${maxTestUsers}`,
};

/**
 * Returns the users of a test: the named ones, or those of the list of testers.
 *
 * @param countries countries of the campaign
 * @throws {HttpProblem} 422 if a country is not of the campaign, or the list cannot be used
 */
export async function usersOfTest(
  request: FastifyRequest,
  { users, country, testers }: TestRequest,
  countries: readonly string[],
  deps: TestUsersDeps,
): Promise<TestUsers> {
  if (users && country !== undefined) {
    if (countries.includes(country)) return { [country]: users };
    throw refused('/country', 'foreign-country', `${quoted(country)} ${notOfCampaign(countries)}`);
  }
  const list = await requireTesters(request, testers ?? '', countries, deps);
  const named: Record<string, string[]> = {};
  for await (const { country: own, user } of usersOfList(list, deps.storedAudiences)) (named[own] ??= []).push(user);
  return named;
}

async function requireTesters(
  request: FastifyRequest,
  id: string,
  countries: readonly string[],
  deps: TestUsersDeps,
): Promise<AudienceRecord> {
  const uuid = uuidOf('audience', id);
  const list = uuid === undefined ? undefined : await visibleList(request, uuid, deps);
  if (list?.state !== 'ready')
    throw refused('/testers', 'unknown-list', `${quoted(id)} is not the id of a list that is ready`);
  const total = list.countries.reduce((sum, { users }) => sum + users, 0);
  if (total === 0 || total > maxTestUsers) {
    const has = `${quoted(list.name)} has ${total.toLocaleString('en-US')} users`;
    throw refused('/testers', 'too-many-testers', `${has}; a list of testers has 1 to ${maxTestUsers}`);
  }
  const foreign = list.countries.find(({ country }) => !countries.includes(country));
  if (!foreign) return list;
  const where = `${quoted(list.name)} has users in ${quoted(foreign.country)}, which`;
  throw refused('/testers', 'foreign-country', `${where} ${notOfCampaign(countries)}`);
}

/** Returns undefined for a list outside of the caller's scope, as for one that does not exist. */
async function visibleList(request: FastifyRequest, uuid: string, deps: TestUsersDeps) {
  try {
    await requireVisible(request, 'audience', [uuid], deps);
  } catch (error) {
    if (error instanceof HttpProblem && error.status === 404) return undefined;
    throw error;
  }
  return deps.audiences.get(uuid);
}

function notOfCampaign(countries: readonly string[]): string {
  return `is not a country of the campaign: ${countries.slice(0, 20).join(', ')}`;
}

function refused(pointer: string, code: string, detail: string): HttpProblem {
  return invalidRequest([{ pointer, code, detail }]);
}
