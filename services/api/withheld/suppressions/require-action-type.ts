import { allActionTypes } from '../../../../shared/domain/step/suppressions.ts';
import type { CatalogueReader } from '../../frame/catalogue-reader.ts';
import { invalidRequest, quoted } from '../../frame/http-problem.ts';

/**
 * Refuses unknown action types. The catalogue is refreshed first, so that a type which was just registered is known.
 * @throws {HttpProblem} if the type is not registered and the name does not mean all types
 */
export async function requireActionType(
  name: string,
  catalogue: Pick<CatalogueReader, 'registered' | 'refresh'>,
): Promise<void> {
  if (name === allActionTypes || Object.hasOwn(catalogue.registered(), name)) return;
  await catalogue.refresh();
  const registered = Object.keys(catalogue.registered());
  if (registered.includes(name)) return;
  const others =
    registered.length === 0 ? 'none is registered yet' : `there are ${registered.join(', ')}, and * for all`;
  const detail = `there is no action type ${quoted(name)}; ${others}`;
  throw invalidRequest([{ pointer: '/actionType', code: 'unknown-action-type', detail }]);
}
