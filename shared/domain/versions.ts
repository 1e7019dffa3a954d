/** `1.4.0`, or before it `1.4.0-rc.2`. */
const form = /^(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?/;

/**
 * Below 0 where `one` is the older of two versions of Muster, above 0 where it is the newer. What comes before a
 * release is older than it, and not told apart further. @throws on what is no version
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

/** How a database's schema stands to a version of Muster that wants to work on it. */
export interface SchemaStanding {
  /** Migrations that this version brings and the database has not seen. */
  missing: readonly string[];
  /** Which version has changed the schema last, and the oldest that it left room for; null: none has. */
  made: { version: string; oldest: string } | null;
}

/** Why processes of this version may not work on that schema, and what to do; undefined where they may. */
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
