import { LRUCache } from 'lru-cache';
import type { OfferedOption } from '../../../../shared/contracts/endpoints/parameter-options.ts';
import {
  optionsUrlOf,
  plainParametersOf,
  type PlainParameter,
} from '../../../../shared/domain/endpoint/option-sources.ts';
import { isStorable } from '../../../../shared/domain/ids/stored-text.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { RegisteredActionType } from '../../../../shared/ports/registry.ts';
import { invalidRequest, quoted } from '../../frame/http-problem.ts';
import type { ListedOption, OptionListView } from './option-list.contract.ts';
import type { OptionsAnswer, OptionSource } from './option-source.port.ts';
import type { UsedValues } from './postgres/used-values.ts';

/** Lifetime of options in the cache, in milliseconds: long enough for a person who types and corrects a search. */
const keptMs = 30_000;
/**
 * Lifetime of failures in the cache, in milliseconds: short, so that a request soon tries again, but not each request
 * does.
 */
const failureKeptMs = 5000;
/** Maximum number of characters of all cached options together. */
const maxKeptCharacters = 4_000_000;

export interface OptionSearch {
  type: RegisteredActionType;
  /** Name or JSON pointer of the parameter. */
  parameter: string;
  text?: string | undefined;
  country?: string | undefined;
  limit: number;
}

export interface OptionDirectoryDeps {
  optionSource: OptionSource;
  usedValues: UsedValues;
  clock: Pick<Clock, 'monotonicMs'>;
}

/**
 * Creates the directory of values that a parameter may have. The values come from the endpoint of the action type if it
 * offers options, otherwise from earlier campaigns. If the endpoint fails, the result has values of earlier campaigns
 * and the reason.
 */
export function createOptionDirectory({ optionSource, usedValues, clock }: OptionDirectoryDeps) {
  const cache = new LRUCache<string, { untilMs: number; answer: OptionsAnswer; characters: number }>({
    maxSize: maxKeptCharacters,
    sizeCalculation: ({ characters }) => characters,
  });
  const underWay = new Map<string, Promise<OptionsAnswer>>();

  /**
   * Returns the options that the endpoint offers. Concurrent calls with the same query share one request to the
   * endpoint.
   */
  function offered({ type, text: search, country, limit }: OptionSearch, { pointer }: PlainParameter, url: URL) {
    const key = JSON.stringify([type.name, type.revision, pointer, country, search, limit]);
    const known = cache.get(key);
    if (known && clock.monotonicMs() < known.untilMs) return Promise.resolve(known.answer);
    const pending =
      underWay.get(key) ??
      optionSource.fetch({ type, url, search, country, limit }).then((whole) => {
        const answer = cut(whole, limit);
        const untilMs = clock.monotonicMs() + (answer.ok ? keptMs : failureKeptMs);
        cache.set(key, { untilMs, answer, characters: JSON.stringify(answer).length });
        underWay.delete(key);
        return answer;
      });
    underWay.set(key, pending);
    return pending;
  }

  async function withUse(
    { type, text: _, ...search }: OptionSearch,
    names: readonly string[],
    options: readonly OfferedOption[],
  ): Promise<ListedOption[]> {
    const among = options.map(({ value }) => value);
    const used = await usedValues.list({
      ...search,
      actionType: type.name,
      parameter: names,
      among,
      country: undefined,
    });
    const usedBy = new Map(used.map(({ value, campaigns }) => [value, campaigns]));
    return options.map(({ value, label, description, countries }) => ({
      value,
      label: label ?? null,
      description: description ?? null,
      countries: countries ?? null,
      usedBy: usedBy.get(value) ?? 0,
    }));
  }

  async function listUsed(search: OptionSearch, names: readonly string[], unavailable: string | null) {
    const { type, text, country, limit } = search;
    const usedSearch = { actionType: type.name, parameter: names, text, country, limit: limit + 1 };
    const found = await usedValues.list(usedSearch);
    return {
      items: found.slice(0, limit).map(({ value, countries, campaigns }) => {
        return { value, label: null, description: null, countries, usedBy: campaigns };
      }),
      more: found.length > limit,
      from: 'earlier-campaigns' as const,
      unavailable,
    };
  }

  return {
    /**
     * Lists the values of a parameter.
     * @throws {HttpProblem} 422 if the schema has no such parameter
     */
    list: async (search: OptionSearch): Promise<OptionListView> => {
      const { type } = search;
      const names = namesIn(search.parameter);
      const { paramsSchema, url: endpoint } = type.config;
      if (paramsSchema === undefined) return listUsed(search, names, null);
      const known = plainParametersOf(paramsSchema);
      const parameter = known.find((each) => JSON.stringify(each.names) === JSON.stringify(names));
      if (!parameter) throw unknownParameter(search, known);
      const url = parameter.options === undefined ? null : optionsUrlOf(parameter.options, endpoint);
      if (url === null) return listUsed(search, names, null);
      const answer = fitting(await offered(search, parameter, url), parameter);
      if (!answer.ok) return listUsed(search, names, `its options could not be loaded: ${answer.cause}`);
      const { options, more } = answer.page;
      return { items: await withUse(search, names, options), more, from: 'endpoint', unavailable: null };
    },
  };
}

/** Drops options beyond `limit`, because an endpoint may ignore the limit in its request. */
function cut(answer: OptionsAnswer, limit: number): OptionsAnswer {
  if (!answer.ok) return answer;
  const { options, more } = answer.page;
  return { ok: true, page: { options: options.slice(0, limit), more: more || options.length > limit } };
}

/** Refuses options whose type is not the parameter's: a campaign with such a value would be refused. */
function fitting(answer: OptionsAnswer, { type, pointer }: PlainParameter): OptionsAnswer {
  if (!answer.ok) return answer;
  const options = answer.page.options.filter(({ value }) => typeof value === 'number' || isStorable(value));
  const other = options.find(({ value }) => typeof value !== type);
  if (!other) return { ok: true, page: { ...answer.page, options } };
  const right = type === 'string' ? 'texts' : 'numbers';
  return {
    ok: false,
    cause: `the response is not valid: ${pointer} takes ${right}, not ${quoted(other.value)}`,
  };
}

/** Returns the names in a JSON pointer such as `/offer/id`. A plain name such as `id` means `/id`. */
function namesIn(parameter: string): string[] {
  const pointer = parameter.startsWith('/') ? parameter : `/${parameter}`;
  return pointer
    .slice(1)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function unknownParameter({ type, parameter }: OptionSearch, known: readonly PlainParameter[]) {
  const some = known.slice(0, 10).map(({ pointer }) => pointer);
  const named = some.length === 0 ? 'it has none' : `known are ${some.join(', ')}${known.length > 10 ? ', …' : ''}`;
  const detail = `names no text or number that ${type.name} accepts: ${named}, not ${quoted(parameter)}`;
  return invalidRequest([{ pointer: '/parameter', code: 'unknown-parameter', detail }]);
}
