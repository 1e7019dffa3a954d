import { allActionTypes } from '../../../shared/domain/step/suppressions.ts';
import type { CatalogueReader } from '../frame/catalogue-reader.ts';
import { invalidRequest, quoted } from '../frame/http-problem.ts';

/** @throws {HttpProblem} it is not registered, and not all of them */
export function requireActionType(name: string, catalogue: Pick<CatalogueReader, 'registered'>): void {
  const registered = Object.keys(catalogue.registered());
  if (name === allActionTypes || registered.includes(name)) return;
  const detail = `there is no action type ${quoted(name)}; there are ${registered.join(', ')}, and * for all`;
  throw invalidRequest([{ pointer: '/actionType', code: 'unknown-action-type', detail }]);
}
