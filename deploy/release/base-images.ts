import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Third-party images in the Dockerfile and the compose file; each match is the image reference. */
const places: Readonly<Record<string, RegExp>> = {
  'deploy/Dockerfile': /(?<=^FROM (?:--platform=\S+ )?)[\w./-]+:[\w.-]+(?:@\S+)?/gm,
  'docker-compose.yml': /(?<=^ {4}image: )[\w./-]+:[\w.-]+(?:@\S+)?/gm,
};

/** Digest as printed by `docker buildx imagetools inspect`, an immutable identifier of an image. */
const digestForm = /^sha256:[0-9a-f]{64}$/;

export interface BaseImage {
  file: string;
  /** Name with tag, such as `node:24.21.0-slim`. */
  name: string;
  /** Digest `sha256:…`; undefined if the image is not pinned. */
  digest: string | undefined;
}

/** Returns each image once per file that names it. */
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
 * Writes digests after the image names.
 * @throws if a digest is missing or invalid
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
