import type { ApiParts } from '../frame/frame-module.ts';
import { createOpenIdIssuer } from '../../../shared/http-client/openid-issuer.ts';
import { readQuotaUse } from '../../../shared/postgres/registry/account-quotas.ts';
import { readsSentAgain } from '../../../shared/runtime/meter/reads-sent-again.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { apiKeyRoutes, type ApiKeyRoutesDeps } from './api-key-routes.ts';
import { auditRoutes } from './audit/audit-routes.ts';
import { keysAlone, type Doors } from './authenticate.ts';
import { createCallerNotes, type CallerNotes } from './callers/caller-notes.ts';
import { createIssuerKeys } from './issuer/issuer-keys.ts';
import { createSignIn } from './issuer/sign-in.ts';
import { createTokenDoor } from './issuer/token-door.ts';
import { createAuditChain } from './audit/postgres/audit-chain.ts';
import { createAuditLog } from './audit/postgres/audit-log.ts';
import { createCallerNoteStore } from './callers/postgres/caller-notes.ts';
import { createKeyCalls } from './callers/postgres/key-calls.ts';
import { createKeyStore } from './postgres/key-store.ts';
import { createOwners } from './postgres/owners.ts';
import { createPersonStore } from './postgres/person-store.ts';
import { createRefusedPeople } from './callers/postgres/refused-people.ts';
import { createSessionStore } from './postgres/session-store.ts';
import { keyCallRoutes, type KeyCallRoutesDeps } from './callers/key-call-routes.ts';
import { createQuotaWatch } from './quota-watch.ts';
import { quotaRoutes, type QuotaRoutesDeps } from './quota-routes.ts';
import { refusedPeopleRoutes, type RefusedPeopleRoutesDeps } from './callers/refused-people-routes.ts';
import { sessionRoutes } from './session-routes.ts';

type Parts = Pick<
  ApiParts,
  'pool' | 'config' | 'clients' | 'egress' | 'clock' | 'logger' | 'meter' | 'onClose' | 'onStart'
>;

/** Who asks, by key, token or session, and what was changed by whom. */
export function accessModule({ pool, config, ...parts }: Parts) {
  const { quotas } = config;
  const watch = createQuotaWatch({ read: () => readQuotaUse(pool, null), quotas, ...parts });
  parts.onClose(watch, (loop) => loop.stop());
  parts.onStart(() => watch.start());
  const callerNotes = createCallerNotes({ write: createCallerNoteStore({ pool }), ...parts });
  parts.onClose(callerNotes, (notes) => notes.stop());
  parts.onStart(() => callerNotes.start());
  return {
    doors: createDoors(config, { pool, callerNotes, ...parts }),
    quotas,
    quotaUse: async (account: string) => (await readQuotaUse(pool, account))[0],
    apiKeys: createKeyStore({ pool }),
    callerNotes,
    keyCalls: createKeyCalls({ pool }),
    refusedPeople: createRefusedPeople({ pool }),
    sessions: createSessionStore({ pool }),
    audit: createAuditLog({ pool }),
    chain: createAuditChain({ pool }),
    owners: createOwners({ pool }),
  };
}

interface DoorsParts extends Omit<Parts, 'config'> {
  callerNotes?: Pick<CallerNotes, 'personRefused'>;
}

/** How people and programs come in: an installation without an issuer asks none, and pays nothing for it. */
export function createDoors(
  { auth: { mode, issuer: settings }, publicAddress }: Pick<Parts['config'], 'auth' | 'publicAddress'>,
  { pool, clients, egress, callerNotes, clock, logger, meter, onClose, onStart }: DoorsParts,
): Doors {
  if (!settings) return keysAlone;
  const { issuer, client } = settings;
  const onSentAgain = readsSentAgain(meter, 'issuer');
  const provider = onClose(createOpenIdIssuer({ issuer, egress, onSentAgain }), (opened) => opened.close());
  const keys = createIssuerKeys({ provider, clock, logger });
  onStart(() => keys.begin());
  const persons = createPersonStore({ pool });
  const tokens = createTokenDoor({ settings, keys, persons, clients, callerNotes, clock });
  const signIn =
    client && publicAddress
      ? createSignIn({ settings, client, publicAddress, provider, keys, door: tokens, logger })
      : undefined;
  return { mode, issuer, tokens, signIn, isIssuerAnswering: () => keys.isAnswering() };
}

type Deps = Parameters<typeof sessionRoutes>[1] &
  Parameters<typeof auditRoutes>[1] &
  ApiKeyRoutesDeps &
  KeyCallRoutesDeps &
  RefusedPeopleRoutesDeps &
  QuotaRoutesDeps;

export function accessRoutes(server: HttpServer, deps: Deps): void {
  sessionRoutes(server, deps);
  apiKeyRoutes(server, deps);
  keyCallRoutes(server, deps);
  refusedPeopleRoutes(server, deps);
  auditRoutes(server, deps);
  quotaRoutes(server, deps);
}
