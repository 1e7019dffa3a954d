import { z } from 'zod';
import type { EngineConfig } from '../../contracts/endpoints/engine-config.ts';

/**
 * Settings that all processes of an installation must share: the called services and their guarantees. If one process
 * used another segmentation service or endpoint, real users would get actions meant for others.
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

/**
 * Returns a line for each difference. Settings that only one side has do not count, because a file may cover a part, or
 * add settings.
 */
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

/** Returns the stored config, overwritten by the file's settings. */
export function mergedConfig(kept: InstallationConfig, file: InstallationConfig): InstallationConfig {
  return {
    segmentation: file.segmentation ?? kept.segmentation,
    actionTypes: { ...kept.actionTypes, ...file.actionTypes },
  };
}

function normal(url: string): string {
  return new URL(url).href;
}
