/** A version's part of docs/CHANGELOG.md. */
interface Section {
  /** What stands in brackets: a version, or `Unreleased`. */
  name: string;
  /** Without its heading and the empty lines around it. */
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

/** Why that version cannot be released with this page; nothing where it can. */
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
 * What was not released becomes the version's section, and a new one stands empty above it.
 * @param day as 2026-11-24
 * @throws where there is nothing to say of it
 */
export function closeUnreleased(changelog: string, version: string, day: string): string {
  const text = sectionsOf(changelog).find(({ name }) => name === unreleased)?.text ?? '';
  if (text === '') throw new Error(`docs/CHANGELOG.md says nothing below [${unreleased}]: there is nothing to release`);
  return changelog.replace(/^## \[Unreleased\].*$/m, `## [${unreleased}]\n\n## [${version}] - ${day}`);
}
