import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { ClientReader } from '../../../../shared/runtime/installation/client-reader.ts';
import { clientOfRef } from '../../../../shared/runtime/installation/client-reader.ts';
import { digestOfApiKey } from '../../../../shared/runtime/installation/api-key-secret.ts';
import type { IssuerSettings } from '../../../../shared/runtime/configuration/auth-settings.ts';
import { HttpProblem } from '../../frame/http-problem.ts';
import type { CallerCounter, PersonRefusal } from '../callers/caller-counter.ts';
import { batchLookups } from '../credentials/batch-lookups.ts';
import type { ApiKeyRecord } from '../credentials/postgres/key-rows.ts';
import type { PersonStore, ClaimedPerson } from '../credentials/postgres/person-store.ts';
import { keyLifeMs } from '../credentials/credential-cache.ts';
import { readGrant, readName, type Claims, type ClaimedScope } from './claims.ts';
import { IssuerUnavailableError, type IssuerKeys } from './issuer-keys.ts';
import { TokenRefusedError, verifyToken } from './verify-token.ts';
import type { Scope } from '../../../../shared/domain/scopes.ts';

/** Time in milliseconds for which a verified token is not verified again, unless it expires before. */
const verifiedLifeMs = 60_000;
const maxRemembered = 1000;

export interface TokenAuthenticatorDeps {
  settings: IssuerSettings;
  keys: Pick<IssuerKeys, 'keyOf'>;
  persons: PersonStore;
  clients: Pick<ClientReader, 'current' | 'refresh'>;
  callerCounter?: Pick<CallerCounter, 'personRefused'> | undefined;
  clock: Clock;
}

/** Authentication by tokens of the issuer. */
export interface TokenAuthenticator {
  /**
   * Returns the person or program, with the rights that the token grants.
   * @param from IP address of the connection
   * @throws {HttpProblem} 401 if the token is not accepted, 403 if it grants no role or the person is shut out, 503
   * while the issuer is unavailable
   */
  callerOf(token: string, from: string): Promise<ApiKeyRecord>;
  /** Returns the person of a sign-in's ID token, whose audience is the console. */
  callerOfSignIn(idToken: string, terms: SignInTerms): Promise<ApiKeyRecord>;
  forgetAll(): void;
}

export interface SignInTerms {
  nonce: string;
  clientId: string;
  /** IP address of the connection. */
  from: string;
}

interface Verified {
  person: ClaimedPerson;
  endsAtMs: number;
}

interface Refusal {
  code: PersonRefusal;
  detail: string;
}

export function createTokenAuthenticator({
  settings,
  keys,
  persons,
  clients,
  callerCounter,
  clock,
}: TokenAuthenticatorDeps): TokenAuthenticator {
  const perf = { now: () => clock.monotonicMs() };
  const remembered = { max: maxRemembered, ttlResolution: 0, perf };
  const verified = new LRUCache<string, Verified>({ ...remembered, ttl: verifiedLifeMs });
  const known = new LRUCache<string, ApiKeyRecord>({ ...remembered, ttl: keyLifeMs });
  const findAll = batchLookups((subjects) => persons.find(settings.issuer, subjects));

  /**
   * Refuses a person, and counts the refusal. It is counted by person, because the issuer has verified who the person
   * is.
   */
  function refusePerson(person: Pick<ClaimedPerson, 'subject' | 'name'>, refusal: Refusal, from: string): never {
    const { subject, name = null } = person;
    callerCounter?.personRefused({ issuer: settings.issuer, subject, name, ...refusal }, from);
    throw new HttpProblem({ status: 403, ...refusal });
  }

  /**
   * Returns the record with the rights that the token grants now. The rights in the row are only stored for display.
   */
  function applyClaims(record: ApiKeyRecord, person: ClaimedPerson, from: string): ApiKeyRecord {
    const { role, scope } = person;
    if (record.state === 'active') return { ...record, role, scope };
    const detail = `${record.name} is shut out of this installation`;
    return refusePerson({ ...person, name: record.name }, { code: 'shut-out', detail }, from);
  }

  async function personOf(person: ClaimedPerson, from: string): Promise<ApiKeyRecord> {
    const before = known.get(person.subject);
    if (before && isNamed(before, person)) return applyClaims(before, person, from);
    const found = await findAll(person.subject);
    const record =
      found && isCurrent(found, person, clock.now()) ? found : await persons.upsert(settings.issuer, person);
    known.set(person.subject, record);
    return applyClaims(record, person, from);
  }

  async function readPerson(claims: Claims & { sub: string }, from: string): Promise<ClaimedPerson> {
    const person = { subject: claims.sub, name: readName(claims, settings.nameClaim) };
    const granted = readGrant(claims, settings);
    if ('refused' in granted) return refusePerson(person, { code: 'no-role', detail: granted.refused }, from);
    return { ...person, role: granted.role, scope: await scopeOf(granted.scope, clients) };
  }

  async function claimsOf(token: string, audiences: readonly string[]) {
    try {
      return await verifyToken(token, { issuer: settings.issuer, audiences, keyOf: keys.keyOf, now: clock.now() });
    } catch (error) {
      throw problemOf(error);
    }
  }

  return {
    callerOf: async (token, from) => {
      const digest = digestOfApiKey(token);
      const before = verified.get(digest);
      if (before && clock.now().getTime() < before.endsAtMs) return await personOf(before.person, from);
      const claims = await claimsOf(token, settings.audiences);
      const person = await readPerson(claims, from);
      verified.set(digest, { person, endsAtMs: claims.exp * 1000 });
      return await personOf(person, from);
    },
    callerOfSignIn: async (idToken, { nonce, clientId, from }) => {
      const claims = await claimsOf(idToken, [clientId]);
      const { azp } = claims;
      if (claims['nonce'] !== nonce || (azp !== undefined && azp !== clientId)) {
        throw invalidToken('the issuer answered with the token of another sign-in');
      }
      return await personOf(await readPerson(claims, from), from);
    },
    forgetAll: () => known.clear(),
  };
}

/**
 * Replaces names and ids of clients by ids. Unknown clients are dropped, so that an unknown name never extends a scope.
 */
async function scopeOf({ clients: refs, ...rest }: ClaimedScope, clients: TokenAuthenticatorDeps['clients']) {
  if (refs === null) return { clients: null, ...rest };
  const found = await Promise.all(refs.map((ref) => clientOfRef(ref, clients)));
  return { clients: found.flatMap((client) => client?.clientId ?? []), ...rest };
}

function isNamed(record: ApiKeyRecord, { name }: ClaimedPerson): boolean {
  return name === undefined || name === record.name;
}

const updateEveryMs = 60_000;

/**
 * Returns true if the row needs no update. Changed rights are written at most once a minute, because a person may use
 * two tokens with different rights in turns.
 */
function isCurrent(record: ApiKeyRecord, person: ClaimedPerson, now: Date): boolean {
  if (!isNamed(record, person)) return false;
  const isNew = record.lastUsedAt === null || now.getTime() - record.lastUsedAt.getTime() >= updateEveryMs;
  return !isNew || (record.role === person.role && isSameScope(record.scope, person.scope));
}

function isSameScope(one: Scope, other: Scope): boolean {
  const listed = ({ clients, countries, actionTypes, users = false }: Scope) =>
    JSON.stringify([clients, countries, actionTypes, users]);
  return listed(one) === listed(other);
}

function problemOf(error: unknown): unknown {
  if (error instanceof TokenRefusedError) return invalidToken(error.message);
  if (error instanceof IssuerUnavailableError) return issuerUnavailable(error.message);
  return error;
}

export function invalidToken(detail: string): HttpProblem {
  const headers = { 'www-authenticate': 'Bearer realm="muster", error="invalid_token"' };
  return new HttpProblem({ status: 401, code: 'unauthorized', detail, headers });
}

export function issuerUnavailable(cause: string): HttpProblem {
  const detail = `the issuer of tokens is unavailable (${cause}): its tokens cannot be verified now`;
  return new HttpProblem({ status: 503, code: 'issuer-unavailable', detail, headers: { 'retry-after': '10' } });
}
