import { randomUUID } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { optionPage } from '../../../../../shared/contracts/endpoints/parameter-options.ts';
import { signatureHeaders, webhookKeyOf } from '../../../../../shared/domain/endpoint/standard-webhooks.ts';
import { createGuardedOrigin, type Egress } from '../../../../../shared/http-client/guarded-origin.ts';
import type { HttpOrigin, HttpOutcome } from '../../../../../shared/http-client/http-dispatch.ts';
import type { Clock } from '../../../../../shared/ports/clock.ts';
import type { RegisteredActionType } from '../../../../../shared/ports/registry.ts';
import { ConfigurationError } from '../../../../../shared/runtime/configuration/configuration-error.ts';
import { authorizationOf } from '../../../../../shared/runtime/configuration/engine-config-file.ts';
import { SecretBoxError, type SecretBox } from '../../../../../shared/runtime/configuration/secret-box.ts';
import { openSecrets, type OpenedSecrets } from '../../../../../shared/runtime/installation/action-type-secrets.ts';
import type { OptionsAnswer, OptionsAsked, OptionSource } from '../option-source.port.ts';

/** Milliseconds. A person waits for the response and may continue typing. */
const patienceMs = 3000;
const maxAnswerBytes = 1024 * 1024;
/** Connections to each origin. The time that a request waits for one counts towards its timeout. */
const connections = 4;
const maxOrigins = 50;

export interface OptionEndpointsDeps {
  egress: Egress;
  secretBox: SecretBox;
  environment: NodeJS.ProcessEnv;
  clock: Pick<Clock, 'now'>;
  timeoutMs?: number;
  /** Called for each request that is sent again after its connection was lost. */
  onSentAgain?: (() => void) | undefined;
}

/** Creates the source of options over HTTP, with egress rules on connecting and the credentials of the type's calls. */
export function createOptionEndpoints(deps: OptionEndpointsDeps): OptionSource & { close(): Promise<void> } {
  const { egress, secretBox, environment, clock, timeoutMs = patienceMs, onSentAgain } = deps;
  const terms = { egress, connections, timeoutMs, maxAnswerBytes, onSentAgain };
  const origins = new LRUCache<string, HttpOrigin>({ max: maxOrigins, dispose: (origin) => void origin.close() });

  function originOf({ origin }: URL, name: string): HttpOrigin {
    // Names are resolved separately for each type, as for its calls.
    const key = `${name} ${origin}`;
    const opened = origins.get(key) ?? createGuardedOrigin({ ...terms, caller: name, origin });
    origins.set(key, opened);
    return opened;
  }

  function secretsOf(type: RegisteredActionType): OpenedSecrets | { cause: string } {
    try {
      const { authorization = authorizationOf(type.config, environment), signing } = openSecrets(type, secretBox);
      return { ...(authorization !== undefined && { authorization }), ...(signing !== undefined && { signing }) };
    } catch (error) {
      if (error instanceof ConfigurationError) return { cause: `here ${error.message}` };
      if (error instanceof SecretBoxError) return { cause: 'a secret of the action type does not open here' };
      throw error;
    }
  }

  return {
    ask: async ({ type, url, ...query }) => {
      const secrets = secretsOf(type);
      if ('cause' in secrets) return { ok: false, cause: secrets.cause };
      const { authorization, signing } = secrets;
      const key = signing === undefined ? undefined : webhookKeyOf(signing);
      const headers = [
        ...['accept', 'application/json', 'accept-encoding', 'identity'],
        ...(authorization === undefined ? [] : ['authorization', authorization]),
        ...(key ? signatureHeaders(key, randomUUID(), clock.now(), Buffer.alloc(0)) : []),
      ];
      return readOptionsAnswer(
        await originOf(url, type.name).send({ method: 'GET', path: optionsTargetOf(url, query), headers }),
      );
    },
    close: async () => {
      await Promise.all([...origins.values()].map((origin) => origin.close()));
    },
  };
}

/** Returns path and query, with our parameters after those of the URL. */
export function optionsTargetOf(
  url: URL,
  { country, search, limit }: Partial<Omit<OptionsAsked, 'type' | 'url'>>,
): string {
  const asked = [
    ...(country === undefined ? [] : [`country=${encodeURIComponent(country)}`]),
    ...(search === undefined ? [] : [`search=${encodeURIComponent(search)}`]),
    ...(limit === undefined ? [] : [`limit=${limit}`]),
  ];
  return `${url.pathname}${url.search === '' ? '?' : `${url.search}&`}${asked.join('&')}`;
}

/** Reads a response. Redirects are not followed, because their target is not registered. */
export function readOptionsAnswer(outcome: HttpOutcome): OptionsAnswer {
  if (outcome.kind !== 'answered') return { ok: false, cause: outcome.cause };
  if (outcome.status !== 200) return { ok: false, cause: `HTTP ${outcome.status}` };
  const read = optionPage.safeParse(jsonIn(outcome.body));
  if (read.success) return { ok: true, page: read.data };
  const [issue] = read.error.issues;
  const where = issue === undefined || issue.path.length === 0 ? '' : `${issue.path.join('.')}: `;
  return { ok: false, cause: `the answer is not what was agreed: ${where}${issue?.message ?? ''}` };
}

/** Returns undefined, which fits no shape, if the body is not JSON. */
function jsonIn(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
