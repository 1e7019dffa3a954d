/** Schema keyword with the source of a parameter's options: a URL (docs/optional-contracts.md). */
export const optionsKeyword = 'x-options';

/** A parameter that a schema describes, with a single text or number as its value. */
export interface PlainParameter {
  /** JSON pointer of the parameter, such as `/rewardId`. */
  pointer: string;
  names: readonly string[];
  type: 'string' | 'number';
  /** Source as the schema names it: a URL, or a path relative to the endpoint's URL. */
  options: string | undefined;
  keyword: string;
}

type Fields = Readonly<Record<string, unknown>>;

/** Limits for stored schemas: a newer version may have written a schema with cycles that this version would refuse. */
const maxDepth = 16;
const maxVisits = 2000;
/** Characters of a URI (RFC 3986) without a fragment. */
const reference = /^[\w.~!$&'()*+,;=:@/?%[\]-]{1,2000}$/;

const anyEndpoint = 'http://endpoint.invalid/';

/**
 * Returns the URL of an options source, which may be relative to the endpoint's URL. Returns null if the URL is not
 * callable: not http or https, or with user and password.
 */
export function optionsUrlOf(options: string, endpoint: string): URL | null {
  if (!reference.test(options)) return null;
  const url = URL.parse(options, endpoint);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return null;
  return url;
}

export function isOptionsReference(value: unknown): boolean {
  return typeof value === 'string' && optionsUrlOf(value, anyEndpoint) !== null;
}

export function plainParametersOf(schema: unknown): PlainParameter[] {
  const found: PlainParameter[] = [];
  const defs = isFields(schema) && isFields(schema['$defs']) ? schema['$defs'] : {};
  let visits = 0;

  function visit(described: unknown, names: readonly string[], keywords: readonly string[], depth: number): void {
    if (!isFields(described) || depth > maxDepth || ++visits > maxVisits) return;
    const { $ref: ref, type, properties, [optionsKeyword]: options } = described;
    const name = typeof ref === 'string' ? /^#\/\$defs\/(.+)$/.exec(ref)?.[1] : undefined;
    if (name !== undefined) visit(Object.hasOwn(defs, name) ? defs[name] : null, names, ['$defs', name], depth + 1);
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
      visit(innerSchema, [...names, inner], [...keywords, 'properties', inner], depth + 1);
    }
  }

  visit(schema, [], [], 0);
  return found;
}

/** Returns the URLs that an action type calls for options, each with the position of its keyword in the schema. */
export function optionSourcesOf(schema: unknown, endpoint: string): { keyword: string; url: URL }[] {
  const sources = plainParametersOf(schema).flatMap(({ options, keyword }) => {
    const url = options === undefined ? null : optionsUrlOf(options, endpoint);
    return url === null ? [] : [{ keyword, url }];
  });
  // Several parameters may refer to the same part of the schema; its keyword is listed once.
  return [...new Map(sources.map((source) => [source.keyword, source])).values()];
}

function pointerOf(path: readonly string[]): string {
  return path.map((name) => `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
