import { z } from 'zod';
import type { EngineConfig } from '../../contracts/endpoints/engine-config.ts';

/**
 * What all processes of an installation have to agree about: whom they call, and what those promise. Were one to ask
 * another segmentation service, or to award by another endpoint, real users would get what was not meant for them.
 */
export const installationConfig = z.object({
  segmentation: z.object({ url: z.string() }).optional(),
  actionTypes: z.record(z.string(), z.object({ url: z.string(), class: z.string() })).default({}),
});

export type InstallationConfig = z.infer<typeof installationConfig>;

export function installationConfigOf({ segmentation, actionTypes }: EngineConfig): InstallationConfig {
  return {
    segmentation: { url: normal(segmentation.url) },
    actionTypes: Object.fromEntries(
      Object.entries(actionTypes).map(([name, type]) => [name, { url: normal(type.url), class: type.class }]),
    ),
  };
}

/** A line for each difference. What only one of the two has is none: a file may serve a part, and may bring more. */
export function contradictionsBetween(kept: InstallationConfig, file: InstallationConfig): string[] {
  const lines: string[] = [];
  const compare = (field: string, before: string | undefined, now: string | undefined) => {
    if (before === undefined || now === undefined || before === now) return;
    lines.push(`${field}: the installation has ${JSON.stringify(before)}, this file says ${JSON.stringify(now)}`);
  };
  compare('segmentation.url', kept.segmentation?.url, file.segmentation?.url);
  for (const [name, type] of Object.entries(file.actionTypes)) {
    compare(`actionTypes.${name}.url`, kept.actionTypes[name]?.url, type.url);
    compare(`actionTypes.${name}.class`, kept.actionTypes[name]?.class, type.class);
  }
  return lines;
}

/** What is kept, with what the file changes and brings. */
export function mergedConfig(kept: InstallationConfig, file: InstallationConfig): InstallationConfig {
  return {
    segmentation: file.segmentation ?? kept.segmentation,
    actionTypes: { ...kept.actionTypes, ...file.actionTypes },
  };
}

function normal(url: string): string {
  return new URL(url).href;
}
