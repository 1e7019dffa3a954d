import type { RegisteredActionType, Registry } from '../../../shared/ports/registry.ts';
import { openSecrets } from '../../../shared/runtime/installation/action-type-secrets.ts';
import { authorizationOf } from '../../../shared/runtime/configuration/engine-config-file.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { SecretBox } from '../../../shared/runtime/configuration/secret-box.ts';
import type { CallableType, CallableTypes } from '../endpoint/batch-endpoint.port.ts';

export interface CallableTypesDeps {
  environment: NodeJS.ProcessEnv;
  secretBox: SecretBox;
  logger: Logger;
}

/**
 * Returns a function that combines the registry's action types with their secrets. A type whose secret is missing, or
 * cannot be decrypted on this worker, is omitted; another worker may be able to serve it. If such a type still has
 * claims on this worker, their calls count as not applied.
 */
export function callableTypes({
  environment,
  secretBox,
  logger,
}: CallableTypesDeps): (registry: Pick<Registry, 'actionTypes'>) => CallableTypes {
  const callable = (type: RegisteredActionType): [string, CallableType][] => {
    const { name, config } = type;
    try {
      const { authorization, signing } = openSecrets(type, secretBox);
      return [[name, { config, authorization: authorization ?? authorizationOf(config, environment), signing }]];
    } catch (error) {
      logger.error({ err: error, actionType: name }, 'a secret is missing or does not open: not served by this worker');
      return [];
    }
  };
  return ({ actionTypes }) => new Map(actionTypes.flatMap(callable));
}
