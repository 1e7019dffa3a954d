import type { ActionTypeConfig } from '../../contracts/endpoints/engine-config.ts';
import { optionSourcesOf } from '../../domain/endpoint/option-sources.ts';
import { secretNames, type RegisteredActionType, type SecretName } from '../../ports/registry.ts';
import type { SecretBox } from '../configuration/secret-box.ts';

type Addresses = Pick<ActionTypeConfig, 'url' | 'statusUrl' | 'paramsSchema'>;

/** Scheme, host and port of everything that an action type calls, each once, in order. */
export function originsOf({ url, statusUrl, paramsSchema }: Addresses): string[] {
  const called = [url, ...(statusUrl === undefined ? [] : [statusUrl])].map((address) => new URL(address));
  const asked = optionSourcesOf(paramsSchema, url).map((source) => source.url);
  return [...new Set([...called, ...asked].map(({ origin }) => origin))].sort();
}

/**
 * Where a secret belongs, for its box. What is sent belongs to the address it is sent to, as well: a change of the
 * address, by whatever way, does not send the secret there. The others are never sent.
 */
export function secretPlace(name: string, secret: SecretName, addresses: Addresses): string {
  const place = `action-type:${name}:${secret}`;
  return secret === 'authorization' ? `${place}:${originsOf(addresses).join(',')}` : place;
}

export type OpenedSecrets = Partial<Record<SecretName, string>>;

/** @throws {SecretBoxError} for the first that does not open here */
export function openSecrets(
  { name, config, secrets }: Pick<RegisteredActionType, 'name' | 'config' | 'secrets'>,
  box: SecretBox,
): OpenedSecrets {
  const opened: OpenedSecrets = {};
  for (const secret of secretNames) {
    const kept = secrets[secret];
    if (kept) opened[secret] = box.open(kept.sealed, secretPlace(name, secret, config));
  }
  return opened;
}
