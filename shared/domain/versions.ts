/** Form of versions: `1.4.0` for a release, `1.4.0-rc.2` for a pre-release. */
const form = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?/;

/**
 * Compares two versions of Muster: negative if `one` is older, positive if it is newer. Pre-releases are older than
 * their release, and equal to each other.
 * @throws if a text is no version
 */
export function compareVersions(one: string, other: string): number {
  const [a, b] = [partsOf(one), partsOf(other)];
  for (const [place, part] of a.entries()) {
    const difference = part - (b[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function partsOf(version: string): number[] {
  const [, major, minor, patch, before] = form.exec(version) ?? [];
  if (major === undefined) throw new Error(`${JSON.stringify(version)} is no version, such as 1.4.0`);
  return [Number(major), Number(minor), Number(patch), before === undefined ? 1 : 0];
}

export interface SchemaStanding {
  missing: readonly string[];
  /**
   * Version that last changed the schema, and the oldest version that the schema supports; null if no version has
   * changed it.
   */
  made: { version: string; oldest: string } | null;
}

/** Returns the reason why processes of this version must not use the schema, and the remedy; undefined if they may. */
export function refusalOf(own: string, { missing, made }: SchemaStanding): string | undefined {
  if (made !== null && compareVersions(own, made.oldest) < 0) {
    return (
      `this is Muster ${own}, and Muster ${made.version} has changed the database's schema: ` +
      `${made.oldest} is the oldest that may work on it. Start ${made.oldest} or newer`
    );
  }
  if (missing.length === 0) return undefined;
  const left = made === null ? '' : `, as Muster ${made.version} has left it`;
  return (
    `this is Muster ${own}, and the database's schema lacks ${missing.join(', ')}${left}: ` +
    `run \`muster migrate\` of ${own}`
  );
}
