interface KeyOfPerson {
  /** Its id: a person whom an issuer vouches for has one row for life, whatever they are called at the time. */
  key: string | null;
  /** Keys of one owner are one person's. */
  owner: string | null;
}

/** Whose keys they are: large and small letters, and blanks around, make no other person. */
export function personOf(owner: string): string {
  return owner.trim().toLowerCase();
}

/**
 * Why a key may not approve what others have written; null: it may. Who cannot be told apart is taken for the same.
 * @param authors keys that wrote it, or submitted it
 */
export function refusedApproval({ key, owner }: KeyOfPerson, authors: readonly KeyOfPerson[]): string | null {
  if (owner === null) return 'this key has no owner: who approves has to be known';
  if (hasUnknownAuthor(authors)) return 'it was written with a key that has no owner: its author has to be known';
  const isTheirs = (author: string | null) => author !== null && personOf(author) === personOf(owner);
  const isAuthor = authors.some((author) => author.key === key || isTheirs(author.owner));
  return isAuthor ? `${owner} has written or submitted it: another person approves` : null;
}

export function hasUnknownAuthor(authors: readonly Pick<KeyOfPerson, 'owner'>[]): boolean {
  return authors.some(({ owner }) => owner === null);
}
