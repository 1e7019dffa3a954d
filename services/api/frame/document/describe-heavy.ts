import type { HeavyKind } from '../../../../shared/domain/quotas.ts';

const limits: Readonly<Record<HeavyKind, string>> = {
  exports:
    'A file occupies an export slot until it is sent; without a free slot: 429 `too-many-exports`. The connection of a reader ' +
    'that stays below 1,024 bytes a second for two minutes is closed.',
  uploads:
    'A file occupies an upload slot until it is stored; without a free slot: 429 `too-many-uploads`. A slow upload is refused with 408 ' +
    '`upload-too-slow`, a large file or a file that decompresses to too much with 413 `file-too-large` or `file-expands-too-much`.',
  reports: 'The request occupies a report slot; if none is free within five seconds: 429 `too-many-reports`.',
  previews: 'The request occupies a preview slot; if none is free within five seconds: 429 `too-many-previews`.',
};

export function withLimits(description: unknown, heavy: HeavyKind | 'elsewhere' | undefined): object {
  if (heavy === undefined || heavy === 'elsewhere') return {};
  return { description: typeof description === 'string' ? `${description}\n\n${limits[heavy]}` : limits[heavy] };
}
