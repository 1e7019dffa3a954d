import { publicId, uuidOf, type IdKind } from '../../../shared/domain/ids/ids.ts';
import { invalidRequest, notFound, quoted } from './http-problem.ts';
import { InvalidCursorError, type Page } from './page.port.ts';

/**
 * Returns the UUID of a public id in a path.
 * @throws {HttpProblem} 404, also for a malformed id
 */
export function requireId(kind: IdKind, id: string): string {
  const uuid = uuidOf(kind, id);
  if (uuid === undefined) throw notFound(kind, id);
  return uuid;
}

/**
 * Returns the UUID of a public id in a query.
 * @throws {HttpProblem} 422 for a malformed id
 */
export function idInQuery(kind: IdKind, name: string, id: string | undefined): string | undefined {
  if (id === undefined) return undefined;
  const uuid = uuidOf(kind, id);
  if (uuid !== undefined) return uuid;
  const detail = `${quoted(id)} is not the id of a ${kind}, which looks like ${publicId(kind, exampleUuid)}`;
  throw invalidRequest([{ pointer: `/${name}`, code: 'invalid-id', detail }]);
}

const exampleUuid = '01890a5d-ac96-774b-bcce-b302099a8057';

/**
 * Returns the cursor of a list whose cursors are public ids of items.
 * @throws {HttpProblem} 422 for a malformed id
 */
export function cursorInQuery(kind: IdKind, cursor: string | undefined): string | null {
  if (cursor === undefined) return null;
  const uuid = uuidOf(kind, cursor);
  if (uuid === undefined) throw invalidCursor(cursor);
  return uuid;
}

/** Returns a page with a public id as its cursor. */
export function pageView<Item, View>(kind: IdKind, page: Page<Item>, view: (item: Item) => View) {
  return { items: page.items.map(view), next: page.next === null ? null : publicId(kind, page.next) };
}

/**
 * Runs the work, and converts the error of an invalid cursor into a problem with status 422. It is used for cursors
 * that only the store can parse.
 */
export async function refusingInvalidCursor<Result>(cursor: string | undefined, ask: () => Promise<Result>) {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof InvalidCursorError) throw invalidCursor(cursor ?? '');
    throw error;
  }
}

export function invalidCursor(cursor: string) {
  const detail = `${quoted(cursor)} is not a cursor: pass the "next" of the previous page unchanged`;
  return invalidRequest([{ pointer: '/cursor', code: 'invalid-cursor', detail }]);
}
