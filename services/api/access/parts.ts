import type { BaseParts } from '../frame/parts.ts';
import { createOpenIdIssuer } from '../../../shared/http-client/openid-issuer.ts';
import { readQuotaUse } from '../../../shared/postgres/registry/account-quotas.ts';
import { readsSentAgain } from '../../../shared/runtime/meter/reads-sent-again.ts';
import { keysAlone, type Doors } from './authenticate.ts';
import { createCallerNotes, type CallerNotes } from './callers/caller-notes.ts';
import { createIssuerKeys } from './issuer/issuer-keys.ts';
import { createSignIn } from './issuer/sign-in.ts';
import { createTokenDoor } from './issuer/token-door.ts';
import { createAuditLog } from './audit/postgres/audit-log.ts';
import { createCallerNoteStore } from './callers/postgres/caller-notes.ts';
import { createKeyStore } from './postgres/key-store.ts';
import { createOwners } from './postgres/owners.ts';
import { createPersonStore } from './postgres/person-store.ts';
import { createSessionStore } from './postgres/session-store.ts';
import { createQuotaWatch } from './quota-watch.ts';

export function createAccessParts({ pool, config, quotas, ...parts }: BaseParts) {
  const watch = createQuotaWatch({ read: () => readQuotaUse(pool, null), quotas, ...parts });
  parts.onClose(watch, (loop) => loop.stop());
  parts.onStart(() => watch.start());
  const callerNotes = createCallerNotes({ write: createCallerNoteStore({ pool }), ...parts });
  parts.onClose(callerNotes, (notes) => notes.stop());
  parts.onStart(() => callerNotes.start());
  return {
    doors: createDoors(config, { pool, callerNotes, ...parts }),
    apiKeys: createKeyStore({ pool }),
    callerNotes,
    sessions: createSessionStore({ pool }),
    audit: createAuditLog({ pool }),
    owners: createOwners({ pool }),
  };
}

interface DoorsParts extends Pick<
  BaseParts,
  'pool' | 'clients' | 'egress' | 'clock' | 'logger' | 'meter' | 'onClose' | 'onStart'
> {
  callerNotes?: Pick<CallerNotes, 'personRefused'>;
}

/** Creates the ways to authenticate. Without an issuer, no connection to one is opened. */
export function createDoors(
  { auth: { mode, issuer: settings }, publicAddress }: Pick<BaseParts['config'], 'auth' | 'publicAddress'>,
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
