import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Images of others that ours is made from, or that the compose file starts; each match is the reference. */
const places: Readonly<Record<string, RegExp>> = {
  'deploy/Dockerfile': /(?<=^FROM (?:--platform=\S+ )?)[\w./-]+:[\w.-]+(?:@\S+)?/gm,
  'docker-compose.yml': /(?<=^ {4}image: )[\w./-]+:[\w.-]+(?:@\S+)?/gm,
};

/** What `docker buildx imagetools inspect` answers, and registries know an image by for ever. */
const digestForm = /^sha256:[0-9a-f]{64}$/;

export interface BaseImage {
  /** From the root of the checkout. */
  file: string;
  /** `node:24.21.0-slim`. */
  name: string;
  /** `sha256:…`; undefined while it is whatever the tag means that day. */
  digest: string | undefined;
}

/** Each image once for each file that names it. */
export function baseImages(root: string): BaseImage[] {
  return Object.entries(places).flatMap(([file, pattern]) => {
    const references = new Set(readFileSync(path.join(root, file), 'utf8').match(pattern));
    return [...references].map((reference): BaseImage => {
      const [name = '', digest] = reference.split('@');
      return { file, name, digest };
    });
  });
}

/**
 * Writes the digests behind the names.
 * @throws where one is missing, or is none
 */
export function pinImages(root: string, digests: ReadonlyMap<string, string>): void {
  for (const { name } of baseImages(root)) {
    const digest = digests.get(name) ?? 'nothing';
    if (!digestForm.test(digest)) throw new Error(`the digest of ${name} is ${JSON.stringify(digest)}, which is none`);
  }
  for (const [file, pattern] of Object.entries(places)) {
    const full = path.join(root, file);
    const withDigest = (reference: string) => {
      const [name = ''] = reference.split('@');
      return `${name}@${digests.get(name) ?? ''}`;
    };
    writeFileSync(full, readFileSync(full, 'utf8').replace(pattern, withDigest));
  }
}

export function imageProblems(images: readonly BaseImage[]): string[] {
  const loose = images.filter(({ digest }) => !digestForm.test(digest ?? ''));
  return loose.map(
    ({ file, name }) =>
      `${file} takes ${name} without its digest: \`npm run release -- pin\` looks it up and writes it`,
  );
}
