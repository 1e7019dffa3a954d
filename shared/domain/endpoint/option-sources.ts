/**
 * Where the options of parameters are asked for: the schema of an action type names a URL at a parameter
 * (docs/optional-contracts.md).
 */
export const optionsKeyword = 'x-options';

/** A parameter that a schema describes, and is one text or one number. */
export interface PlainParameter {
  /** JSON pointer of the parameter, such as `/rewardId`. */
  pointer: string;
  /** Its names from the outside in. */
  names: readonly string[];
  type: 'string' | 'number';
  /** As the schema names it: a URL, or a path relative to the endpoint's. */
  options: string | undefined;
  /** JSON pointer of the keyword in the schema. */
  keyword: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** A schema that is kept may be of a newer version, and go around in circles that this one would not let in. */
const maxDepth = 16;
const maxLooks = 2000;
/** What a URI (RFC 3986) may hold, but for a fragment. */
const reference = /^[\w.~!$&'()*+,;=:@/?%[\]-]{1,2000}$/;

/** Where a reference leads from any endpoint, to see whether it is one. */
const anyEndpoint = 'http://endpoint.invalid/';

/** Null where there is nothing to call: no URL of http or https, or one with user and password. */
export function optionsUrlOf(options: string, endpoint: string): URL | null {
  if (!reference.test(options)) return null;
  const url = URL.parse(options, endpoint);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null;
  return url;
}

export function isOptionsReference(value: unknown): boolean {
  return typeof value === 'string' && optionsUrlOf(value, anyEndpoint) !== null;
}

/** Those that a schema names by its properties, in its order. */
export function plainParametersOf(schema: unknown): PlainParameter[] {
  const found: PlainParameter[] = [];
  const defs = isFields(schema) && isFields(schema['$defs']) ? schema['$defs'] : {};
  let looks = 0;

  function look(described: unknown, names: readonly string[], keywords: readonly string[], depth: number): void {
    if (!isFields(described) || depth > maxDepth || ++looks > maxLooks) return;
    const { $ref: ref, type, properties, [optionsKeyword]: options } = described;
    const name = typeof ref === 'string' ? /^#\/\$defs\/(.+)$/.exec(ref)?.[1] : undefined;
    if (name !== undefined) look(Object.hasOwn(defs, name) ? defs[name] : null, names, ['$defs', name], depth + 1);
    if (names.length > 0 && (type === 'string' || type === 'number' || type === 'integer')) {
      found.push({
        pointer: pointerOf(names),
        names,
        type: type === 'string' ? 'string' : 'number',
        options: typeof options === 'string' ? options : undefined,
        keyword: pointerOf([...keywords, optionsKeyword]),
      });
    }
    if (!isFields(properties)) return;
    for (const [inner, innerSchema] of Object.entries(properties)) {
      look(innerSchema, [...names, inner], [...keywords, 'properties', inner], depth + 1);
    }
  }

  look(schema, [], [], 0);
  return found;
}

/** What an action type calls for options: each URL, with the place of its keyword in the schema. */
export function optionSourcesOf(schema: unknown, endpoint: string): { keyword: string; url: URL }[] {
  const sources = plainParametersOf(schema).flatMap(({ options, keyword }) => {
    const url = options === undefined ? null : optionsUrlOf(options, endpoint);
    return url === null ? [] : [{ keyword, url }];
  });
  // A part that several parameters refer to is one place.
  return [...new Map(sources.map((source) => [source.keyword, source])).values()];
}

function pointerOf(path: readonly string[]): string {
  return path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
