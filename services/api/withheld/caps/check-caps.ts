import type { z } from 'zod';
import type { writtenCap } from '../../../../shared/contracts/endpoints/caps.ts';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import { uuidOf } from '../../../../shared/domain/ids/ids.ts';
import type { CatalogueReader } from '../../frame/catalogue-reader.ts';
import { didYouMean } from '../../frame/did-you-mean.ts';
import { invalidRequest, quoted } from '../../frame/http-problem.ts';
import type { createCapsStore, NewCap } from './postgres/caps-store.ts';

interface CheckDeps {
  catalogue: Pick<CatalogueReader, 'registered' | 'refresh'>;
  store: Pick<ReturnType<typeof createCapsStore>, 'existing'>;
}

/**
 * Returns the caps with exempt campaigns by uuid.
 * @throws {HttpProblem} 422 if a cap names an action type that is unknown or a check, or an unknown campaign
 */
export async function checkCaps(
  caps: readonly z.output<typeof writtenCap>[],
  { catalogue, store }: CheckDeps,
): Promise<NewCap[]> {
  await catalogue.refresh();
  const types = catalogue.registered();
  const ids = new Map(caps.flatMap(({ exempt = [] }) => exempt.map((id) => [id, uuidOf('campaign', id)])));
  const existing = await store.existing([...ids.values()].filter((uuid) => uuid !== undefined));
  const uuids = (exempt: readonly string[]) =>
    exempt.map((id) => {
      const uuid = ids.get(id);
      return uuid !== undefined && existing.has(uuid) ? uuid : null;
    });
  const problems: FieldProblem[] = caps.flatMap(({ actionTypes, exempt = [] }, at) => [
    ...actionTypes.flatMap((name, index) => typeProblem(name, `/caps/${at}/actionTypes/${index}`, types)),
    ...uuids(exempt).flatMap((uuid, index) =>
      uuid === null ? campaignProblem(exempt[index] ?? '', `/caps/${at}/exempt/${index}`) : [],
    ),
  ]);
  if (problems.length > 0) throw invalidRequest(problems);
  return caps.map(({ exempt, ...cap }) => ({
    ...cap,
    ...(exempt && { exempt: uuids(exempt).filter((uuid) => uuid !== null) }),
  }));
}

function typeProblem(
  name: string,
  pointer: string,
  types: ReturnType<CatalogueReader['registered']>,
): readonly FieldProblem[] {
  const steps = Object.keys(types).filter((each) => types[each]?.check !== true);
  if (steps.includes(name)) return [];
  if (Object.hasOwn(types, name)) {
    const detail = `${quoted(name)} is a check, which has no effect: name action types that are steps`;
    return [{ pointer, code: 'not-an-action', detail }];
  }
  const others = steps.length === 0 ? 'none is registered yet' : `there are ${steps.join(', ')}`;
  const detail = `there is no action type ${quoted(name)}; ${others}${didYouMean(name, steps)}`;
  return [{ pointer, code: 'unknown-action-type', detail }];
}

function campaignProblem(id: string, pointer: string): readonly FieldProblem[] {
  return [{ pointer, code: 'unknown-campaign', detail: `there is no campaign ${quoted(id)}` }];
}
