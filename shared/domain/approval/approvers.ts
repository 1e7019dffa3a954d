/** A key, and the keys and persons behind it. A person who signs in with an issuer is a key without a secret. */
export interface KeyHolder {
  /** Id of the key; null if the key is no longer known. */
  key: string | null;
  /** Keys with the same owner belong to one person; null: the key has no owner. */
  owner: string | null;
  /** Current and former persons of the key, in the form of `personOf`. */
  persons: readonly string[];
  /**
   * Keys that made or changed this key or gave it a secret, directly or indirectly, and this key; with their persons.
   */
  behind: { keys: readonly string[]; persons: readonly string[] };
  /** True if an issuer authenticates the person. */
  isSignedIn: boolean;
}

export interface Voting {
  /** Keys that wrote the campaign or submitted it. */
  authors: readonly KeyHolder[];
  voters: readonly KeyHolder[];
  /** True if the policy counts no API keys, only people whom an issuer authenticates. */
  approversSignIn: boolean;
}

/**
 * Returns the reason why a key may not approve a campaign, or null if it may. Keys that cannot be distinguished count
 * as the same person's: a key that another key made or changed may be in the hands of that key's owner.
 */
export function refusedApproval(voter: KeyHolder, { authors, voters, approversSignIn }: Voting): string | null {
  if (voter.owner === null) return 'this key has no owner: who approves has to be known';
  if (approversSignIn && !voter.isSignedIn)
    return 'by the policy, people who sign in with an issuer approve, and no keys';
  if (hasUnknownAuthor(authors)) return 'it was written with a key that has no owner: its author has to be known';
  if (authors.some((author) => isSamePerson(author, voter)))
    return `${voter.owner} has written or submitted it: another person approves`;
  if (authors.some((author) => isOrigin(author, voter)))
    return 'its author has made or changed this key, directly or through other keys: a key that the author had no hand in approves';
  if (authors.some((author) => isOrigin(voter, author)))
    return 'this key has made or changed the key that wrote it, directly or through other keys: another person approves';
  const others = voters.filter((other) => !isSamePerson(other, voter));
  if (others.some((other) => isOrigin(other, voter) || isOrigin(voter, other)))
    return 'this key and one that has approved it were made or changed by one another: another person approves';
  return null;
}

/** Returns true if a vote of the same person counts already, so that another vote has no effect. */
export function hasApproved(voter: KeyHolder, { voters, approversSignIn }: Omit<Voting, 'authors'>): boolean {
  return voters.some((each) => (each.isSignedIn || !approversSignIn) && isSamePerson(each, voter));
}

export function hasUnknownAuthor(authors: readonly Pick<KeyHolder, 'owner'>[]): boolean {
  return authors.some(({ owner }) => owner === null);
}

function isSamePerson(one: KeyHolder, other: KeyHolder): boolean {
  return one.key === other.key || one.persons.some((person) => other.persons.includes(person));
}

/** Returns true if a key, or another key of its person, has made or changed the other key. */
function isOrigin(one: KeyHolder, { behind }: KeyHolder): boolean {
  return (
    (one.key !== null && behind.keys.includes(one.key)) || one.persons.some((each) => behind.persons.includes(each))
  );
}
