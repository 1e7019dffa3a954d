import { compareVersions } from '../../shared/domain/versions.ts';
import { imageProblems } from './base-images.ts';
import { changelogProblems } from './changelog.ts';
import { versionOf, type Checkout } from './checkout.ts';

const versionForm = /^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/;

export function tagOf(version: string): string {
  return `v${version}`;
}

export function releaseProblems(checkout: Checkout): string[] {
  const version = versionOf(checkout);
  return [
    ...treeProblems(checkout),
    ...tagProblems(checkout, version),
    ...placeProblems(checkout, version),
    ...changelogProblems(checkout.changelog, version),
    ...upgradeProblems(checkout, version),
    ...imageProblems(checkout.images),
  ];
}

export function bumpProblems(checkout: Checkout, version: string): string[] {
  if (!versionForm.test(version)) return [`${JSON.stringify(version)} is no version, such as 1.4.0 or 1.4.0-rc.2`];
  const own = versionOf(checkout);
  const isOlder = compareVersions(version, own) < 0;
  return [
    ...treeProblems(checkout),
    ...tagProblems(checkout, version),
    ...(isOlder ? [`${version} is older than ${own}, which package.json says`] : []),
  ];
}

export function tagBefore(tags: readonly string[], version: string): string | undefined {
  return tags
    .filter((tag) => tag.startsWith('v') && versionForm.test(tag.slice(1)))
    .filter((tag) => compareVersions(tag.slice(1), version) < 0)
    .toSorted((one, other) => compareVersions(other.slice(1), one.slice(1)))[0];
}

function treeProblems({ changes }: Checkout): string[] {
  if (changes.length === 0) return [];
  const first = changes.slice(0, 5).map((line) => line.trim());
  const others = changes.length > first.length ? ` and ${changes.length - first.length} more` : '';
  return [`the checkout differs from its commit: ${first.join(', ')}${others}`];
}

function tagProblems({ tags }: Checkout, version: string): string[] {
  return tags.includes(tagOf(version)) ? [`${version} is released: there is a tag ${tagOf(version)}`] : [];
}

function placeProblems({ versions }: Checkout, version: string): string[] {
  return versions
    .filter((one) => one.version !== version)
    .map((one) => `${one.file} says ${one.version ?? 'no version'}, and package.json ${version}`);
}

/** Checks the rolling upgrade: processes of the previous version run on the schema of this one. */
function upgradeProblems({ tags, releasedBefore, oldest }: Checkout, version: string): string[] {
  const before = tagBefore(tags, version) ?? 'none';
  const problems: string[] = [];
  if (releasedBefore !== before) {
    problems.push(
      `migrations/released-version says ${releasedBefore}, and the version before ${version} is ${before}: ` +
        'upgrades were tested from another one',
    );
  }
  const room = before === 'none' ? version : before.slice(1);
  if (compareVersions(oldest, room) > 0) {
    problems.push(
      `migrations/oldest-version says ${oldest}, and ${room} has to have room on the schema of ${version}: ` +
        'what it still uses may be dropped a version later',
    );
  }
  return problems;
}
