import { z } from 'zod';
import type { Operation } from './operations.ts';
import { changedAt, countPlaces, type FuzzRequest } from './request-arbitraries.ts';

/** A request with one text inserted in one place. */
export interface RequestWithText {
  /** Name of the place, such as `path id`, `query q` or `body 3`. */
  place: string;
  /** JSON pointer of the error that refuses the text of a parameter. */
  pointer?: string;
  request: FuzzRequest;
}

/** Puts a text into each parameter of a request's path and query and into each field of its body, one at a time. */
export function withTextEverywhere(operation: Operation, request: FuzzRequest, text: string): RequestWithText[] {
  const changed = { ...request, isFitting: false };
  const places = operation.parameters.flatMap(({ in: where, name }): RequestWithText[] => {
    const [place, pointer] = [`${where} ${name}`, `/${name}`];
    if (where === 'path') return [{ place, pointer, request: { ...changed, path: { ...request.path, [name]: text } } }];
    if (where !== 'query') return [];
    const others = request.query.filter(([each]) => each !== name);
    return [{ place, pointer, request: { ...changed, query: [...others, [name, text]] } }];
  });
  const body =
    request.type === 'application/json' && request.body !== undefined
      ? z.json().parse(JSON.parse(request.body))
      : undefined;
  const fields = Array.from({ length: body === undefined ? 0 : countPlaces(body) }, (_, at) => ({
    place: `body ${at}`,
    request: { ...changed, body: JSON.stringify(changedAt(body ?? null, at, { kind: 'replace', by: text })) },
  }));
  return [...places, ...fields];
}
