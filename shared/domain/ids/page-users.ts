import { usersTextOf, type UsersText } from '../step/users-text.ts';

/** Users of a page, or of several pages: as an array of ids, or as checked text that contains them. */
export type PageUsers = readonly string[] | PlainUsers;

/** Text of ids, each in quotes and separated by commas: a JSON list without its brackets, and without escapes. */
interface Part {
  readonly text: string;
  /** Offset of each id's opening quote; at the end, the offset at which another id would begin. */
  readonly starts: readonly number[];
  /** First id of the part, and the id behind its last, as indexes of `starts`. */
  readonly from: number;
  readonly to: number;
}

/**
 * Ids within the text of a received page. The reader of the page has checked that all of them are valid and printable
 * ASCII without quotes and backslashes. An id becomes a string only when it is read.
 */
export class PlainUsers {
  readonly length: number;
  readonly #parts: readonly Part[];

  private constructor(parts: readonly Part[]) {
    this.#parts = parts;
    this.length = parts.reduce((sum, { from, to }) => sum + to - from, 0);
  }

  /** @param starts offset of the opening quote of each id, and at the end the length of the text plus one */
  static of(text: string, starts: readonly number[]): PlainUsers {
    return new PlainUsers(starts.length > 1 ? [{ text, starts, from: 0, to: starts.length - 1 }] : []);
  }

  /** Returns an id by its index; a negative index counts from the end. */
  at(index: number): string | undefined {
    let left = index < 0 ? this.length + index : index;
    if (left < 0) return undefined;
    for (const part of this.#parts) {
      const count = part.to - part.from;
      if (left < count) return idAt(part, part.from + left);
      left -= count;
    }
    return undefined;
  }

  /** Returns the ids from `from` to before `to`. Both are at least 0. */
  slice(from: number, to = this.length): PlainUsers {
    const parts: Part[] = [];
    let before = 0;
    for (const part of this.#parts) {
      const count = part.to - part.from;
      const [first, end] = [Math.max(0, from - before), Math.min(count, to - before)];
      if (first < end) parts.push({ ...part, from: part.from + first, to: part.from + end });
      before += count;
    }
    return new PlainUsers(parts);
  }

  concat(more: PlainUsers): PlainUsers {
    return new PlainUsers([...this.#parts, ...more.#parts]);
  }

  text(): UsersText {
    return this.#parts.map((part) => part.text.slice(offsetOf(part, part.from), offsetOf(part, part.to) - 1)).join(',');
  }

  ids(): string[] {
    return this.#parts.flatMap((part) =>
      Array.from({ length: part.to - part.from }, (_, index) => idAt(part, part.from + index)),
    );
  }
}

function idAt(part: Part, index: number): string {
  return part.text.slice(offsetOf(part, index) + 1, offsetOf(part, index + 1) - 2);
}

function offsetOf({ starts }: Part, index: number): number {
  return starts[index] ?? 0;
}

export function idsOf(users: PageUsers): readonly string[] {
  return users instanceof PlainUsers ? users.ids() : users;
}

export function textOf(users: PageUsers): UsersText {
  return users instanceof PlainUsers ? users.text() : usersTextOf(users);
}

export function concatUsers(users: PageUsers, more: PageUsers): PageUsers {
  if (users.length === 0) return more;
  if (users instanceof PlainUsers && more instanceof PlainUsers) return users.concat(more);
  return [...idsOf(users), ...idsOf(more)];
}
