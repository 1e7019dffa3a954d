import type { BaseParts } from '../frame/parts.ts';
import { createOpenIdIssuer } from '../../../shared/http-client/openid-issuer.ts';
import { readQuotaUse } from '../../../shared/postgres/registry/account-quotas.ts';
import { readsSentAgain } from '../../../shared/runtime/meter/reads-sent-again.ts';
import { keysOnly, type AuthMethods } from './authenticate.ts';
import { createCallerCounter, type CallerCounter } from './callers/caller-counter.ts';
import { createIssuerKeys } from './issuer/issuer-keys.ts';
import { createSignIn } from './issuer/sign-in.ts';
import { createTokenAuthenticator } from './issuer/token-authenticator.ts';
import { createCallerCountStore } from './callers/postgres/caller-count-store.ts';
import { createKeyStore } from './credentials/postgres/key-store.ts';
import { createOwners } from './postgres/owners.ts';
import { createPersonStore } from './credentials/postgres/person-store.ts';
import { createSessionStore } from './postgres/session-store.ts';
import { createQuotaWatch } from './quota-watch.ts';

export function createAccessParts({ pool, config, quotas, ...parts }: BaseParts) {
  const watch = createQuotaWatch({ read: () => readQuotaUse(pool, null), quotas, ...parts });
  parts.onClose(watch, (loop) => loop.stop());
  parts.onStart(() => watch.start());
  const callerCounter = createCallerCounter({ write: createCallerCountStore({ pool }), ...parts });
  parts.onClose(callerCounter, (counter) => counter.stop());
  parts.onStart(() => callerCounter.start());
  return {
    authMethods: createAuthMethods(config, { pool, callerCounter, ...parts }),
    apiKeys: createKeyStore({ pool }),
    callerCounter,
    sessions: createSessionStore({ pool }),
    owners: createOwners({ pool }),
  };
}

interface AuthMethodsParts extends Pick<
  BaseParts,
  'pool' | 'clients' | 'egress' | 'clock' | 'logger' | 'meter' | 'onClose' | 'onStart'
> {
  callerCounter?: Pick<CallerCounter, 'personRefused'>;
}

/** Creates the ways to authenticate. Without a configured issuer, no connection to one is opened. */
export function createAuthMethods(
  { auth: { mode, issuer: settings }, publicAddress }: Pick<BaseParts['config'], 'auth' | 'publicAddress'>,
  { pool, clients, egress, callerCounter, clock, logger, meter, onClose, onStart }: AuthMethodsParts,
): AuthMethods {
  if (!settings) return keysOnly;
  const { issuer, client } = settings;
  const onSentAgain = readsSentAgain(meter, 'issuer');
  const provider = onClose(createOpenIdIssuer({ issuer, egress, onSentAgain }), (opened) => opened.close());
  const keys = createIssuerKeys({ provider, clock, logger });
  onStart(() => keys.begin());
  const persons = createPersonStore({ pool });
  const tokens = createTokenAuthenticator({ settings, keys, persons, clients, callerCounter, clock });
  const signIn =
    client && publicAddress
      ? createSignIn({ settings, client, publicAddress, provider, keys, authenticator: tokens, logger })
      : undefined;
  return { mode, issuer, tokens, signIn, isIssuerAnswering: () => keys.isAnswering() };
}
