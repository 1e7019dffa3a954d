import type { FastifyRequest } from 'fastify';
import { countryPattern } from '../../../shared/domain/endpoint/shard.ts';
import { holdsAll } from '../../../shared/domain/scopes.ts';
import { outOfScope, scopeOf } from '../access/scopes.ts';
import { invalidRequest, quoted, type HttpProblem } from '../frame/http-problem.ts';
import type { RowTerms } from './row-reader.ts';

export interface FileCountries extends Pick<RowTerms, 'country' | 'countries'> {
  column: string | undefined;
}

/**
 * Parses the query parameter `country`, which is a code for all users or the name of a column.
 * @param configured countries of the installation; undefined for all
 * @throws {HttpProblem} 422 for a code that is not configured, 403 for a code outside the key's scope
 */
export function fileCountriesOf(
  request: FastifyRequest,
  named: string | undefined,
  configured: readonly string[] | undefined,
): FileCountries {
  const known = configured ? new Set(configured) : { has: (code: string) => countryPattern.test(code) };
  const scope = scopeOf(request);
  const countries = { has: (code: string) => known.has(code) && holdsAll(scope.countries, [code]) };
  if (named === undefined || !countryPattern.test(named)) return { country: null, column: named, countries };
  if (!known.has(named)) throw unknownCountry(named, configured ?? []);
  if (!holdsAll(scope.countries, [named])) throw outOfScope(`this key is not for ${named}`);
  return { country: named, column: undefined, countries };
}

function unknownCountry(country: string, known: readonly string[]): HttpProblem {
  const detail = `${quoted(country)} is not configured; configured are ${known.join(', ')}`;
  return invalidRequest([{ pointer: '/country', code: 'unknown-country', detail }]);
}
