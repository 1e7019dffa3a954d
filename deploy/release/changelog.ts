interface Section {
  /** Text in brackets: a version, or `Unreleased`. */
  name: string;
  /** Text without the heading and surrounding empty lines. */
  text: string;
}

const heading = /^## \[([^\]]+)\].*$/gm;
const unreleased = 'Unreleased';

export function sectionsOf(changelog: string): Section[] {
  const headings = [...changelog.matchAll(heading)];
  return headings.map((match, place) => {
    const begins = match.index + match[0].length;
    const ends = headings[place + 1]?.index ?? changelog.length;
    return { name: match[1] ?? '', text: changelog.slice(begins, ends).trim() };
  });
}

/** Returns reasons why the version cannot be released with this changelog; empty if it can. */
export function changelogProblems(changelog: string, version: string): string[] {
  const sections = sectionsOf(changelog);
  const textOf = (name: string) => sections.find((section) => section.name === name)?.text;
  const problems: string[] = [];
  if ((textOf(version) ?? '') === '') {
    problems.push(
      `docs/CHANGELOG.md says nothing of ${version}: \`npm run release -- bump ${version}\` makes its section`,
    );
  }
  if ((textOf(unreleased) ?? '') !== '') {
    problems.push(
      `docs/CHANGELOG.md has text below [${unreleased}], which would be released and not be said of ${version}`,
    );
  }
  return problems;
}

/**
 * Turns the unreleased section into the version's section, and adds an empty unreleased section above.
 * @param day date such as 2026-11-24
 * @throws if the unreleased section is empty
 */
export function closeUnreleased(changelog: string, version: string, day: string): string {
  const text = sectionsOf(changelog).find(({ name }) => name === unreleased)?.text ?? '';
  if (text === '') throw new Error(`docs/CHANGELOG.md says nothing below [${unreleased}]: there is nothing to release`);
  return changelog.replace(/^## \[Unreleased\].*$/m, `## [${unreleased}]\n\n## [${version}] - ${day}`);
}
