import type { HeavyKind } from '../../../../shared/domain/quotas.ts';

const limits: Readonly<Record<HeavyKind, string>> = {
  exports:
    'As a file it takes a slot of exports until it is sent: without one, 429 `too-many-exports`. The connection of a reader ' +
    'that stays below 1,024 bytes a second for two minutes is closed.',
  uploads:
    'A file takes a slot of uploads until it is stored: without one, 429 `too-many-uploads`. One that comes too slowly is 408 ' +
    '`upload-too-slow`; one that is too large, or unpacks to too much, is 413 `file-too-large` or `file-expands-too-much`.',
  reports: 'It takes a slot of reports: without one for five seconds, 429 `too-many-reports`.',
  previews: 'It takes a slot of previews: without one for five seconds, 429 `too-many-previews`.',
};

export function withLimits(description: unknown, heavy: HeavyKind | 'elsewhere' | undefined): object {
  if (heavy === undefined || heavy === 'elsewhere') return {};
  return { description: typeof description === 'string' ? `${description}\n\n${limits[heavy]}` : limits[heavy] };
}
