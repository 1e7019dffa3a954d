const firstLine = /^-- after: ([a-z-]+(?:, [a-z-]+)*)\n/;

/**
 * Orders SQL files so that each follows the files named in its first line, such as `-- after: campaigns, runs` or `--
 * after: nothing`. Independent files keep their given order.
 * @param texts by name, without `.sql`
 * @returns the names
 * @throws {Error} if a file lacks that line, names an unknown file, or depends on itself
 */
export function orderSql(texts: ReadonlyMap<string, string>): string[] {
  const ordered = new Set<string>();
  const add = (name: string, waiting: readonly string[]) => {
    if (ordered.has(name)) return;
    const circle = waiting.slice(waiting.indexOf(name));
    if (waiting.includes(name)) throw new Error(`${[...circle, name].join('.sql is after ')}.sql: a circle`);
    for (const earlier of namedBy(name, texts)) add(earlier, [...waiting, name]);
    ordered.add(name);
  };
  for (const name of texts.keys()) add(name, []);
  return [...ordered];
}

function namedBy(name: string, texts: ReadonlyMap<string, string>): string[] {
  const named = firstLine.exec(texts.get(name) ?? '')?.[1];
  if (named === undefined) throw new Error(`the first line of ${name}.sql is not "-- after: nothing" or such`);
  if (named === 'nothing') return [];
  const names = named.split(', ');
  const unknown = names.find((each) => !texts.has(each));
  if (unknown !== undefined) throw new Error(`${name}.sql is after ${unknown}.sql, which does not exist`);
  return names;
}
