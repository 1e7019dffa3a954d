import type { RegisteredActionType, Registry } from '../../shared/ports/registry.ts';
import { authorizationOf } from '../../shared/runtime/engine-config-file.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import type { CallableType, CallableTypes } from './ports/batch-endpoint.ts';

export interface CallableTypesDeps {
  environment: NodeJS.ProcessEnv;
  logger: Logger;
}

/**
 * The registry's types with their secrets. One whose secret is not here cannot be called: what is tried is not applied, and waits until
 * the secret is.
 */
export function callableTypes({
  environment,
  logger,
}: CallableTypesDeps): (registry: Pick<Registry, 'actionTypes'>) => CallableTypes {
  const callable = ({ name, config }: RegisteredActionType): [string, CallableType][] => {
    try {
      return [[name, { config, authorization: authorizationOf(config, environment) }]];
    } catch (error) {
      logger.error({ err: error, actionType: name }, 'a secret is missing, this action type is not called');
      return [];
    }
  };
  return ({ actionTypes }) => new Map(actionTypes.flatMap(callable));
}
