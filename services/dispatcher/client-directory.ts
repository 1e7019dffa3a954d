import type { KeyObject } from 'node:crypto';
import { clientKeyContext } from '../../shared/domain/job/job-ids.ts';
import { signWebhook, webhookKeyOf } from '../../shared/domain/endpoint/standard-webhooks.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { CallOutlet } from '../../shared/runtime/installation/call-outlets.ts';
import type { ClientReader } from '../../shared/runtime/installation/client-reader.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { SecretBoxError, type SecretBox } from '../../shared/runtime/configuration/secret-box.ts';
import { openClientAuth, openClientTls, unusableAuth } from './call/client-auth.ts';
import type { CallbackEndpoint, CallLimits } from './ports/callback-endpoint.ts';
import type { ClientDirectory, ClientTerms } from './ports/client-terms.ts';

export interface ClientDirectoryDeps {
  reader: Pick<ClientReader, 'current'>;
  secretBox: Pick<SecretBox, 'open'>;
  tokenEndpoint: CallbackEndpoint;
  clock: Clock;
  logger: Logger;
}

interface OpenedKey {
  key: KeyObject;
  expiresAt: Date | null;
}

/** Creates the directory of call terms, by the current clients. Each secret is opened once per revision. */
export function createClientDirectory(deps: ClientDirectoryDeps): ClientDirectory {
  const { reader, secretBox, tokenEndpoint, clock, logger } = deps;
  /** Terms by outlet, rebuilt when the revision of the client changes. */
  const made = new Map<string, { revision: number; terms: ClientTerms }>();

  function openKeys({ clientId, name, keys }: CallOutlet): OpenedKey[] {
    return keys.flatMap(({ keyId, sealed, expiresAt }) => {
      try {
        const key = webhookKeyOf(secretBox.open(sealed, clientKeyContext(clientId, keyId)));
        if (!key) throw new Error('it is no secret of a webhook');
        return [{ key, expiresAt }];
      } catch (error) {
        // The call goes out without the signature: a receiver that verifies refuses it, and it is retried.
        logger.error({ err: error, client: name, keyId }, 'a signing key cannot be opened, nothing is signed with it');
        return [];
      }
    });
  }

  function openAuth({ clientId, name, auth }: CallOutlet, limits: CallLimits): Pick<ClientTerms, 'auth' | 'limits'> {
    if (!auth) return { auth, limits };
    try {
      return auth.kind === 'mtls'
        ? { auth: null, limits: { ...limits, tls: openClientTls(auth, clientId, secretBox) } }
        : { auth: openClientAuth(auth, clientId, limits, { secretBox, tokenEndpoint, clock }), limits };
    } catch (error) {
      // OpenSSL's message about a key is not logged.
      const fault = error instanceof SecretBoxError ? error.fault : 'cannot be read';
      logger.error(
        { client: name, fault },
        'the credentials of an endpoint cannot be used, nothing is called with them',
      );
      return { auth: unusableAuth(auth, `the credentials of its endpoint cannot be opened: ${fault}`), limits };
    }
  }

  function make(outlet: CallOutlet): ClientTerms {
    const { outletId, clientId, revision, keepsBodies, heldBecause } = outlet;
    const opened = openKeys(outlet);
    const { publishRatePerSecond, concurrency, timeoutMs, egress, retry, sideline, onGone, finalCodes } = outlet.terms;
    const { reportWithinSeconds } = outlet.terms;
    const limits = { clientId: outletId, revision, concurrency, timeoutMs, egress: egress.allow };
    return {
      ...openAuth(outlet, limits),
      ratePerSecond: publishRatePerSecond,
      ownerId: clientId,
      heldBecause,
      onGone,
      keepsBodies,
      retries: retry,
      finalCodes,
      reportWithinMs: reportWithinSeconds === undefined ? null : reportWithinSeconds * 1000,
      sideline: { ...sideline, probeEveryMs: sideline.probeSeconds * 1000 },
      sign: (webhookId, timestamp, body) => {
        const nowMs = timestamp * 1000;
        const valid = opened.filter(({ expiresAt }) => expiresAt === null || expiresAt.getTime() > nowMs);
        return valid.map(({ key }) => signWebhook(key, webhookId, timestamp, body));
      },
    };
  }

  return {
    termsOf: (clientId) => {
      const outlet = reader.current()?.outlets.get(clientId);
      if (!outlet) return undefined;
      const before = made.get(clientId);
      if (before?.revision === outlet.revision) return before.terms;
      const terms = make(outlet);
      made.set(clientId, { revision: outlet.revision, terms });
      return terms;
    },
  };
}
