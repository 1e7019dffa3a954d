import { SecretBoxError } from '../../../shared/runtime/configuration/secret-box.ts';
import { HttpProblem } from './http-problem.ts';

/**
 * Runs work that encrypts secrets.
 * @throws {HttpProblem} 409 if this process cannot store secrets
 */
export function sealing<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SecretBoxError)) throw error;
    throw new HttpProblem({ status: 409, code: 'secrets-not-configured', detail: error.message });
  }
}
