import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { actionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import type { RegisteredActionType, SealedSecrets, SecretName } from '../../../shared/ports/registry.ts';
import { secretPlace } from '../../../shared/runtime/installation/action-type-secrets.ts';
import { createSecretBox } from '../../../shared/runtime/configuration/secret-box.ts';
import { callableTypes } from './callable-types.ts';

const secretBox = createSecretBox([Buffer.alloc(32, 1)]);
const signing = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const now = new Date(0);
const rewards = actionTypeConfig.parse({ url: 'http://rewards.test/v1', class: 'A' });

function typeOf(config = rewards, secrets: SealedSecrets = {}): RegisteredActionType {
  const name = 'award-reward';
  return { name, revision: 1, config, enabled: true, origin: 'api', secrets, createdAt: now, updatedAt: now };
}

/** Returns a secret as the API stores it for the present URLs of the action type. */
function kept(secret: SecretName, value: string, config = rewards): SealedSecrets {
  const { sealed } = secretBox.seal(value, secretPlace('award-reward', secret, config));
  return { [secret]: { sealed, changedAt: now } };
}

function called(type: RegisteredActionType, environment: NodeJS.ProcessEnv = {}, box = secretBox) {
  const logged: string[] = [];
  const logger = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
  const types = callableTypes({ environment, secretBox: box, logger })({ actionTypes: [type] });
  return { type: types.get('award-reward'), logged };
}

describe('the stored secrets of an action type', () => {
  it("are decrypted for the worker's calls", () => {
    const secrets = { ...kept('authorization', 'Bearer kept'), ...kept('signing', signing) };
    const { type, logged } = called(typeOf(rewards, secrets));
    expect(type).toMatchObject({ authorization: 'Bearer kept', signing });
    expect(logged).toEqual([]);
  });

  it('are undefined if there are none', () => {
    expect(called(typeOf()).type).toMatchObject({ authorization: undefined, signing: undefined });
  });

  it('take precedence over the environment variable that the configuration names', () => {
    const config = { ...rewards, authorizationEnv: 'REWARDS_AUTHORIZATION' };
    const environment = { REWARDS_AUTHORIZATION: 'Bearer variable' };
    expect(called(typeOf(config), environment).type?.authorization).toBe('Bearer variable');
    const secrets = kept('authorization', 'Bearer kept');
    expect(called(typeOf(config, secrets), environment).type?.authorization).toBe('Bearer kept');
  });

  it.each([
    ['without a secrets key', createSecretBox([]), 'MUSTER_SECRETS_KEY is not set here'],
    ['with another secrets key', createSecretBox([Buffer.alloc(32, 2)]), 'was sealed with another key'],
  ])('are not used %s: calls of the action type are not made, and the log contains the reason', (_name, box, why) => {
    const { type, logged } = called(typeOf(rewards, kept('authorization', 'Bearer kept')), {}, box);
    expect(type).toBeUndefined();
    expect(logged.join()).toContain(why);
    expect(logged.join()).toContain('"actionType":"award-reward"');
    expect(logged.join()).not.toContain('Bearer kept');
  });

  it('are not used for another host than that for which they were stored', () => {
    const secrets = kept('authorization', 'Bearer kept');
    expect(called(typeOf({ ...rewards, url: 'http://elsewhere.test/v1' }, secrets)).type).toBeUndefined();
    expect(called(typeOf({ ...rewards, statusUrl: 'http://elsewhere.test/v1' }, secrets)).type).toBeUndefined();
    expect(called(typeOf({ ...rewards, url: 'http://rewards.test/v2' }, secrets)).type).toBeDefined();
  });

  it('are used for signing at any URL, because a signing secret is never sent', () => {
    const secrets = kept('signing', signing);
    expect(called(typeOf({ ...rewards, url: 'http://elsewhere.test/v1' }, secrets)).type?.signing).toBe(signing);
  });
});
