import type { RunProgress } from '#client/types.gen.ts';
import { Kpis } from '../../parts/panels/kpis.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';
import { failedUsers, type CountryReason } from '../../parts/failures/failure-reasons.ts';
import { kpisOf } from './kpis-of-run.ts';

interface RunKpisProps {
  progress: RunProgress;
  /** Reasons of the panel, so that both show the same numbers; undefined until they are loaded. */
  failures: readonly CountryReason[] | undefined;
  isOld: boolean;
}

export function RunKpis({ progress, failures = [], isOld }: RunKpisProps) {
  return <Kpis kpis={kpisOf(progress, useFormatTime(), failedUsers(progress.steps, failures))} isOld={isOld} />;
}
