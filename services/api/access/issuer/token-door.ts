import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { ClientReader } from '../../../../shared/runtime/installation/client-reader.ts';
import { clientOfRef } from '../../../../shared/runtime/installation/client-reader.ts';
import { digestOfApiKey } from '../../../../shared/runtime/installation/api-key-secret.ts';
import type { IssuerSettings } from '../../../../shared/runtime/configuration/auth-settings.ts';
import { HttpProblem } from '../../frame/http-problem.ts';
import { findTogether } from '../find-together.ts';
import type { ApiKeyRecord } from '../postgres/key-store.ts';
import type { PersonStore, SaidPerson } from '../postgres/person-store.ts';
import { keyLifeMs } from '../remembered-credentials.ts';
import { grantOf, nameOf, type Claims, type SaidScope } from './claims.ts';
import { IssuerAwayError, type IssuerKeys } from './issuer-keys.ts';
import { TokenRefusedError, verifyToken } from './verify-token.ts';
import type { Scope } from '../../../../shared/domain/scopes.ts';

/** So long a verified token is not verified again, unless it ends before. */
const verifiedLifeMs = 60_000;
const maxRemembered = 1000;

export interface TokenDoorDeps {
  settings: IssuerSettings;
  keys: Pick<IssuerKeys, 'keyOf'>;
  persons: PersonStore;
  clients: Pick<ClientReader, 'current' | 'refresh'>;
  clock: Clock;
}

/** Who comes with a token of the issuer. */
export interface TokenDoor {
  /**
   * The person, or the program, with what the token grants it.
   * @throws {HttpProblem} 401 for a token that is not taken, 403 for one without a role and for a person that is shut
   * out, 503 while the issuer is away
   */
  callerOf(token: string): Promise<ApiKeyRecord>;
  /**
   * The same of the ID token of a sign-in, whose audience is the console.
   * @param nonce as it was sent with the sign-in
   */
  callerOfSignIn(idToken: string, nonce: string, clientId: string): Promise<ApiKeyRecord>;
  forgetAll(): void;
}

interface Verified {
  said: SaidPerson;
  endsAtMs: number;
}

export function createTokenDoor({ settings, keys, persons, clients, clock }: TokenDoorDeps): TokenDoor {
  const perf = { now: () => clock.monotonicMs() };
  const remembered = { max: maxRemembered, ttlResolution: 0, perf };
  const verified = new LRUCache<string, Verified>({ ...remembered, ttl: verifiedLifeMs });
  const known = new LRUCache<string, ApiKeyRecord>({ ...remembered, ttl: keyLifeMs });
  const findAll = findTogether((subjects) => persons.find(settings.issuer, subjects));

  async function personOf(said: SaidPerson): Promise<ApiKeyRecord> {
    const before = known.get(said.subject);
    if (before && isNamed(before, said)) return asSaid(before, said);
    const found = await findAll(said.subject);
    const record = found && isAsSaid(found, said, clock.now()) ? found : await persons.note(settings.issuer, said);
    known.set(said.subject, record);
    return asSaid(record, said);
  }

  async function saidBy(claims: Claims & { sub: string }): Promise<SaidPerson> {
    const granted = grantOf(claims, settings);
    if ('refused' in granted) throw new HttpProblem({ status: 403, code: 'no-role', detail: granted.refused });
    const { role } = granted;
    return {
      subject: claims.sub,
      name: nameOf(claims, settings.nameClaim),
      role,
      scope: await scopeOf(granted.scope, clients),
    };
  }

  async function claimsOf(token: string, audiences: readonly string[]) {
    try {
      return await verifyToken(token, { issuer: settings.issuer, audiences, keyOf: keys.keyOf, now: clock.now() });
    } catch (error) {
      throw problemOf(error);
    }
  }

  return {
    callerOf: async (token) => {
      const digest = digestOfApiKey(token);
      const before = verified.get(digest);
      if (before && clock.now().getTime() < before.endsAtMs) return await personOf(before.said);
      const claims = await claimsOf(token, settings.audiences);
      const said = await saidBy(claims);
      verified.set(digest, { said, endsAtMs: claims.exp * 1000 });
      return await personOf(said);
    },
    callerOfSignIn: async (idToken, nonce, clientId) => {
      const claims = await claimsOf(idToken, [clientId]);
      const { azp } = claims;
      if (claims['nonce'] !== nonce || (azp !== undefined && azp !== clientId)) {
        throw refusedToken('the issuer answered with the token of another sign-in');
      }
      return await personOf(await saidBy(claims));
    },
    forgetAll: () => known.clear(),
  };
}

/** Clients that there are not are left out: a scope never grows by what is not understood. */
async function scopeOf({ clients: refs, countries, actionTypes }: SaidScope, clients: TokenDoorDeps['clients']) {
  if (refs === null) return { clients: null, countries, actionTypes };
  const found = await Promise.all(refs.map((ref) => clientOfRef(ref, clients)));
  return { clients: found.flatMap((client) => client?.clientId ?? []), countries, actionTypes };
}

/** What the token grants now; what the row keeps of it is for people to read. */
function asSaid(record: ApiKeyRecord, { role, scope }: SaidPerson): ApiKeyRecord {
  if (record.state === 'active') return { ...record, role, scope };
  const detail = `${record.name} is shut out of this installation`;
  throw new HttpProblem({ status: 403, code: 'shut-out', detail });
}

function isNamed(record: ApiKeyRecord, { name }: SaidPerson): boolean {
  return name === undefined || name === record.name;
}

const noteEveryMs = 60_000;

/** What it may is written down no more often than that it was there: two tokens of one person may grant two things. */
function isAsSaid(record: ApiKeyRecord, said: SaidPerson, now: Date): boolean {
  if (!isNamed(record, said)) return false;
  const isNew = record.lastUsedAt === null || now.getTime() - record.lastUsedAt.getTime() >= noteEveryMs;
  return !isNew || (record.role === said.role && isSameScope(record.scope, said.scope));
}

function isSameScope(one: Scope, other: Scope): boolean {
  const listed = ({ clients, countries, actionTypes }: Scope) => JSON.stringify([clients, countries, actionTypes]);
  return listed(one) === listed(other);
}

function problemOf(error: unknown): unknown {
  if (error instanceof TokenRefusedError) return refusedToken(error.message);
  if (error instanceof IssuerAwayError) return issuerAway(error.message);
  return error;
}

export function refusedToken(detail: string): HttpProblem {
  const headers = { 'www-authenticate': 'Bearer realm="muster", error="invalid_token"' };
  return new HttpProblem({ status: 401, code: 'unauthorized', detail, headers });
}

export function issuerAway(cause: string): HttpProblem {
  const detail = `the issuer of tokens does not answer as it should (${cause}): what it has signed cannot be verified now`;
  return new HttpProblem({ status: 503, code: 'issuer-unavailable', detail, headers: { 'retry-after': '10' } });
}
